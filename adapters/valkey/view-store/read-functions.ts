/** What is read of views. `base_of` stands in `functions.ts`, in the same block. */
export const viewReads = `
-- ARGV: name, build, number of parts, parts (none: all), keys. Gives part and value of each part of each row, or false.
register('view_rows', function(keys, args)
  local prefix = base_of(keys[1], args[1]) .. ':' .. args[2]
  local wanted, n = {}, tonumber(args[3])
  for i = 1, n do wanted[i] = args[3 + i] end
  local answer = {}
  for i = 4 + n, #args do
    local meta = redis.call('HGET', prefix .. ':meta', args[i])
    local row = false
    if meta then
      local parts = wanted
      if n == 0 then
        parts = {}
        for part in string.gmatch(string.match(meta, '^[^\\2]*'), '[^\\1]+') do parts[#parts + 1] = part end
      end
      row = {}
      if #parts > 0 then
        local fields = {}
        for f, part in ipairs(parts) do fields[f] = part .. '\\0' .. args[i] end
        for f, value in ipairs(redis.call('HMGET', prefix .. ':rows', unpack(fields))) do
          if value then
            row[#row + 1] = parts[f]
            row[#row + 1] = value
          end
        end
      end
    end
    answer[#answer + 1] = row
  end
  return answer
end, { 'no-writes' })

-- ARGV: name, build, order, offset, limit, min, max, indexes. Gives the total, then key and score of each: of one index the page,
-- of several what each may give to it.
register('view_page', function(keys, args)
  local prefix = base_of(keys[1], args[1]) .. ':' .. args[2]
  local descending, offset, limit, min, max = args[3] == 'descending', tonumber(args[4]), tonumber(args[5]), args[6], args[7]
  local total, single = 0, #args == 8
  for i = 8, #args do total = total + redis.call('ZCOUNT', prefix .. ':index:' .. args[i], min, max) end
  local answer = { total }
  if offset >= total or limit == 0 then return answer end
  local from, many = single and offset or 0, single and limit or offset + limit
  for i = 8, #args do
    local found
    if descending then
      found = redis.call('ZRANGE', prefix .. ':index:' .. args[i], max, min, 'BYSCORE', 'REV', 'LIMIT', from, many, 'WITHSCORES')
    else
      found = redis.call('ZRANGE', prefix .. ':index:' .. args[i], min, max, 'BYSCORE', 'LIMIT', from, many, 'WITHSCORES')
    end
    for _, one in ipairs(found) do answer[#answer + 1] = one end
  end
  return answer
end, { 'no-writes' })
`;
