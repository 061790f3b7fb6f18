/** What is read of views. `base_of` stands in `functions.ts`, in the same block. */
export const viewReads = `
-- ARGV: name, build, keys. Gives the bundles of each row, oldest first, or false.
register('view_rows', function(keys, args)
  local prefix = base_of(keys[1], args[1]) .. ':' .. args[2]
  local answer = {}
  for i = 3, #args do
    local meta = redis.call('HGET', prefix .. ':meta', args[i])
    local row = false
    if meta then
      local fields = {}
      for names in string.gmatch(string.match(meta, '^[^\\3]*'), '[^\\2]+') do fields[#fields + 1] = names .. '\\0' .. args[i] end
      row = #fields > 0 and redis.call('HMGET', prefix .. ':rows', unpack(fields)) or {}
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
