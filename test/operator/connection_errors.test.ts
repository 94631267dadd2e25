// Commands and belfry doctor without a connection. Wrong certificates, http instead of https and unknown host names
// have messages of their own.

import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkPublicUrlReachable } from "../../src/identity/operator/public_address_checks.ts";
import { explainTlsOrHostNameError } from "../../src/model/connection_error_messages.ts";
import { findFreePort } from "../../src/program/boot/http_server.ts";
import { createCertificate } from "../support/loopback_receivers.ts";
import { runBelfry, runBelfryShared, temporaryFolder } from "../support/processes.ts";
import { isMissing } from "../support/requirements.ts";

const folder = temporaryFolder();
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  folder.remove();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const settingsOf = (url: string, more: Record<string, string> = {}) => ({
  BELFRY_URL: url,
  DATA_DIR: join(folder.path, "none"),
  XDG_STATE_HOME: join(folder.path, "state"),
  ...more,
});
const withKey = (url: string) => settingsOf(url, { BELFRY_API_KEY: "key" });

/** The commands that send requests, one for each kind of client code. */
const COMMANDS = [["send", "x", "t"], ["get-me"], ["login"]];

describe.skipIf(isMissing("openssl"))("a server with a certificate of its own", () => {
  let url: string;
  let authority: string;
  beforeAll(async () => {
    const { key, cert } = createCertificate("localhost");
    authority = join(folder.path, "authority.pem");
    writeFileSync(authority, cert);
    const port = await listen(createTlsServer({ key, cert }, (_, response) => response.writeHead(404).end()));
    url = `https://localhost:${port}`;
  });

  // rules#cli-lost-answer
  test.each(COMMANDS.map((args) => [args.join(" "), args] as const))("belfry %s names its setting", async (_, args) => {
    const { code, refusal } = await runBelfryShared([...args], args[0] === "login" ? settingsOf(url) : withKey(url));
    expect({ code, error: refusal.error.code }).toEqual({ code: 1, error: "server_unreachable" });
    expect(refusal.error.message).toMatch(
      /^The certificate of localhost:\d+ is not trusted by this machine \(\w+\)\. Set NODE_EXTRA_CA_CERTS to /,
    );
  });

  test("with NODE_EXTRA_CA_CERTS the request is sent, but not to another host name", async () => {
    const send = async (to: string) => {
      const settings = { ...withKey(to), NODE_EXTRA_CA_CERTS: authority };
      return (await runBelfry(["get-me"], settings)).refusal.error.message as string;
    };
    expect(await send(url)).toContain("is not a Belfry server (HTTP 404)");
    expect(await send(url.replace("localhost", "127.0.0.1"))).toContain("is for a different host name");
  });

  // rules#doctor
  test("belfry doctor names it, and belfry status notes it", async () => {
    expect(await checkPublicUrlReachable(url)).toMatchObject([
      {
        state: "warning",
        says: expect.stringContaining("is not trusted"),
        way_out: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
      },
    ]);
    const { stderr, json } = await runBelfryShared(["status"], { ...settingsOf(url), PUBLIC_URL: url });
    expect(json.service).toBeNull();
    expect(stderr).toContain("NODE_EXTRA_CA_CERTS");
  });
});

// rules#cli-lost-answer
test("http instead of https and a closed port have messages of their own", async () => {
  const plain = await listen(createServer((_, response) => response.end()));
  const closed = await findFreePort("127.0.0.1");
  for (const args of COMMANDS) {
    const message = async (url: string) => {
      const { refusal } = await runBelfryShared(args, args[0] === "login" ? settingsOf(url) : withKey(url));
      return `${refusal.error.code}: ${refusal.error.message}`;
    };
    expect(await message(`https://127.0.0.1:${plain}`)).toMatch(/^server_unreachable: .*TLS handshake \(\w+\)\. Check/);
    expect(await message(`http://127.0.0.1:${closed}`)).toMatch(
      /^server_unreachable: (No server is responding at|The server at .* is not responding)/,
    );
  }
});

test.each([
  ["SELF_SIGNED_CERT_IN_CHAIN", /NODE_EXTRA_CA_CERTS/],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /NODE_EXTRA_CA_CERTS/],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", /NODE_EXTRA_CA_CERTS/],
  ["CERT_HAS_EXPIRED", /has expired .*\. Renew it/],
  ["CERT_NOT_YET_VALID", /is not valid yet .*\. Check this machine/],
  ["ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR", /TLS handshake .*\. Check that it has a certificate/],
  ["ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE", /TLS handshake .*\. Check that it has a certificate/],
  ["EAI_AGAIN", /^The host name alerts\.example\.org was not found/],
])("the code %s of an error or its cause is explained", (code, message) => {
  const explain = (error: unknown) => explainTlsOrHostNameError("https://alerts.example.org", error)?.message;
  expect(explain(Object.assign(new Error("private"), { code }))).toMatch(message);
  expect(explain(new TypeError("fetch failed", { cause: { code } }))).toMatch(message);
});

test.each([
  ...["ECONNREFUSED", "ECONNRESET", "UND_ERR_SOCKET", "UND_ERR_HEADERS_TIMEOUT"],
  // The server ended a connection whose request it may have executed.
  ...["ERR_SSL_SSL/TLS_ALERT_BAD_RECORD_MAC", "ERR_SSL_TLSV1_ALERT_DECRYPT_ERROR"],
])("the code %s has no explanation by name or certificate", (code) => {
  expect(explainTlsOrHostNameError("https://alerts.example.org", { cause: { code } })).toBeNull();
});

test("an address that is not a URL is named as it is", () =>
  expect(explainTlsOrHostNameError("alerts", { code: "ENOTFOUND" })?.problem).toBe(
    "The host name alerts was not found (ENOTFOUND)",
  ));
