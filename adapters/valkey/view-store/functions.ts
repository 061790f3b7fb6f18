/**
 * Views. One build lies under `<tag>:view:<name>:<version>.<generation>`: `:at` its checkpoint, `:rows` a hash `<part>\0<key>` -> value,
 * `:meta` a hash key -> what the row consists of (`part\1part\2index\1index`, the index filed first stands first), `:index:<name>` sorted sets.
 * Few large hashes instead of a key per row: a batch is a handful of calls, and a row costs a tenth of the memory.
 * Beside the builds: `:live`, `:generation`, and `:builds`, a hash build -> '' or when it ceased to be the live one (ms).
 */
export const views = `
local function base_of(tag, name) return tag .. ':view:' .. name end

local function is_position(text) return string.match(text, '^%d+%-%d+$') ~= nil end

local function family_of(index) return string.match(index, '^[^:]*') end

-- unpack has room for some 8,000 values.
local function in_slices(command, key, list)
  for from = 1, #list, 2000 do redis.call(command, key, unpack(list, from, math.min(from + 1999, #list))) end
end

local function metas_of(prefix, keys)
  local metas = {}
  for from = 1, #keys, 2000 do
    local found = redis.call('HMGET', prefix .. ':meta', unpack(keys, from, math.min(from + 1999, #keys)))
    for i, meta in ipairs(found) do metas[keys[from + i - 1]] = meta end
  end
  return metas
end

-- Removes rows wholly: parts, places, and the memory of them.
local function remove_rows(prefix, keys)
  local metas, fields, gone, places = metas_of(prefix, keys), {}, {}, {}
  for _, key in ipairs(keys) do
    local meta = metas[key]
    if meta then
      local parts, indexes = string.match(meta, '^([^\\2]*)\\2(.*)$')
      for part in string.gmatch(parts, '[^\\1]+') do fields[#fields + 1] = part .. '\\0' .. key end
      for index in string.gmatch(indexes, '[^\\1]+') do
        local place = places[index]
        if place then place[#place + 1] = key else places[index] = { key } end
      end
      gone[#gone + 1] = key
    end
  end
  in_slices('HDEL', prefix .. ':rows', fields)
  in_slices('HDEL', prefix .. ':meta', gone)
  for index, members in pairs(places) do in_slices('ZREM', prefix .. ':index:' .. index, members) end
end

local function add_place(zadds, index, score, key)
  local list = zadds[index]
  if list then
    list[#list + 1] = score
    list[#list + 1] = key
  else
    zadds[index] = { score, key }
  end
end

-- Files a row that is filed somewhere already. Gives the new list of its indexes. placed has the scores of this very row that are not written yet.
local function move(prefix, zadds, placed, key, indexes, index, score)
  local family, at, n = family_of(index), nil, 0
  local list = {}
  for one in string.gmatch(indexes, '[^\\1]+') do
    n = n + 1
    list[n] = one
    if family_of(one) == family then at = n end
  end
  local old = at and list[at]
  if score == 'same' then
    if old == index or n == 0 then return indexes end
    local source = old or list[1]
    score = placed[source] or redis.call('ZSCORE', prefix .. ':index:' .. source, key)
    if not score then return indexes end
  end
  if old and old ~= index then redis.call('ZREM', prefix .. ':index:' .. old, key) end
  placed[index] = score
  add_place(zadds, index, score, key)
  if old == index then return indexes end
  list[at or n + 1] = index
  return table.concat(list, '\\1')
end

local function flush(prefix, pending)
  in_slices('HSET', prefix .. ':rows', pending.rows)
  in_slices('HSET', prefix .. ':meta', pending.meta)
  for index, list in pairs(pending.zadds) do in_slices('ZADD', prefix .. ':index:' .. index, list) end
  pending.rows, pending.meta, pending.zadds = {}, {}, {}
end

-- Adds parts to a row that has some. Gives the new list of its parts.
local function add_parts(rows, key, parts, args, j, count, most)
  local has, list = {}, {}
  for part in string.gmatch(parts, '[^\\1]+') do
    has[part] = true
    list[#list + 1] = part
  end
  for _ = 1, count do
    local part, value, once = args[j], args[j + 1], false
    if string.byte(part) == 63 then part, once = string.sub(part, 2), true end
    if not has[part] and #list >= most then part, value, once = 'more', '1', false end
    if not (once and has[part]) then
      rows[#rows + 1] = part .. '\\0' .. key
      rows[#rows + 1] = value
      if not has[part] then
        has[part] = true
        list[#list + 1] = part
      end
    end
    j = j + 2
  end
  return table.concat(list, '\\1')
end

-- Rows stand from i on: key, kind (n plain, e only when it is there, r remove), number of parts, part and value of each, number of places, index and
-- score of each. A part that begins with '?' stays as it is when it is there.
local function write_rows(prefix, args, i, count, most)
  local keys, starts = {}, {}
  for n = 1, count do
    keys[n], starts[n] = args[i], i
    if args[i + 1] == 'r' then i = i + 2
    else
      i = i + 3 + 2 * tonumber(args[i + 2])
      i = i + 1 + 2 * tonumber(args[i])
    end
  end
  local metas, pending, touched = metas_of(prefix, keys), { rows = {}, meta = {}, zadds = {} }, {}
  for n = 1, count do
    local key, j = keys[n], starts[n]
    local kind, meta = args[j + 1], metas[key]
    -- What it was given a moment ago has to be found there.
    if touched[key] then flush(prefix, pending) end
    touched[key] = true
    if kind == 'r' then
      flush(prefix, pending)
      remove_rows(prefix, { key })
      metas[key] = false
    elseif meta or kind == 'n' then
      local parts, indexes = '', ''
      if meta then parts, indexes = string.match(meta, '^([^\\2]*)\\2(.*)$') end
      local rows, zadds, size = pending.rows, pending.zadds, tonumber(args[j + 2])
      if not meta and size < most then
        -- A new row: its parts differ, whoever made the arguments saw to it.
        local names, r = {}, #rows
        for p = 1, size do
          local part = args[j + 3]
          if string.byte(part) == 63 then part = string.sub(part, 2) end
          names[p] = part
          rows[r + 1] = part .. '\\0' .. key
          rows[r + 2] = args[j + 4]
          r = r + 2
          j = j + 2
        end
        parts = table.concat(names, '\\1')
      elseif size > 0 then
        parts = add_parts(rows, key, parts, args, j + 3, size, most)
        j = j + 2 * size
      end
      local places = tonumber(args[j + 3])
      if indexes == '' then
        -- The families of one row's places differ: whoever made the arguments saw to it.
        local names, first = {}, nil
        for p = 1, places do
          local index, score = args[j + 4], args[j + 5]
          if score == 'same' then score = first end
          if score then
            first = first or score
            add_place(zadds, index, score, key)
            names[#names + 1] = index
          end
          j = j + 2
        end
        indexes = table.concat(names, '\\1')
      else
        local placed = {}
        for p = 1, places do
          indexes = move(prefix, zadds, placed, key, indexes, args[j + 4], args[j + 5])
          j = j + 2
        end
      end
      local new = parts .. '\\2' .. indexes
      if new ~= meta then
        pending.meta[#pending.meta + 1] = key
        pending.meta[#pending.meta + 1] = new
        metas[key] = new
      end
    end
  end
  flush(prefix, pending)
  return i
end

local function apply_one(tag, args, i, stop)
  local name, build, from, to = args[i], args[i + 1], args[i + 2], args[i + 3]
  local base = base_of(tag, name)
  local prefix = base .. ':' .. build
  local at = redis.call('GET', prefix .. ':at')
  if not at or redis.call('HGET', base .. ':builds', build) ~= '' then return { 'gone' } end
  if not is_position(at) then return { 'corrupt', at } end
  if at ~= from then return { 'elsewhere', at } end
  local most = tonumber(args[i + 4])
  i = write_rows(prefix, args, i + 6, tonumber(args[i + 5]), most)
  local expires = tonumber(args[i])
  i = i + 1
  for _ = 1, expires do
    local index, below, limit = args[i], args[i + 1], args[i + 2]
    local old = redis.call('ZRANGEBYSCORE', prefix .. ':index:' .. index, '-inf', '(' .. below, 'LIMIT', 0, limit)
    if #old > 0 then remove_rows(prefix, old) end
    i = i + 3
  end
  while i < stop do
    local index, keep = args[i], tonumber(args[i + 1])
    local size = redis.call('ZCARD', prefix .. ':index:' .. index)
    if size > keep then remove_rows(prefix, redis.call('ZRANGE', prefix .. ':index:' .. index, 0, size - keep - 1)) end
    i = i + 2
  end
  redis.call('SET', prefix .. ':at', to)
  return { 'applied' }
end

-- ARGV of each batch: number of its arguments; name, build, from, to, parts a row may have; number of rows, rows; number of expiries, index, below and
-- limit of each; index and keep of each cap.
register('view_apply', function(keys, args)
  local answers, i = {}, 1
  while i <= #args do
    local stop = i + 1 + tonumber(args[i])
    answers[#answers + 1] = apply_one(keys[1], args, i + 1, stop)
    i = stop
  end
  return answers
end, { 'allow-oom' })

-- ARGV: name, version. Gives the generation.
register('view_begin', function(keys, args)
  local base = base_of(keys[1], args[1])
  local generation = redis.call('INCR', base .. ':generation')
  local build = args[2] .. '.' .. plain(generation)
  redis.call('SET', base .. ':' .. build .. ':at', '0-0')
  redis.call('HSET', base .. ':builds', build, '')
  return generation
end, { 'allow-oom' })

-- ARGV: name, build, expected live build or ''.
register('view_make_live', function(keys, args)
  local base, build, expected = base_of(keys[1], args[1]), args[2], args[3]
  local live = redis.call('GET', base .. ':live') or ''
  if live == build then return 'live' end
  local at = redis.call('GET', base .. ':' .. build .. ':at')
  if not at or redis.call('HGET', base .. ':builds', build) ~= '' then return 'gone' end
  if live ~= expected then return 'elsewhere' end
  if live ~= '' then
    local needed = redis.call('GET', base .. ':' .. live .. ':at')
    if needed and is_position(needed) and is_position(at) and before(at, needed) then return 'behind' end
    redis.call('HSET', base .. ':builds', live, plain((now())))
  end
  redis.call('SET', base .. ':live', build)
  return 'live'
end, { 'allow-oom' })

-- ARGV: name. Gives the live build or '', the time, and build, checkpoint and retirement of each.
register('view_builds', function(keys, args)
  local base = base_of(keys[1], args[1])
  local answer = { redis.call('GET', base .. ':live') or '', plain((now())) }
  local builds = redis.call('HGETALL', base .. ':builds')
  for i = 1, #builds, 2 do
    answer[#answer + 1] = builds[i]
    answer[#answer + 1] = redis.call('GET', base .. ':' .. builds[i] .. ':at') or ''
    answer[#answer + 1] = builds[i + 1]
  end
  return answer
end, { 'no-writes' })

-- ARGV: name, build. From here on nothing is written to it and nobody reads it; its keys are removed in slices by whoever asked.
register('view_close', function(keys, args)
  local base, build = base_of(keys[1], args[1]), args[2]
  if redis.call('GET', base .. ':live') == build then redis.call('DEL', base .. ':live') end
  redis.call('DEL', base .. ':' .. build .. ':at')
  return redis.call('HEXISTS', base .. ':builds', build)
end, { 'allow-oom' })

-- ARGV: name, build, cursor, rows of one slice. Gives the next cursor and how many rows are left; at 0 the build is forgotten.
-- Begun at 0 each time, a scan would meet nothing but the places it has emptied.
register('view_drop_slice', function(keys, args)
  local base, build = base_of(keys[1], args[1]), args[2]
  local prefix = base .. ':' .. build
  local cursor, some = unpack(redis.call('HSCAN', prefix .. ':meta', args[3], 'COUNT', args[4]))
  local rows = {}
  for i = 1, #some, 2 do rows[#rows + 1] = some[i] end
  if #rows > 0 then remove_rows(prefix, rows) end
  local left = redis.call('HLEN', prefix .. ':meta')
  if left == 0 then
    redis.call('UNLINK', prefix .. ':meta', prefix .. ':rows')
    redis.call('HDEL', base .. ':builds', build)
  end
  return { cursor, left }
end, { 'allow-oom' })
`;
