// Secrets of settings in the output of commands and of a start: a marker in each of them appears nowhere.

import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findFreePort } from "../../src/program/boot/http_server.ts";
import { SETTINGS } from "../../src/store/config/all_settings.ts";
import { redactDatabaseUrl, validateDatabaseUrl } from "../../src/store/config/database_url.ts";
import { runBelfry, runBelfryShared, startServer, temporaryFolder } from "../support/processes.ts";
import { freshDatabase } from "../support/world.ts";

const MARKER = "CanaryQ7";
const folder = temporaryFolder();
let database: Awaited<ReturnType<typeof freshDatabase>>;
let closedPort: number;
beforeAll(async () => {
  database = await freshDatabase({ empty: true });
  closedPort = await findFreePort("127.0.0.1");
});
afterAll(async () => {
  folder.remove();
  await database.remove();
});

function withMarker(url: string): string {
  return Object.assign(new URL(url), { password: MARKER }).href;
}

/** Valid values of all secret settings, in which nothing but the database responds. */
function secretSettings(): Record<string, string> {
  const { DATABASE_URL = "", DATA_DIR = "" } = database.settings;
  const closed = `127.0.0.1:${closedPort}`;
  return {
    DATA_DIR,
    SECRET: `${MARKER}-at-least-32-bytes-of-a-test-secret`,
    DATABASE_URL: withMarker(DATABASE_URL),
    DATABASE_LISTEN_URL: withMarker(DATABASE_URL),
    DATABASE_READ_URLS: `postgresql://belfry:${MARKER}@${closed}/belfry`,
    MESSAGE_BUS_URL: `redis://:${MARKER}@${closed}`,
    REDIS_URL: `redis://user:${MARKER}@${closed}`,
    SMTP_URL: `smtp://user:${MARKER}@${closed}`,
    OIDC_ISSUER: `http://${closed}`,
    OIDC_CLIENT_ID: "belfry",
    OIDC_CLIENT_SECRET: MARKER,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://${closed}`,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${MARKER}`,
    BACKUP_TARGET: "s3://backups/belfry",
    ...Object.fromEntries(
      ["ASSETS", "BACKUP"].flatMap((store) => [
        [`${store}_S3_ENDPOINT`, `http://${closed}`],
        [`${store}_S3_REGION`, "auto"],
        [`${store}_S3_ACCESS_KEY_ID`, MARKER],
        [`${store}_S3_SECRET_ACCESS_KEY`, MARKER],
      ]),
    ),
    ASSETS_S3_BUCKET: "files",
  };
}

const SECRETS = Object.values(SETTINGS)
  .filter((setting) => "secret" in setting && setting.secret === true)
  .map(({ name }) => name);

// rules#displayed-secrets
test("status and doctor show no secret, with valid and with invalid settings", async () => {
  const settings = secretSettings();
  expect(SECRETS.filter((name) => !settings[name]?.includes(MARKER))).toEqual([]);
  const status = await runBelfryShared(["status"], settings);
  expect(status.json.DATABASE_URL).toMatch(/^postgresql:\/\/[^:@]+:\*\*\*@/);
  const outputs = [status, await runBelfryShared(["status", "--json"], settings)];
  outputs.push(await runBelfryShared(["doctor"], settings));
  const invalid = Object.fromEntries(SECRETS.map((name) => [name, `"${MARKER}"`]));
  for (const command of ["status", "doctor"])
    outputs.push(await runBelfryShared([command], { ...settings, ...invalid }));
  for (const { stdout, stderr } of outputs) {
    expect(stdout + stderr).not.toBe("");
    expect(stdout + stderr).not.toContain(MARKER);
  }
});

// rules#displayed-secrets
test("a start logs no secret while its services do not respond", async () => {
  const settings = { ...secretSettings(), LOG_LEVEL: "debug" };
  const { DATABASE_URL = "" } = database.settings;
  // The server of the tests accepts any password, unless it is named with one.
  if (new URL(DATABASE_URL).password) Object.assign(settings, { DATABASE_URL, DATABASE_LISTEN_URL: DATABASE_URL });
  const server = await startServer(join(folder.path, "served"), { settings });
  await fetch(`${server.url}/readyz`);
  await server.stop();
  expect(server.log()).toContain('"msg":"stopped"');
  expect(server.log()).not.toContain(MARKER);
});

// rules#displayed-secrets
test("a start that fails prints no secret", async () => {
  const settings = secretSettings();
  for (const url of [
    `postgresql://belfry:${MARKER}/x@127.0.0.1/belfry`,
    `postgresql://belfry:1/${MARKER}@127.0.0.1/belfry`,
    `postgresql://belfry:%zz${MARKER}@127.0.0.1/belfry`,
  ])
    for (const name of ["DATABASE_URL", "DATABASE_READ_URLS", "DATABASE_LISTEN_URL"]) {
      const { code, stdout, stderr } = await runBelfryShared(["status"], { ...settings, [name]: url });
      if (name !== "DATABASE_READ_URLS") expect({ name, code }).not.toEqual({ name, code: 0 });
      expect(stdout + stderr).not.toContain(MARKER);
      expect(() => validateDatabaseUrl(url, name)).toThrow(new RegExp(`^${name} must `));
    }
  const { code, stdout, stderr } = await runBelfry(["serve"], {
    ...settings,
    DATABASE_READ_URLS: `postgresql://belfry:1/${MARKER}@127.0.0.1/belfry`,
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^belfry: DATABASE_READ_URLS must percent-encode/);
});

// rules#displayed-secrets
test.each([
  ["postgresql://belfry:secret@10.0.0.5/belfry", "postgresql://belfry:***@10.0.0.5/belfry"],
  ["postgresql://belfry:a@b:c@10.0.0.5,10.0.0.6:5433/x", "postgresql://belfry:***@10.0.0.5,10.0.0.6:5433/x"],
  ["postgres://belfry@%2Fvar%2Frun%2Fpostgresql/belfry", "postgres://belfry@%2Fvar%2Frun%2Fpostgresql/belfry"],
  ["postgresql://[::1]:5432/belfry", "postgresql://[::1]:5432/belfry"],
  [
    "postgresql://belfry:s@h/x?sslmode=verify-full&sslrootcert=/etc/ca.pem&password=s&sslpassword=s",
    "postgresql://belfry:***@h/x?sslmode=verify-full&sslrootcert=/etc/ca.pem&password=***&sslpassword=***",
  ],
  ["postgresql://belfry:s@h/x?sslmode=require#s", "postgresql://belfry:***@h/x?sslmode=require"],
  ["postgres://u:p@h/db?password=ab@cd", "***"],
  ["not a url with secret", "***"],
])("%s is shown without its password", (url, shown) => {
  expect(redactDatabaseUrl(url)).toBe(shown);
});
