/** Commands that were given up, and making the queues anew. */
export const parking = `
-- ARGV: command, aggregate, fence, JSON, reason.
register('park', function(keys, args)
  local tag, command, aggregate, fence = keys[1], args[1], args[2], args[3]
  local key = command_key(tag, command)
  -- A repeat after a lost reply.
  if redis.call('HGET', key, 'k') == fence then return 'parked' end
  if not holds(tag, command, aggregate, fence) then return 'lost' end
  local ms = now()
  write_next(tag, 'command/' .. command, false, '', args[4])
  redis.call('HDEL', key, 'f')
  redis.call('HSET', key, 'k', fence, 'r', args[5], 't', plain(ms))
  redis.call('ZADD', tag .. ':parked', plain(ms), command)
  redis.call('PERSIST', tag .. ':sealed:' .. command)
  redis.call('LPOP', queue_key(tag, aggregate))
  free_next(tag, aggregate)
  return 'parked'
end, { 'allow-oom' })

-- ARGV: offset, limit. Of each: command, aggregate, reason, attempts, since (ms), position and entry of its acceptance.
register('list_parked', function(keys, args)
  local tag = keys[1]
  local answers = { redis.call('ZCARD', tag .. ':parked') }
  for _, command in ipairs(redis.call('ZREVRANGE', tag .. ':parked', args[1], args[1] + args[2] - 1)) do
    local kept = redis.call('HMGET', command_key(tag, command), 'g', 'r', 'n', 't', 'p')
    answers[#answers + 1] = { command, kept[1] or '', kept[2] or '', kept[3] or '0', kept[4] or '0', kept[5] or '0-0', kept[5] and entry_at(tag, kept[5]) or '' }
  end
  return answers
end, { 'no-writes' })

-- ARGV: command, JSON.
register('retry', function(keys, args)
  local tag, command = keys[1], args[1]
  local key = command_key(tag, command)
  if not redis.call('ZSCORE', tag .. ':parked', command) then
    -- A retry whose reply was lost finds the command queued and unclaimed.
    local kept = redis.call('HMGET', key, 'a', 'n')
    if kept[1] == '1' and kept[2] == '0' then return 'queued' end
    return 'unknown'
  end
  local aggregate = redis.call('HGET', key, 'g')
  write_next(tag, 'command/' .. command, false, '', args[2])
  redis.call('HDEL', key, 'k', 'r', 't')
  redis.call('HSET', key, 'a', '1', 'n', '0')
  redis.call('ZREM', tag .. ':parked', command)
  if redis.call('RPUSH', queue_key(tag, aggregate), command) == 1 then free_next(tag, aggregate) end
  return 'queued'
end, { 'allow-oom' })

-- ARGV: command, bucket of the outcome's id, JSON.
register('discard', function(keys, args)
  local tag, command = keys[1], args[1]
  local ms = now()
  if not redis.call('ZSCORE', tag .. ':parked', command) then
    local earlier = known(tag, args[2], command .. '/outcome', day_of(ms))
    return earlier and string.match(earlier, ' d$') and 'discarded' or 'unknown'
  end
  local position = close(tag, command, redis.call('HGET', command_key(tag, command), 'g'), args[2], args[3], ' d', ms)
  redis.call('ZREM', tag .. ':parked', command)
  redis.call('SET', tag .. ':mark', position)
  return 'discarded'
end, { 'allow-oom' })

register('depth', function(keys)
  local tag = keys[1]
  local claimed = 0
  local later = redis.call('ZRANGEBYSCORE', tag .. ':ready', '(' .. plain(now()), '+inf', 'WITHSCORES')
  for i = 2, #later, 2 do
    if tonumber(later[i]) % 1 ~= 0 then claimed = claimed + 1 end
  end
  local parked = redis.call('ZCARD', tag .. ':parked')
  return { redis.call('ZCARD', tag .. ':open') - parked - claimed, claimed, parked }
end, { 'no-writes' })

-- Makes queues anew as they are at the log's end, which ARGV[1] names: 'moved' when it isn't the end any more.
-- Then of each open command in the order of its queue: command, aggregate, digest, position, attempts, reason of its parking or '', since (ms),
-- number of steps, n and position of each.
register('rebuild', function(keys, args)
  local tag = keys[1]
  local last = redis.call('XREVRANGE', tag .. ':log', '+', '-', 'COUNT', 1)
  if (last[1] and last[1][1] or '0-0') ~= args[1] then return 'moved' end
  for _, member in ipairs(redis.call('ZRANGE', tag .. ':open', 0, -1)) do
    local command = string.match(member, '^%d+|(.*)$')
    local aggregate = redis.call('HGET', command_key(tag, command), 'g')
    if aggregate then redis.call('DEL', queue_key(tag, aggregate)) end
    redis.call('DEL', command_key(tag, command))
  end
  for _, aggregate in ipairs(redis.call('ZRANGE', tag .. ':ready', 0, -1)) do redis.call('DEL', queue_key(tag, aggregate)) end
  redis.call('DEL', tag .. ':open', tag .. ':ready', tag .. ':parked')
  local i = 2
  while i <= #args do
    local command, aggregate, position, reason, steps = args[i], args[i + 1], args[i + 3], args[i + 5], tonumber(args[i + 7])
    local key = command_key(tag, command)
    redis.call('HSET', key, 'g', aggregate, 'h', args[i + 2], 'p', position, 'n', args[i + 4])
    set_open(tag, position, command)
    if reason ~= '' then
      redis.call('HSET', key, 'r', reason, 't', args[i + 6])
      redis.call('ZADD', tag .. ':parked', args[i + 6], command)
    else
      redis.call('RPUSH', queue_key(tag, aggregate), command)
      free_next(tag, aggregate)
    end
    i = i + 8
    for _ = 1, steps do
      redis.call('HSET', key, 's' .. args[i], args[i + 1])
      i = i + 2
    end
  end
  return 'rebuilt'
end, { 'allow-oom' })
`;
