// A real redis-server for tests, on a free port, to be killed, stopped and resumed. Knows nothing of what is tested.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { waitUntilListening } from "./external_servers.ts";

export interface RedisServer {
  url: string;
  port: number;
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  kill(): Promise<void>;
}

/** Starts a server that keeps nothing on disk; resolves once it accepts connections. */
export async function startRedis(port: number, ...settings: string[]): Promise<RedisServer> {
  const fixed = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const child = spawn("redis-server", [...fixed, ...settings], { stdio: "ignore" });
  const ended = once(child, "exit");
  await waitUntilListening(port, child, () => `redis-server does not listen on ${port}`);
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    signal: (name) => child.kill(name),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
