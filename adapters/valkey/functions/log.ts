/** Appends and observations. Plain: at `maxmemory` they are refused whole, before their first write. */
export const log = `
-- ARGV: stream, indexed, expected, term, append id, its bucket, JSON of each event.
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
  version = redis.call('HINCRBY', versions, stream, #args - 6) - #args + 6
  local text
  for i = 7, #args do
    version = version + 1
    text = tostring(version)
    position = write(tag, stream, indexed, text, '', args[i])
  end
  remember(tag, bucket, id, position .. ' ' .. text, day)
  return { 'appended', version, position }
end, {})

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
