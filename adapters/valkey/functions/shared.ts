/** What all functions share. Everything here is local to the library: two releases on one server never see each other's. */
export const shared = `
-- Numbers beyond 14 digits would be written as 1.7e+15.
local function plain(number) return string.format('%.0f', number) end

local function now()
  local time = frozen or redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000), tonumber(time[1]) * 1000000 + tonumber(time[2])
end

local function day_of(ms) return math.floor(ms / 86400000) end

local function today() return math.floor((frozen or redis.call('TIME'))[1] / 86400) end

-- Names of keys that every append touches, made once a day: putting them together each time costs as much as a command.
local names = {}
local function names_of(tag, day)
  if names.tag ~= tag or names.day ~= day then
    names = {
      tag = tag,
      day = day,
      log = tag .. ':log',
      versions = tag .. ':versions',
      ids = tag .. ':ids:' .. day .. ':',
      yesterday = tag .. ':ids:' .. (day - 1) .. ':',
    }
  end
  return names
end

-- Ids lie in small hashes by day: today's and yesterday's are looked up.
local function known(tag, bucket, id, day)
  local of = names_of(tag, day)
  return redis.call('HGET', of.ids .. bucket, id) or redis.call('HGET', of.yesterday .. bucket, id)
end

-- Without an expiry of its own: setting one would cost every append a call. Whole days are unlinked by forget_ids.
local function remember(tag, bucket, id, value, day) redis.call('HSET', names_of(tag, day).ids .. bucket, id, value) end

local function superseded(tag, term)
  if term == '' then return nil end
  local newest = tonumber(redis.call('GET', tag .. ':term') or 0)
  if tonumber(term) < newest then return newest end
  return nil
end

local function raise_term(tag, term)
  if term ~= '' and tonumber(term) > tonumber(redis.call('GET', tag .. ':term') or 0) then redis.call('SET', tag .. ':term', term) end
end

-- Writes one event and gives its position. The caller has made every check, and keeps the version.
local function write(tag, stream, indexed, version, mark, json)
  local position = redis.call('XADD', tag .. ':log', '*', 'e', version .. mark .. json)
  if indexed then redis.call('RPUSH', tag .. ':positions:' .. stream, position) end
  return position
end

local function write_next(tag, stream, indexed, mark, json)
  local version = redis.call('HINCRBY', tag .. ':versions', stream, 1)
  return write(tag, stream, indexed, version, mark, json), version
end

local function entry_at(tag, position)
  local found = redis.call('XRANGE', tag .. ':log', position, position)
  return found[1] and found[1][2][2] or false
end

local function ms_of(position) return tonumber(string.match(position, '^(%d+)')) end

-- Positions are compared by their numbers, never as text.
local function before(a, b)
  local am, as = string.match(a, '^(%d+)-(%d+)$')
  local bm, bs = string.match(b, '^(%d+)-(%d+)$')
  if am ~= bm then return tonumber(am) < tonumber(bm) end
  return tonumber(as) < tonumber(bs)
end

-- resourceVersions are whole numbers that may be longer than a double is exact.
local function newer(a, b)
  if #a ~= #b then return #a > #b end
  return a > b
end

-- One observation is seven arguments from i on: stream, indexed, uid, resourceVersion, gone, bucket of the tombstone, JSON.
local function observe_one(tag, args, i, day)
  local stream, indexed, uid, version_seen, gone, bucket, json = args[i], args[i + 1] == '1', args[i + 2], args[i + 3], args[i + 4] == '1', args[i + 5], args[i + 6]
  local tombstone = 'gone/' .. uid
  if known(tag, bucket, tombstone, day) then return nil end
  local last = redis.call('HGET', tag .. ':seen', uid)
  if last and not gone and not newer(version_seen, last) then return nil end
  local position, version = write_next(tag, stream, indexed, gone and '!' or '', json)
  if gone then
    remember(tag, bucket, tombstone, position, day)
    redis.call('HDEL', tag .. ':seen', uid)
  else
    redis.call('HSET', tag .. ':seen', uid, version_seen)
  end
  return position, version
end
`;
