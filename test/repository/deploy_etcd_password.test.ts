// The program that sets etcd's password, with several addresses: a member that does not answer, one without a leader,
// and one that works.

import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { findFreePort } from "../../src/program/boot/http_server.ts";
import { runProgram } from "../support/processes.ts";
import { isMissing } from "../support/requirements.ts";

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answer =
  (status: number, message?: string): Parameters<typeof listen>[0] =>
  (_request, response) =>
    response.writeHead(status).end(JSON.stringify({ message }));

const run = (hosts: string) =>
  runProgram("python3", ["deploy/patroni/etcd_password.py"], {
    PATRONI_ETCD3_HOSTS: hosts,
    PATRONI_ETCD3_USERNAME: "root",
    PATRONI_ETCD3_PASSWORD: "long enough",
  });

test.skipIf(isMissing("python3"))("the password is set at the first etcd that answers", async () => {
  const calls: string[] = [];
  let enabled = false;
  const etcd = await listen((request, response) => {
    const [, path] = /^\/v3\/auth\/(.+)$/.exec(request.url!)!;
    calls.push(path!);
    const isRefused = path === "authenticate" && !enabled;
    if (path === "enable") enabled = true;
    answer(isRefused ? 400 : 200, isRefused ? "etcdserver: authentication is not enabled" : undefined)(
      request,
      response,
    );
  });
  const leaderless = await listen(answer(503, "etcdserver: no leader"));
  const closed = `127.0.0.1:${await findFreePort("127.0.0.1")}`;
  // Patroni also accepts quotes.
  expect(await run(`'${closed}', '${leaderless}','${etcd}'`)).toMatchObject({ code: 0, stderr: "" });
  expect(calls).toEqual(["authenticate", "role/add", "user/add", "user/grant", "enable", "authenticate"]);
});

test.skipIf(isMissing("python3"))("another password is refused, and the node does not start", async () => {
  const closed = `127.0.0.1:${await findFreePort("127.0.0.1")}`;
  const etcd = await listen(answer(400, "etcdserver: authentication failed, invalid user ID or password"));
  const { code, stderr } = await run(`${closed},${etcd}`);
  expect({ code, stderr: stderr.trim() }).toEqual({
    code: 1,
    stderr:
      "etcd: etcdserver: authentication failed, invalid user ID or password. " +
      "ETCD_PASSWORD must be the one of the first start.",
  });
});
