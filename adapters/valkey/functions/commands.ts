/**
 * Commands between acceptance and outcome. Only `accept` is refused at `maxmemory`: what is under way must be able to end, or nothing
 * could ever be freed.
 */
export const commands = `
local function command_key(tag, command) return tag .. ':command:' .. command end
local function queue_key(tag, aggregate) return tag .. ':queue:' .. aggregate end

-- Ordered by position within one millisecond too, so that the first one is the oldest.
local function open_member(position, command)
  local sequence = string.match(position, '-(%d+)$')
  return string.rep('0', 16 - #sequence) .. sequence .. '|' .. command
end

local function set_open(tag, position, command) redis.call('ZADD', tag .. ':open', plain(ms_of(position)), open_member(position, command)) end

-- The next head may be claimed since it was accepted: longest waiting first.
local function free_next(tag, aggregate)
  local head = redis.call('LINDEX', queue_key(tag, aggregate), 0)
  if not head then
    redis.call('ZREM', tag .. ':ready', aggregate)
    return
  end
  local position = redis.call('HGET', command_key(tag, head), 'p')
  redis.call('ZADD', tag .. ':ready', position and plain(ms_of(position)) or 0, aggregate)
end

local function holds(tag, command, aggregate, fence)
  return redis.call('HGET', command_key(tag, command), 'f') == fence and redis.call('LINDEX', queue_key(tag, aggregate), 0) == command
end

-- Fences rise by the server's clock, so that they rise on even when the key was lost.
local function lease_head(tag, command, aggregate, lease, ms, us)
  local fence = plain(math.max(us, tonumber(redis.call('GET', tag .. ':fence') or 0) + 1))
  redis.call('SET', tag .. ':fence', fence)
  redis.call('HSET', command_key(tag, command), 'f', fence)
  local attempt = redis.call('HINCRBY', command_key(tag, command), 'n', 1)
  redis.call('ZADD', tag .. ':ready', plain(ms + tonumber(lease)) .. '.5', aggregate)
  return fence, attempt
end

local function ended(tag, earlier)
  local position = string.match(earlier, '^(%S+)')
  return position, entry_at(tag, position)
end

-- ARGV: command, aggregate, digest, bucket of the outcome's id, JSON, expiry of the sealed request (epoch ms), sealed or '',
-- lease or '', bound per aggregate, bound in all.
register('accept', function(keys, args)
  local tag, command, aggregate, digest, bucket, json, expiry, sealed, lease = keys[1], args[1], args[2], args[3], args[4], args[5], args[6], args[7], args[8]
  local key = command_key(tag, command)
  local open = redis.call('HMGET', key, 'h', 'p')
  if open[1] then
    if open[1] == digest then return { 'open', open[2] } end
    return { 'mismatch' }
  end
  local ms, us = now()
  local earlier = known(tag, bucket, command .. '/outcome', day_of(ms))
  if earlier then
    if string.match(earlier, '^%S+ %d+ (%S+)') ~= digest then return { 'mismatch' } end
    local position, entry = ended(tag, earlier)
    return { 'finished', position, entry, redis.call('GET', tag .. ':result:' .. command) }
  end
  local queue = queue_key(tag, aggregate)
  local ahead = redis.call('LLEN', queue)
  if ahead >= tonumber(args[9]) or redis.call('ZCARD', tag .. ':open') >= tonumber(args[10]) then return { 'full' } end
  local position, version = write_next(tag, 'command/' .. command, false, '', json)
  redis.call('HSET', key, 'g', aggregate, 'h', digest, 'p', position)
  set_open(tag, position, command)
  redis.call('RPUSH', queue, command)
  if sealed ~= '' then redis.call('SET', tag .. ':sealed:' .. command, sealed, 'PXAT', expiry) end
  if ahead > 0 then return { 'accepted', position, version, ahead } end
  if lease == '' then
    redis.call('ZADD', tag .. ':ready', plain(ms_of(position)), aggregate)
    return { 'accepted', position, version, 0 }
  end
  local fence, attempt = lease_head(tag, command, aggregate, lease, ms, us)
  return { 'accepted', position, version, 0, fence, attempt }
end, {})

-- Of one claim: command, aggregate, fence, attempt, position, entry, sealed or '', then n, position and entry of each step.
local function claimed(tag, command, aggregate, fence, attempt, position, entry)
  local answer = { command, aggregate, fence, attempt, position, entry, redis.call('GET', tag .. ':sealed:' .. command) or '' }
  local fields = redis.call('HGETALL', command_key(tag, command))
  for i = 1, #fields, 2 do
    local n = string.match(fields[i], '^s(%d+)$')
    if n then
      answer[#answer + 1] = n
      answer[#answer + 1] = fields[i + 1]
      answer[#answer + 1] = entry_at(tag, fields[i + 1])
    end
  end
  return answer
end

-- ARGV: lease, limit.
register('claim', function(keys, args)
  local tag = keys[1]
  local ms, us = now()
  local answers = {}
  for _, aggregate in ipairs(redis.call('ZRANGEBYSCORE', tag .. ':ready', '-inf', plain(ms), 'LIMIT', 0, args[2])) do
    local head = redis.call('LINDEX', queue_key(tag, aggregate), 0)
    local position = head and redis.call('HGET', command_key(tag, head), 'p')
    local entry = position and entry_at(tag, position)
    if entry then
      local fence, attempt = lease_head(tag, head, aggregate, args[1], ms, us)
      answers[#answers + 1] = claimed(tag, head, aggregate, fence, attempt, position, entry)
    else
      -- The log lost what the queue still names: without its event nobody can work on it, and its queue must go on.
      if head then
        redis.call('LPOP', queue_key(tag, aggregate))
        redis.call('DEL', command_key(tag, head))
        if position then redis.call('ZREM', tag .. ':open', open_member(position, head)) end
        answers[#answers + 1] = { head }
      end
      free_next(tag, aggregate)
    end
  end
  return answers
end, { 'allow-oom' })

register('next_claimable', function(keys)
  local first = redis.call('ZRANGE', keys[1] .. ':ready', 0, 0, 'WITHSCORES')
  if not first[1] then return -1 end
  return math.ceil(math.max(0, tonumber(first[2]) - now()))
end, { 'no-writes' })

-- ARGV: command, aggregate, fence, lease.
register('renew', function(keys, args)
  local tag = keys[1]
  if not holds(tag, args[1], args[2], args[3]) then return 'lost' end
  redis.call('ZADD', tag .. ':ready', plain(now() + tonumber(args[4])) .. '.5', args[2])
  return 'renewed'
end, { 'allow-oom' })

-- ARGV: command, aggregate, fence, delay. The fence goes, so that the one who gave it back can't finish after all.
register('release', function(keys, args)
  local tag = keys[1]
  if not holds(tag, args[1], args[2], args[3]) then return 'lost' end
  redis.call('HDEL', command_key(tag, args[1]), 'f')
  redis.call('ZADD', tag .. ':ready', plain(now() + tonumber(args[4])), args[2])
  return 'released'
end, { 'allow-oom' })

-- ARGV: command, aggregate, fence, n, JSON.
register('step', function(keys, args)
  local tag, command = keys[1], args[1]
  if not holds(tag, command, args[2], args[3]) then return 'lost' end
  local key, field = command_key(tag, command), 's' .. args[4]
  if redis.call('HEXISTS', key, field) == 1 then return 'duplicate' end
  redis.call('HSET', key, field, (write_next(tag, 'command/' .. command, false, '', args[5])))
  return 'recorded'
end, { 'allow-oom' })

-- Appends the outcome and forgets the open command. The caller takes it out of its queue or its parking place.
local function close(tag, command, aggregate, bucket, json, flag, ms)
  local key = command_key(tag, command)
  local kept = redis.call('HMGET', key, 'h', 'p')
  local position, version = write_next(tag, 'command/' .. command, false, '', json)
  remember(tag, bucket, command .. '/outcome', position .. ' ' .. version .. ' ' .. kept[1] .. flag, day_of(ms))
  redis.call('ZREM', tag .. ':open', open_member(kept[2], command))
  redis.call('DEL', key, tag .. ':sealed:' .. command)
  return position, version
end

-- ARGV: command, aggregate, fence, bucket of the outcome's id, JSON, sealed result or '', how long it is kept (ms), seven of each observation.
-- The head leaves the queue in the call that appends the outcome: popped first, a crash between the two would lose the command.
register('finish', function(keys, args)
  local tag, command, aggregate = keys[1], args[1], args[2]
  local ms = now()
  local day = day_of(ms)
  local earlier = known(tag, args[4], command .. '/outcome', day)
  if earlier then
    local position, entry = ended(tag, earlier)
    return { 'duplicate', position, entry, redis.call('GET', tag .. ':result:' .. command) }
  end
  if not holds(tag, command, aggregate, args[3]) then return { 'lost' } end
  local outcome, version = close(tag, command, aggregate, args[4], args[5], '', ms)
  local last = outcome
  for i = 8, #args, 7 do last = observe_one(tag, args, i, day) or last end
  redis.call('LPOP', queue_key(tag, aggregate))
  free_next(tag, aggregate)
  if args[6] ~= '' then redis.call('SET', tag .. ':result:' .. command, args[6], 'PX', args[7]) end
  redis.call('SET', tag .. ':mark', last)
  return { 'finished', outcome, version, last }
end, { 'allow-oom' })
`;
