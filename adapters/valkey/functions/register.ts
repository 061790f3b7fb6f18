/** How parts register their functions, under names with `prefix`. */
export const register = (prefix: string): string => `
local handlers = {}
-- The server's time while several calls run as one; nil otherwise, so that a call that was killed leaves no stopped clock behind.
local frozen = nil

local function register(name, callback, flags)
  handlers[name] = callback
  redis.register_function {
    function_name = '${prefix}' .. name,
    callback = function(keys, args)
      frozen = nil
      return callback(keys, args)
    end,
    flags = flags,
  }
end`;

/**
 * Several calls in one, each as if it had come alone: what a function costs before its first line is more than an append costs.
 * One that fails answers with its error and stops no other. Once for calls that may be refused at \`maxmemory\`, once for those that may not.
 */
export const together = `
-- ARGV: of each call its name, the number of its arguments, and these.
local function run_together(keys, args)
  local time = redis.call('TIME')
  local answers, i, last = {}, 1, #args
  while i <= last do
    local count = tonumber(args[i + 1])
    local own = { unpack(args, i + 2, i + 1 + count) }
    frozen = time
    local ok, answer = pcall(handlers[args[i]], keys, own)
    if not ok then answer = { err = type(answer) == 'table' and answer.err or 'ERR ' .. tostring(answer) } end
    answers[#answers + 1] = answer
    i = i + 2 + count
  end
  return answers
end
register('together', run_together, {})
register('together_at_maxmemory', run_together, { 'allow-oom' })
`;
