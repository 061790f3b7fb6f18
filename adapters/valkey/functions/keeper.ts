/** Keeping the log within its bounds: works at `maxmemory`, or nothing could ever be freed. */
export const keeper = String.raw`
-- ARGV: position. Moves only forward.
register('mark_archived', function(keys, args)
  local key = keys[1] .. ':archived'
  if before(redis.call('GET', key) or '0-0', args[1]) then redis.call('SET', key, args[1]) end
  return 'OK'
end, { 'allow-oom' })

register('oldest_open', function(keys)
  local first = redis.call('ZRANGE', keys[1] .. ':open', 0, 0, 'WITHSCORES')
  if not first[1] then return '' end
  return plain(tonumber(first[2])) .. '-' .. plain(tonumber(string.match(first[1], '^(%d+)|')))
end, { 'no-writes' })

local function forget(tag, id, value)
  local version, mark, stream = string.match(value, '^(%d+)(!?){"s":"([^"\\]*)"')
  if not version then
    version, mark = string.match(value, '^(%d+)(!?)')
    stream = cjson.decode(string.match(value, '({.*)$')).s
  end
  local command = string.sub(stream, 1, 8) == 'command/'
  if not command then
    local positions = tag .. ':positions:' .. stream
    if redis.call('LINDEX', positions, 0) == id then redis.call('LPOP', positions) end
  end
  -- Versions of other streams stay: an append after the trim must count on. Those of commands and gone objects have no later append.
  if (command or mark == '!') and redis.call('HGET', tag .. ':versions', stream) == version then redis.call('HDEL', tag .. ':versions', stream) end
end

-- ARGV: up to, at most how many. Answers how many went, what stopped it ('' nothing), and 1 when there may be more.
register('trim', function(keys, args)
  local tag, upto, limit = keys[1], args[1], tonumber(args[2])
  local archived = redis.call('GET', tag .. ':archived') or '0-0'
  local first = redis.call('ZRANGE', tag .. ':open', 0, 0, 'WITHSCORES')
  local open = first[1] and (plain(tonumber(first[2])) .. '-' .. plain(tonumber(string.match(first[1], '^(%d+)|'))))
  local removed, last, stopped, more = 0, nil, '', 0
  local entries = redis.call('XRANGE', tag .. ':log', '-', upto, 'COUNT', limit + 1)
  for i, entry in ipairs(entries) do
    if open and not before(entry[1], open) then stopped = 'open command' break end
    if before(archived, entry[1]) then stopped = 'not archived' break end
    if i > limit then more = 1 break end
    forget(tag, entry[1], entry[2][2])
    removed, last = removed + 1, entry[1]
  end
  if last then
    local ms, sequence = string.match(last, '^(%d+)-(%d+)$')
    redis.call('XTRIM', tag .. ':log', 'MINID', '=', ms .. '-' .. plain(tonumber(sequence) + 1))
    redis.call('SET', tag .. ':trimmed', last)
  end
  return { removed, stopped, more }
end, { 'allow-oom' })

-- ARGV: library. Says that it is in use; answers the libraries that a day has not used.
register('use_library', function(keys, args)
  local key = keys[1] .. ':libraries'
  local ms = now()
  redis.call('HSET', key, args[1], plain(ms))
  local unused = {}
  local fields = redis.call('HGETALL', key)
  for i = 1, #fields, 2 do
    if tonumber(fields[i + 1]) < ms - 86400000 then
      unused[#unused + 1] = fields[i]
      redis.call('HDEL', key, fields[i])
    end
  end
  return unused
end, { 'allow-oom' })

-- ARGV: number of buckets, at most how many keys. Unlinks the days before yesterday, oldest first; answers 1 when there may be more.
-- ids:kept names the oldest day that may be there, and the bucket it came to.
register('forget_ids', function(keys, args)
  local tag, buckets, limit = keys[1], tonumber(args[1]), tonumber(args[2])
  local yesterday = day_of(now()) - 1
  local kept = redis.call('GET', tag .. ':ids:kept') or (yesterday .. ' 0')
  local day, bucket = string.match(kept, '^(%d+) (%d+)$')
  day, bucket = math.max(tonumber(day), yesterday - 60), tonumber(bucket)
  while day < yesterday and limit > 0 do
    redis.call('UNLINK', tag .. ':ids:' .. day .. ':' .. bucket)
    bucket, limit = bucket + 1, limit - 1
    if bucket >= buckets then day, bucket = day + 1, 0 end
  end
  redis.call('SET', tag .. ':ids:kept', day .. ' ' .. bucket)
  return day < yesterday and 1 or 0
end, { 'allow-oom' })
`;
