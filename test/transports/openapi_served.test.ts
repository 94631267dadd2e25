// The document in use: served with its headers, and its samples run unchanged in the available languages.

import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { EXAMPLE_IDS } from "../../src/api/openapi/examples.ts";
import { EXAMPLE_LINK_CODE, EXAMPLE_TRANSFER_CODE } from "../../src/api/openapi/handset_examples.ts";
import { HANDSET_OPERATIONS } from "../../src/handset/handset_operations.ts";
import { mintToken, OWNER_LINK_CODE_PREFIX } from "../../src/identity/auth/bearer_authentication.ts";
import { newUuid } from "../../src/model/domain/type_ids.ts";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { GO_TIMEOUT_MS, runGo, writeGoModule } from "../support/go_modules.ts";
import { temporaryFolder } from "../support/processes.ts";
import { isMissing } from "../support/requirements.ts";
import { World } from "../support/world.ts";

type Json = Record<string, any>;

let world: World;
let listening: ListeningServer;
let url: string;
let document: Json;

beforeAll(async () => {
  const [host, port] = ["127.0.0.1", await findFreePort("127.0.0.1")];
  url = `http://${host}:${port}`;
  world = await World.open({
    settings: {
      PUBLIC_URL: url,
      WEBHOOK_ALLOW_HOSTS: "localhost",
      WEB_PUSH: "on",
      WEB_PUSH_CONTACT: "mailto:operator@example.org",
      WEB_PUSH_ALLOW_HOSTS: "localhost",
    },
  });
  listening = await listenHttp(world.service.app, { host, port });
  document = (await (await fetch(`${url}/api/v1/openapi.json`)).json()) as Json;
});
afterAll(async () => {
  await listening?.close();
  await world?.close();
});

// rules#page-views
test("each address has a limit a minute, and no client gets a copy of its own", async () => {
  const own = await World.open({ settings: { PAGE_VIEWS_PER_MINUTE: "2" }, limits: true });
  try {
    const ask = (from: string, path = "/api/v1/openapi.json") =>
      own.service.app.fetch(new Request(`${url}${path}`), from);
    const bytes = async (from: string) =>
      ((await ask(from)) as Response & { _toNodeResponse(): { body: Uint8Array } })._toNodeResponse().body;
    expect(await bytes("198.51.100.1")).toBe(await bytes("198.51.100.2"));
    expect((await ask("198.51.100.1", "/api/v1/docs")).status).toBe(200);
    const refused = await ask("198.51.100.1");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(await refused.json()).toMatchObject({ error: { type: "rate_limited" } });
    expect((await ask("198.51.100.2")).status).toBe(200);
  } finally {
    await own.close();
  }
});

describe("served", () => {
  test("to all clients, for five minutes, with a validator", async () => {
    const answer = await fetch(`${url}/api/v1/openapi.json`, { headers: { origin: "https://elsewhere.example" } });
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/json",
      "access-control-allow-origin": "*",
      "cache-control": "public, max-age=300",
    });
    const etag = answer.headers.get("etag")!;
    const again = await fetch(`${url}/api/v1/openapi.json`, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect(document.servers).toEqual([{ url }]);
  });

  test("the page with a policy that lets nothing else in, and nothing of it to other origins", async () => {
    const answer = await fetch(`${url}/api/v1/docs`);
    expect(answer.status).toBe(200);
    const policy = answer.headers.get("content-security-policy")!;
    expect(policy).toMatch(/^default-src 'none'; style-src 'self'; script-src 'sha256-[^' ]+' 'sha256-[^' ]+';/);
    expect(policy).not.toContain("unsafe");
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    const html = await answer.text();
    for (const { http } of [...OPERATIONS, ...HANDSET_OPERATIONS])
      expect(html).toContain(`id="${document.paths[http.path][http.method.toLowerCase()].operationId}"`);
  });

  test("by GET and HEAD alone", async () => {
    for (const path of ["/api/v1/openapi.json", "/api/v1/docs"]) {
      const head = await fetch(url + path, { method: "HEAD" });
      expect([head.status, await head.text()]).toEqual([200, ""]);
      const post = await fetch(url + path, { method: "POST" });
      expect([post.status, post.headers.get("allow")]).toEqual([404, "GET, HEAD"]);
    }
  });
});

/** A sample's answer; a refusal throws with the envelope's message. */
type Runner = (source: string, env: Record<string, string>) => Promise<Json | null>;

const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
const runJavaScript: Runner = async (source, env) => {
  let printed: Json | null = null;
  const console = {
    log: (value: Json) => {
      printed = value;
    },
  };
  await new AsyncFunction("env", "console", source.replace(/^import .+$/m, ""))(env, console);
  return printed;
};

const shell = promisify(execFile);
const runShell: Runner = async (source, env) => {
  const { stdout } = await shell("sh", ["-c", source], { env: { ...env, PATH: process.env.PATH } });
  const body = stdout === "" ? null : JSON.parse(stdout);
  if (body?.error) throw new Error(body.error.message);
  return body;
};

/**
 * Runs each line's program as a process of its own would: with its environment alone, under a main module of its own.
 */
const INTERPRETER = `
import contextlib, io, json, os, sys, traceback
for line in sys.stdin:
    given, out, failure = json.loads(line), io.StringIO(), None
    os.environ.clear()
    os.environ.update(given["env"])
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(given["source"], "sample", "exec"), {"__name__": "__main__"})
    except BaseException:
        failure = traceback.format_exc()
    print(json.dumps({"stdout": out.getvalue(), "failure": failure}), flush=True)
`;

/** One interpreter for all samples, since starting it and reading its library is most of what each costs. */
function startPython(): { run: Runner; stop(): void } {
  const child = spawn("python3", ["-c", INTERPRETER], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async run(source, env) {
      child.stdin.write(`${JSON.stringify({ source, env: { ...env, PATH: process.env.PATH } })}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error("the interpreter ended");
      const { stdout, failure } = JSON.parse(value);
      if (failure) throw new Error(failure);
      return stdout === "" ? null : JSON.parse(stdout);
    },
    stop: () => child.stdin.end(),
  };
}

describe("samples work unchanged", () => {
  const named = (name: string) => [...OPERATIONS, ...HANDSET_OPERATIONS].find((operation) => operation.name === name)!;
  const removes = (operations: readonly { name: string; http: { method: string } }[]) =>
    operations.filter(({ http }) => http.method === "DELETE");
  const keeps = <O extends { http: { method: string } }>(operations: readonly O[]) =>
    operations.filter(({ http }) => http.method !== "DELETE");
  /** They continue until they are stopped. */
  const streams = HANDSET_OPERATIONS.filter((operation) => operation.streams).map(({ name }) => name);
  const story = [
    ...keeps(OPERATIONS).filter((tool) => !tool.http.when && !tool.tellsReview),
    named("schedule_alert"),
    named("send_alert"),
    // A decided one is answered at once.
    ...OPERATIONS.filter(({ tellsReview }) => tellsReview),
    ...keeps(HANDSET_OPERATIONS),
    named("cancel_alert"),
    ...removes(HANDSET_OPERATIONS).filter(({ name }) => name !== "delete_device"),
    named("delete_device"),
    // The contents of a channel before the channel.
    ...removes(OPERATIONS).filter(({ name }) => name !== "delete_pusher"),
    named("delete_pusher"),
  ]
    .map(({ name }) => name)
    .filter((name) => !streams.includes(name));

  /** A code by which a handset gets its owner, as the console makes them. */
  async function ownDeviceCode(): Promise<string> {
    const user_id = newUuid();
    await world.sql(
      `insert into auth."user" (id, name, email, "emailVerified", "createdAt", "updatedAt") values (?, 'Ada', ?, true,
        now(), now())`,
      [user_id, `${user_id}@example.org`],
    );
    const { token, hash } = mintToken(OWNER_LINK_CODE_PREFIX);
    await world.sql(
      "insert into test_device (id, user_id, code_hash, expires_at) values (?, ?, ?, now() + interval '5 minutes')",
      [newUuid(), user_id, hash],
    );
    return token;
  }

  /** The sample of one operation, with the ids of this run in place of the story's. */
  function sample(name: string, language: string, ids: Map<string, string>): string {
    const { http, title } = named(name);
    const { "x-codeSamples": samples } = document.paths[http.path][http.method.toLowerCase()];
    const label = [language, `${language} · ${title}`];
    let { source } = samples.find((one: Json) => label.includes(one.label));
    for (const [example, real] of ids) source = source.replaceAll(example, real);
    return source;
  }

  async function tellStory(language: string, run: Runner) {
    expect([...story, ...streams].sort()).toEqual(
      [...OPERATIONS, ...HANDSET_OPERATIONS].map(({ name }) => name).sort(),
    );
    const env: Record<string, string> = { BELFRY_API_KEY: await world.key() };
    // A receiver and a push service have to exist; the story's do not.
    const ids = new Map([
      ["hooks.ferries.example", "localhost"],
      ["push.ferries.example", "localhost"],
    ]);
    const made: Record<string, string> = {
      create_pusher: EXAMPLE_IDS.pusher_id!,
      create_alert: EXAMPLE_IDS.alert_id!,
      create_invite: EXAMPLE_IDS.invite_id!,
      create_webhook: EXAMPLE_IDS.webhook_id!,
      test_webhook: EXAMPLE_IDS.delivery_id!,
    };
    for (const name of story) {
      if (name === "link_owner") ids.set(EXAMPLE_LINK_CODE, await ownDeviceCode());
      const answer = await run(sample(name, language, ids), env).catch((error) => {
        throw new Error(`${name}: ${error.message}`);
      });
      if (made[name]) ids.set(made[name], answer!.id);
      if (name === "create_transfer") {
        ids.set(EXAMPLE_TRANSFER_CODE, answer!.code);
        // Another handset takes over from here.
        env.BELFRY_DEVICE_TOKEN = await world.device();
      }
      if (name === "register_device") env.BELFRY_DEVICE_TOKEN = answer!.token;
    }
  }
  test.skipIf(isMissing("curl"))("a stream continues until it is stopped", async () => {
    const env = { BELFRY_DEVICE_TOKEN: await world.device() };
    const source = sample("follow_inbox", "curl", new Map()).replace("curl -sSN", "curl -sSN -m 2");
    const ended = await shell("sh", ["-c", source], { env: { ...env, PATH: process.env.PATH } }).catch(
      (error) => error,
    );
    // 28: curl's own timeout.
    expect([ended.code, ended.stdout]).toEqual([28, "event: look\ndata: {}\n\n"]);
  });
  test("JavaScript", () => tellStory("JavaScript", runJavaScript));
  test.skipIf(isMissing("curl"))("curl", () => tellStory("curl", runShell));
  test.skipIf(isMissing("python3"))("Python", async () => {
    const python = startPython();
    await tellStory("Python", python.run).finally(python.stop);
  });
});

describe.skipIf(isMissing("go"))("samples in Go", () => {
  const folder = temporaryFolder();
  const outcome = (...command: string[]) => runGo(folder.path, command);
  const FINE = { status: 0, stdout: "", stderr: "" };
  afterAll(() => folder.remove());

  test("all are formatted as Go formats, and its own check finds nothing", { timeout: GO_TIMEOUT_MS }, async () => {
    const sources = Object.values<Json>(document.paths)
      .flatMap((methods) => Object.values<Json>(methods))
      .flatMap((operation) => (operation["x-codeSamples"] ?? []).filter(({ label }: Json) => /^Go\b/.test(label)))
      .map(({ source }: Json) => `${source}\n`);
    expect(sources).toHaveLength(OPERATIONS.length + HANDSET_OPERATIONS.length);
    writeGoModule(folder.path, new Map(sources.map((source, i) => [`sample${i}/main.go`, source])));
    expect(await outcome("gofmt", "-l", ".")).toEqual(FINE);
    expect(await outcome("go", "vet", "./...")).toEqual(FINE);
  });

  test("one that reads and one that writes work unchanged", { timeout: GO_TIMEOUT_MS }, async () => {
    const env = { BELFRY_API_KEY: await world.key() };
    const handle = "written-in-go";
    for (const [name, sent] of [
      ["get_me", null],
      ["create_pusher", handle],
    ] as const) {
      const { http } = OPERATIONS.find((tool) => tool.name === name)!;
      const operation = document.paths[http.path][http.method.toLowerCase()];
      let { source } = operation["x-codeSamples"].find(({ label }: Json) => label === "Go");
      const example = operation.requestBody?.content["application/json"].example;
      if (sent) source = source.replaceAll(example.handle, sent);
      writeGoModule(folder.path, new Map([[`${name}/main.go`, source]]));
      expect(await outcome("go", "build", "-o", `${name}/run`, `./${name}`)).toEqual(FINE);
      // Not awaited in this thread: the server of its request is here.
      const { stdout } = await shell(join(folder.path, name, "run"), [], { env });
      expect(JSON.parse(stdout)).toMatchObject(
        sent ? { handle } : { workspace: { id: world.workspace.id }, credential: { type: "key" } },
      );
    }
  });
});

test("events look as documented", async () => {
  const { id } = await world.pusher();
  await world.alert(id, { send: true });
  const { event, data } = world.events.findLast((one) => one.event === "alert.sent")!;
  const { properties } = document.webhooks[event].post.requestBody.content["application/json"].schema;
  expect(Object.keys(data).sort()).toEqual(Object.keys(properties.data.properties).sort());
});
