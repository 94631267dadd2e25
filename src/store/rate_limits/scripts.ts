// The scripts that count and return a call inside Redis, and the client that carries them.
// Decides what is atomic. Must not know what a late answer means to the caller or when the cache counts as away.
import { Redis } from "ioredis";

/**
 * KEYS: the window. ARGV: max, length in milliseconds, a name for the window if this call opens it, and the time by
 * Redis's clock when the caller stops waiting: a server that hung wakes to calls that were let through long ago and
 * must not count them. Reading the clock in a script that writes needs Redis 5 or later, or Valkey.
 */
const TAKE = `
local time = redis.call("TIME")
local at = time[1] * 1000 + math.floor(time[2] / 1000)
if at > tonumber(ARGV[4]) then
  return {-1, 0, 0, "", at}
end
local left = redis.call("PTTL", KEYS[1])
local row = redis.call("HMGET", KEYS[1], "count", "id")
local count, id = tonumber(row[1]) or 0, row[2]
if left < 0 then
  redis.call("DEL", KEYS[1])
  left, count, id = tonumber(ARGV[2]), 0, ARGV[3]
end
if count >= tonumber(ARGV[1]) then
  return {0, count, left, id, at}
end
redis.call("HSET", KEYS[1], "count", count + 1, "id", id)
if count == 0 then
  redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return {1, count + 1, left, id, at}
`;

/** KEYS: the window. ARGV: the name of the window that counted the call. A window without calls is no window. */
const GIVE_BACK = `
if redis.call("HGET", KEYS[1], "id") ~= ARGV[1] then
  return 0
end
if redis.call("HINCRBY", KEYS[1], "count", -1) <= 0 then
  redis.call("DEL", KEYS[1])
end
return 1
`;

/**
 * KEYS: the window. ARGV: how many calls were let through without being counted, the milliseconds that a window which
 * they open still has, and its name. More than the ceiling allows may come together: then nothing is left of the window.
 */
const COUNT_LATE = `
if redis.call("PTTL", KEYS[1]) < 0 then
  redis.call("DEL", KEYS[1])
  redis.call("HSET", KEYS[1], "count", ARGV[1], "id", ARGV[3])
  redis.call("PEXPIRE", KEYS[1], ARGV[2])
else
  redis.call("HINCRBY", KEYS[1], "count", ARGV[1])
end
return 1
`;

/** -1 too late, 0 refused, 1 counted; then the count, the milliseconds left, the window's name and Redis's clock. */
export type TakeReply = [-1 | 0 | 1, number, number, string, number];

export type Scripted = Redis & {
  takeCall(key: string, max: number, ms: number, id: string, until: number): Promise<TakeReply>;
  giveCallBack(key: string, id: string): Promise<0 | 1>;
  countLate(key: string, calls: number, ms: number, id: string): Promise<1>;
};

/** A client that never queues, never repeats a command (it would count twice), and tries again for ever, each time after `pause` ms. */
export function connect(url: string, pause: () => number): Scripted {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2000,
    disconnectTimeout: 50,
    retryStrategy: pause,
    // A fail-over leaves us on a replica: the address may lead to the new primary by now.
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
    // Both would wait on a hung server before "ready", without a bound; our own question on "ready" has one.
    enableReadyCheck: false,
    disableClientInfo: true,
  });
  redis.defineCommand("takeCall", { numberOfKeys: 1, lua: TAKE });
  redis.defineCommand("countLate", { numberOfKeys: 1, lua: COUNT_LATE });
  redis.defineCommand("giveCallBack", { numberOfKeys: 1, lua: GIVE_BACK });
  return redis as Scripted;
}
