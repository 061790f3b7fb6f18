/** Appends and observations. Plain: at `maxmemory` they are refused whole, before their first write. */
export const log = `
-- ARGV: stream, indexed, expected, term, append id, its bucket, JSON of each event. Answers '<position> <version>', what the id is kept with.
-- The id comes first: a repeat after a lost reply would look like a conflict otherwise.
register('append', function(keys, args)
  local tag, stream, indexed, expected, term, id, bucket = keys[1], args[1], args[2] == '1', args[3], args[4], args[5], args[6]
  local day = today()
  local earlier = known(tag, bucket, id, day)
  if earlier then
    local position, version = string.match(earlier, '^(%S+) (%d+)')
    return { 'duplicate', tonumber(version), position }
  end
  local newest = superseded(tag, term)
  if newest then return { 'superseded', newest } end
  local versions = tag .. ':versions'
  local version, position
  if expected ~= 'any' then
    version = tonumber(redis.call('HGET', versions, stream) or 0)
    local met = (expected == 'none' and version == 0) or (expected == 'exists' and version > 0) or tonumber(expected) == version
    if not met then return { 'conflict', version } end
  end
  raise_term(tag, term)
  local count = #args - 6
  version = redis.call('HINCRBY', versions, stream, count == 1 and '1' or count) - count
  local text
  for i = 7, #args do
    version = version + 1
    text = tostring(version)
    position = write(tag, stream, indexed, text, '', args[i])
  end
  local answer = position .. ' ' .. text
  remember(tag, bucket, id, answer, day)
  return answer
end, {})

-- ARGV: stream, version, limit. Positions of its events after that version, oldest first. Versions have no gaps, so the last one's and the
-- number of positions tell where each lies: a list costs a fifth of a sorted set's memory and an append to it half the time.
register('positions_after', function(keys, args)
  local tag, stream = keys[1], args[1]
  local positions = tag .. ':positions:' .. stream
  local last = tonumber(redis.call('HGET', tag .. ':versions', stream) or 0)
  local trimmed = last - redis.call('LLEN', positions)
  local from = math.max(tonumber(args[2]) - trimmed, 0)
  return redis.call('LRANGE', positions, from, from + tonumber(args[3]) - 1)
end, { 'no-writes' })

-- ARGV: term, then seven of each observation.
register('observe', function(keys, args)
  local tag, term = keys[1], args[1]
  local newest = superseded(tag, term)
  if newest then return { 'superseded', newest } end
  raise_term(tag, term)
  local day = today()
  local answers = { 'observed' }
  for i = 2, #args, 7 do
    local position, version = observe_one(tag, args, i, day)
    answers[#answers + 1] = position or ''
    answers[#answers + 1] = version or 0
  end
  return answers
end, {})
`;
