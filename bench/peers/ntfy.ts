// ntfy in a comparable configuration. Messages are in a file, and written before the response, which is its default
// with a file. It has tokens, and no effective limits per visitor.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { findFreePort } from "../../src/program/boot/http_server.ts";
import { ALERT_ARGUMENTS, bearer } from "../case_requests.ts";
import type { HttpLoad } from "../load_generators.ts";
import { WRITTEN_CHANNELS } from "../seed_database.ts";
import { type Contender, inboxRequest, MESSAGE_TEXT, postText } from "./contenders.ts";
import { startProgram } from "./peer_program.ts";

const READ = "bench_read";
const WATCHED = "bench_watched";

export async function startNtfy(file: string, folder: string) {
  const port = await findFreePort("127.0.0.1");
  const env = {
    NTFY_LISTEN_HTTP: `127.0.0.1:${port}`,
    NTFY_CACHE_FILE: join(folder, "cache.db"),
    NTFY_AUTH_FILE: join(folder, "auth.db"),
    NTFY_AUTH_DEFAULT_ACCESS: "deny-all",
    NTFY_VISITOR_REQUEST_LIMIT_EXEMPT_HOSTS: "127.0.0.1",
    NTFY_VISITOR_SUBSCRIPTION_LIMIT: "100000",
    NTFY_PASSWORD: "bench",
  };
  const program = await startProgram(file, ["serve"], { port, folder, env });
  try {
    const run = (...args: string[]) =>
      execFileSync("sh", ["-c", '"$0" "$@" 2>&1', file, ...args], { cwd: folder, env: { ...env, HOME: folder } });
    run("user", "add", "--role=admin", "bench");
    const token = /\btk_\w+/.exec(String(run("token", "add", "bench")))![0];
    const { url } = program.target;
    const publish = (topic: string, title: string) =>
      postText(`${url}/${topic}`, { ...bearer(token), title }, MESSAGE_TEXT);
    let last = "";
    for (let i = 0; i < 50; i++) last = JSON.parse(await publish(READ, `Alert ${i}`)).id;
    const http = (requests: HttpLoad["requests"], verify?: HttpLoad["verify"]) => (): HttpLoad => ({
      ...{ kind: "http", target: program.target, status: 200, mayRefuse: true, requests },
      ...(verify ? { verify } : {}),
    });
    const polls = (since: string) => [{ path: `/${READ}/json?poll=1&since=${since}`, headers: bearer(token) }];
    const contender: Contender = {
      name: "ntfy",
      works: {
        send: http((connection) =>
          Array.from({ length: WRITTEN_CHANNELS.count }, (_, i) => ({
            method: "POST",
            path: `/bench_${(i + connection) % WRITTEN_CHANNELS.count}`,
            headers: { ...bearer(token), title: ALERT_ARGUMENTS.title },
            body: ALERT_ARGUMENTS.body,
          })),
        ),
        inbox: http(
          () => polls("all"),
          (body) => body.trimEnd().split("\n").length === 50,
        ),
        unchanged: http(
          () => polls(last),
          (body) => body === "",
        ),
      },
      databaseCpu: async () => null,
      open: {
        target: program.target,
        ask: () => inboxRequest(`/${WATCHED}/json`, bearer(token)),
        send: async (title) => void (await publish(WATCHED, title)),
      },
    };
    return { contender, stop: program.stop };
  } catch (error) {
    await program.stop();
    throw error;
  }
}
