// Real programs, unchanged, with a service on a socket: the command lines of ntfy and Gotify, Apprise with its plugins
// for both, and shoutrrr. Each publishes, and exits with an error when its key is wrong.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { isSenderMissing } from "../support/requirements.ts";
import { World } from "../support/world.ts";

const run = promisify(execFile);
const HOST = "localhost";
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==";
/** Another name of this machine, with ntfy's API at its root. */
const NTFY_HOST = "127.0.0.1";

let world: World;
let listening: ListeningServer;
let home: string;
let port: number;
let channel: { id: string; handle: string };
let key: string;

beforeAll(async () => {
  port = await findFreePort(NTFY_HOST);
  world = await World.open({ settings: { PUBLIC_URL: `http://${HOST}:${port}`, NTFY_HOST } });
  listening = await listenHttp(world.service.app, {
    host: NTFY_HOST,
    port,
    shutdownDelayMs: 0,
    trustedProxies: [],
    maxConnectionsPerIp: 100,
  });
  channel = await world.pusher();
  key = await world.key({ scopes: "alerts:write,alerts:send", pusher: channel.id });
  home = mkdtempSync(join(tmpdir(), "belfry-senders-"));
  writeFileSync(join(home, "log.txt"), "a line\n");
  writeFileSync(join(home, "picture.png"), Buffer.from(PNG, "base64"));
});
afterAll(async () => {
  if (home) rmSync(home, { recursive: true, force: true });
  await listening?.close();
  await world?.close();
});

const at = (path = "") => `http://${HOST}:${port}${path}`;

/** Apprise waits four seconds for a response unless a longer time is configured. */
const PATIENT = "cto=60&rto=60";

/** Program → its arguments for a title, a text and a key. */
const PROGRAMS: [program: string, name: string, args: (secret: string) => string[], alert: object][] = [
  [
    "ntfy",
    "at a channel's address",
    (secret) => [
      "publish",
      "--token",
      secret,
      "--title",
      "T",
      "--priority",
      "high",
      "--tags",
      "tada",
      at(`/ntfy/${channel.handle}`),
      "m",
    ],
    { title: "🎉 T", body: "m", priority: "important" },
  ],
  [
    "ntfy",
    "with a user",
    (secret) => ["publish", "--user", `me:${secret}`, "--title", "T", at(`/ntfy/${channel.handle}`), "m"],
    { title: "T", body: "m" },
  ],
  [
    "gotify",
    "with extras",
    (secret) => [
      "push",
      "--url",
      at("/gotify"),
      "--token",
      secret,
      "--title",
      "T",
      "--priority",
      "10",
      "--contentType",
      "text/markdown",
      "--clickUrl",
      "https://example.org/c",
      "**m**",
    ],
    { title: "T", priority: "urgent", layout: "html", source_url: "https://example.org/c" },
  ],
  [
    "apprise",
    "to ntfy's root",
    (secret) => [
      "-t",
      "T",
      "-b",
      "m",
      `ntfy://${secret}@${NTFY_HOST}:${port}/${channel.handle}?auth=token&priority=high&tags=tada&${PATIENT}`,
    ],
    { title: "🎉 T", body: "m", priority: "important" },
  ],
  [
    "apprise",
    "to Gotify",
    (secret) => ["-t", "T", "-b", "m", `gotify://${HOST}:${port}/gotify/${secret}?priority=high&${PATIENT}`],
    { title: "T", body: "m", priority: "important" },
  ],
  ...(["json", "form", "xml"] as const).map((scheme): (typeof PROGRAMS)[number] => [
    "apprise",
    `as ${scheme}:// with a picture behind a log`,
    (secret) => [
      ...["-t", "Größe", "-b", "first\nsecond & <b>", "-n", "warning"],
      ...["--attach", join(home, "log.txt"), "--attach", join(home, "picture.png")],
      `${scheme}://me:${secret}@${HOST}:${port}/api/v1/pushers/${channel.handle}/ingest?${PATIENT}`,
    ],
    {
      ...{ title: "Größe", body: "first\nsecond & <b>", priority: "important" },
      image_asset_id: expect.stringMatching(/^ast_/),
    },
  ]),
  [
    "apprise",
    "as form:// without a file",
    (secret) => [
      ...["-t", "T", "-b", "a=1&b=2 +3"],
      `form://me:${secret}@${HOST}:${port}/api/v1/pushers/${channel.handle}/ingest?${PATIENT}`,
    ],
    { title: "T", body: "a=1&b=2 +3", priority: "normal", image_asset_id: null },
  ],
  [
    "shoutrrr",
    "as a text of its generic service, which declares it as JSON",
    (secret) => [
      ...["send", "-m", "plain text", "-u"],
      `generic://${HOST}:${port}/api/v1/pushers/${channel.handle}/ingest?disabletls=yes&token=${secret}`,
    ],
    { title: "plain text" },
  ],
  [
    "shoutrrr",
    "as JSON of its generic service",
    (secret) => [
      ...["send", "-t", "T", "-m", "m", "-u"],
      `generic://${HOST}:${port}/api/v1/pushers/${channel.handle}/ingest?disabletls=yes&template=json` +
        `&@authorization=Bearer+${secret}&$severity=critical&titlekey=subject&messagekey=text`,
    ],
    { title: "T", body: "m", priority: "urgent" },
  ],
  [
    "shoutrrr",
    "to ntfy",
    (secret) => [
      "send",
      "-u",
      `ntfy://:${secret}@${HOST}:${port}/ntfy/${channel.handle}?scheme=http&title=T`,
      "-m",
      "m",
    ],
    { title: "T", body: "m" },
  ],
];

for (const [program, name, args, alert] of PROGRAMS)
  test.skipIf(isSenderMissing(program))(`${program} ${name}`, async () => {
    // Standard input is closed, since two of them would read it.
    const start = (secret: string) => {
      const started = run(program, args(secret), { env: { PATH: process.env.PATH ?? "", HOME: home } });
      started.child.stdin?.end();
      return started;
    };
    await start(key);
    const [newest] = (await world.rest("list_alerts", { pusher_id: channel.id, limit: 1 })).body.data;
    expect(newest).toMatchObject({ status: "sent", ...alert });
    await expect(start("bfk_wrong")).rejects.toMatchObject({ code: expect.any(Number) });
    expect((await world.rest("list_alerts", { pusher_id: channel.id, limit: 1 })).body.data[0].id).toBe(newest.id);
  });
