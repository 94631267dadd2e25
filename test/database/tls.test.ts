// TLS to a database by URL, by its sslmode: encrypted where it is required, and refused where it is unavailable.

import { execFileSync } from "node:child_process";
import { chownSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openServiceWithoutListening } from "../../src/program/boot/service.ts";
import { parseTlsOptions } from "../../src/store/config/database_url.ts";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import { ConfigError } from "../../src/store/config/setting_types.ts";
import { startLongPoll } from "../support/long_polls.ts";
import { isMissing, lacksReplicaPostgres } from "../support/requirements.ts";
import { openPrimaryServer } from "../support/standbys.ts";
import { waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

const cannot = [lacksReplicaPostgres(), isMissing("openssl")].some(Boolean);

describe.skipIf(cannot)("a database that speaks TLS", () => {
  let servers: Awaited<ReturnType<typeof openPrimaryServer>>;
  let authority = "";
  let world: World;

  const urlAt = (host: string, query: string) => {
    const url = new URL(servers.primary.urlOf("belfry"));
    url.hostname = host;
    return `${url.href}?${query}`;
  };
  const refused = async (url: string) =>
    openServiceWithoutListening(loadConfig({ DATABASE_URL: url, SECRET: "x".repeat(32), LOG_LEVEL: "silent" })).catch(
      (error) => error,
    );

  beforeAll(async () => {
    servers = await openPrimaryServer();
    const { primary } = servers;
    authority = join(primary.folder, "server.crt");
    const key = join(primary.folder, "server.key");
    const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
    execFileSync("openssl", [...made, "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", authority], {
      stdio: "ignore",
    });
    const { uid, gid } = statSync(primary.folder);
    for (const file of [authority, key]) chownSync(file, uid, gid);
    await primary.stop();
    await primary.start("ssl=on");
    await primary.client("createdb", "belfry");
    world = await World.open({ settings: { DATABASE_URL: urlAt("localhost", "sslmode=require") } });
  });
  afterAll(async () => {
    await world?.close();
    await servers?.remove();
  });

  const encrypted = async (at: World) => {
    const rows = await at.sql("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
    return rows[0].ssl;
  };

  // rules#database-tls
  test("every connection, including the one that listens", async () => {
    const { handle } = await world.pusher();
    const device = await world.device(handle);
    const etag = (await world.handset("GET", "/inbox", device)).headers.get("etag")!;
    const held = startLongPoll(world, device, etag);
    await held.held();
    const open = () =>
      world.sql(
        "select ssl, query like 'listen%' as listens from pg_stat_ssl join pg_stat_activity using (pid) where " +
          "datname = 'belfry'",
      );
    await waitUntil(async () => (await open()).some(({ listens }: { listens: boolean }) => listens));
    expect((await open()).map(({ ssl }: { ssl: boolean }) => ssl)).not.toContain(false);
    held.leave();
    await held.answer.catch(() => {});
  });

  // rules#database-tls
  test.each([
    ["require", "127.0.0.1", true],
    ["verify-ca", "127.0.0.1", true],
    ["verify-full", "localhost", true],
    ["disable", "localhost", false],
  ])("sslmode=%s at %s", async (mode, host, wanted) => {
    const authorities = mode.startsWith("verify") ? `&sslrootcert=${encodeURIComponent(authority)}` : "";
    const other = await world.replica({ DATABASE_URL: urlAt(host, `sslmode=${mode}${authorities}`) });
    expect(await encrypted(other)).toBe(wanted);
    await other.leave();
  });

  // rules#database-tls
  test.each([
    ["an unknown authority", () => urlAt("localhost", "sslmode=verify-full"), /certificate/],
    [
      "another name than the certificate's",
      () => urlAt("127.0.0.1", `sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`),
      /certificate/,
    ],
  ])("%s ends the start, with a message without the address", async (_, url, words) => {
    const error = await refused(url());
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toMatch(words);
    expect(error.message).not.toContain("127.0.0.1");
  });

  // rules#database-tls
  test("a server without it also ends the start", async () => {
    await world.leave();
    await servers.primary.stop();
    await servers.primary.start("ssl=off");
    const error = await refused(urlAt("127.0.0.1", "sslmode=require"));
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toMatch(/does not support TLS/);
  });
});

test("a unix socket has no TLS, with any PGSSLMODE", () => {
  expect(parseTlsOptions("postgresql://belfry@%2Fvar%2Frun%2Fpostgresql:5432/belfry")).toEqual({ ssl: false });
  expect(parseTlsOptions("postgresql://belfry@db.example.org/belfry")).toEqual({});
});

// rules#database-tls
test.each([
  ["prefer is unencrypted", "sslmode=prefer", /set sslmode to one of/],
  ["an authority without verification", "sslmode=require&sslrootcert=/dev/null", /verify/],
  ["a misspelt mode", "sslmod=verify-full", /unsupported or repeated TLS parameter.*Use sslmode/],
  ["a mode in capitals", "SSLMODE=require", /unsupported or repeated TLS parameter/],
  ["two modes", "sslmode=disable&sslmode=verify-full", /unsupported or repeated TLS parameter/],
  ["a certificate of the client", "sslmode=require&sslcert=/nope/c.pem", /unsupported or repeated TLS parameter/],
  ["a file that is not there", "sslmode=verify-full&sslrootcert=/nowhere/at/all", /cannot be read: \/nowhere\/at\/all/],
])("%s: refused by the setting's name", (_, query, words) => {
  const read = () => loadConfig({ DATABASE_URL: `postgresql://127.0.0.1/x?${query}`, SECRET: "x".repeat(32) });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(words);
});
