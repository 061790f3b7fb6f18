/**
 * Views. One build lies under `<tag>:view:<name>:<version>.<generation>`: `:at` its checkpoint, `:rows` a hash of bundles, `:meta` a hash
 * key -> what the row consists of, `:index:<name>` sorted sets. Few large hashes instead of a key per row: a batch is a handful of calls, and a row
 * costs a tenth of the memory.
 * A bundle is what one batch put into one row: the field is `<parts joined by \1>\0<key>`, the value see `bundle.ts`; in a replay it is the whole
 * row. Meta is `<bundles, oldest first, joined by \2>\3<indexes joined by \1, the one filed first stands first>`.
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
      local bundles, indexes = string.match(meta, '^([^\\3]*)\\3(.*)$')
      for names in string.gmatch(bundles, '[^\\2]+') do fields[#fields + 1] = names .. '\\0' .. key end
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

-- Adds a bundle to a row that has some. Gives the new list of bundles.
local function add_bundle(rows, key, bundles, names, value, once, most)
  local known, size, brings_known, brings_new = {}, 0, false, false
  for name in string.gmatch(bundles, '[^\\1\\2]+') do
    if not known[name] then
      known[name] = true
      size = size + 1
    end
  end
  for name in string.gmatch(names, '[^\\1]+') do
    if known[name] then brings_known = true else brings_new = true end
  end
  if (once and not brings_new) or (size > most and not brings_known) then return bundles end
  rows[#rows + 1] = names .. '\\0' .. key
  rows[#rows + 1] = value
  -- The same parts again take the place of their former bundle, as the newest.
  local list = {}
  for one in string.gmatch(bundles, '[^\\2]+') do
    if one ~= names then list[#list + 1] = one end
  end
  list[#list + 1] = names
  return table.concat(list, '\\2')
end

-- Rows stand from i on: key, kind (n plain, e only when it is there, r remove); names and value of the bundle; the same of parts that stay as they are
-- when they are there; number of places, index and score of each.
local function write_rows(prefix, args, i, count, most)
  local keys, starts = {}, {}
  for n = 1, count do
    keys[n], starts[n] = args[i], i
    i = args[i + 1] == 'r' and i + 2 or i + 7 + 2 * tonumber(args[i + 6])
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
      local rows, zadds = pending.rows, pending.zadds
      local names, value, once, once_value, places = args[j + 2], args[j + 3], args[j + 4], args[j + 5], tonumber(args[j + 6])
      local bundles, indexes = '', ''
      if meta then bundles, indexes = string.match(meta, '^([^\\3]*)\\3(.*)$') end
      if bundles == '' then
        if names ~= '' or once ~= '' then
          bundles = (names ~= '' and once ~= '') and (names .. '\\1' .. once) or (names .. once)
          rows[#rows + 1] = bundles .. '\\0' .. key
          rows[#rows + 1] = value .. once_value
        end
      else
        if names ~= '' then bundles = add_bundle(rows, key, bundles, names, value, false, most) end
        if once ~= '' then bundles = add_bundle(rows, key, bundles, once, once_value, true, most) end
      end
      if indexes == '' then
        -- The families of one row's places differ: whoever made the arguments saw to it.
        local list, first = {}, nil
        for p = j + 7, j + 5 + 2 * places, 2 do
          local index, score = args[p], args[p + 1]
          if score == 'same' then score = first end
          if score then
            first = first or score
            add_place(zadds, index, score, key)
            list[#list + 1] = index
          end
        end
        indexes = table.concat(list, '\\1')
      else
        local placed = {}
        for p = j + 7, j + 5 + 2 * places, 2 do indexes = move(prefix, zadds, placed, key, indexes, args[p], args[p + 1]) end
      end
      local new = bundles .. '\\3' .. indexes
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
