// Requests that are not valid HTTP: each is refused in the one envelope before any route reads it, and the connection
// ends.

import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { installMalformedRequestHandler } from "../../src/program/boot/http_connection_limits.ts";
import { isMissing } from "../support/requirements.ts";
import { openSenderSite } from "../support/sender_site.ts";
import { waitFor } from "../support/wait.ts";

const { site, channel, key } = await openSenderSite();
const { handle } = channel;

const countAlerts = async () => Number((await site.world.sql("select count(*) as n from alert"))[0].n);

/** Sends bytes as they are, and returns everything that comes back until the server ends the connection. */
async function sendRaw(text: string): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(Number(new URL(site.url).port), "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => {});
  socket.write(text);
  await once(socket, "close");
  const [head = "", ...rest] = Buffer.concat(chunks).toString().split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), head, body: rest.join("\r\n\r\n") };
}

const request = (headers: string, path = `/ntfy/${handle}`) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n${headers}Content-Length: 1\r\n\r\nm`;

const FOLDED = /^A header is folded over several lines\. Send it on one line/;
const CONTROL = /^A header value contains a line break or a control character\. Send it on one line/;
const INVALID = /^The request is not valid HTTP/;

// rules#malformed-http
test.each<[string, () => string, number, RegExp]>([
  ["a header folded by a blank", () => request("Title: first\r\n second\r\n"), 400, FOLDED],
  ["a header folded by a tab", () => request("Title: first\r\n\tsecond\r\n"), 400, FOLDED],
  ["a header folded twice", () => request("Title: first\r\n second\r\n third\r\n"), 400, FOLDED],
  ["an empty first line", () => request("Title:\r\n second\r\n"), 400, CONTROL],
  ["a line end without CR", () => request("Title: first\n second\r\n"), 400, CONTROL],
  ["a CR alone", () => request("Title: first\rX: second\r\n"), 400, CONTROL],
  ["a folded message", () => request("X-Message: one\r\n   two\r\nTitle: T\r\n"), 400, FOLDED],
  [
    "encoded text as PHP's mb_encode_mimeheader writes it",
    () => request("Title: =?UTF-8?B?R3LDtsOfZSBkZXM=?=\r\n =?UTF-8?B?IERhdGVpc3lzdGVtcw==?=\r\n"),
    400,
    FOLDED,
  ],
  ["at Gotify's address", () => request("X-A: b\r\n c\r\n", "/gotify/message"), 400, FOLDED],
  ["at ours", () => request("X-A: b\r\n c\r\n", "/api/v1/pushers"), 400, FOLDED],
  // A lenient parser would read this one as chunked, and another one by its length.
  [
    "a folded length",
    () =>
      `POST /ntfy/${handle} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding:\r\n chunked\r\nContent-Length: ` +
      `6\r\n\r\n0\r\n\r\nG`,
    400,
    CONTROL,
  ],
  [
    "two lengths",
    () =>
      `POST /ntfy/${handle} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc`,
    400,
    INVALID,
  ],
  ["a NUL in a header", () => request("Title: a\0b\r\n"), 400, CONTROL],
  ["a blank before the colon", () => request("Title : a\r\n"), 400, INVALID],
  ["another protocol", () => "EHLO localhost\r\n\r\n", 400, INVALID],
  ["headers beyond the limit", () => request(`Message: ${"x".repeat(20_000)}\r\n`), 431, /long texts in the body/],
])("%s is refused in the one envelope", async (_, text, status, message) => {
  const before = await countAlerts();
  const answer = await sendRaw(text());
  expect(answer.status).toBe(status);
  expect(answer.head).toMatch(/^content-type: application\/json$/im);
  expect(answer.head).toMatch(/^connection: close$/im);
  expect(JSON.parse(answer.body)).toEqual({
    error: {
      ...{ type: "invalid_request", code: "malformed_request", param: null },
      message: expect.stringMatching(message),
    },
  });
  expect(answer.body).not.toContain(key);
  expect(await countAlerts()).toBe(before);
});

// rules#malformed-http
test.each<[string, (response: ServerResponse) => void, RegExp]>([
  // A second head would be read as a part of the first body.
  ["is being sent", (response) => void response.write("first"), /^HTTP\/1\.1 200 (?!.*HTTP)/s],
  ["waits behind one that is being sent", (response) => void response.write("first"), /^HTTP\/1\.1 200 (?!.*HTTP)/s],
  ["was sent", (response) => void response.end("first"), /^HTTP\/1\.1 200 .*HTTP\/1\.1 400 /s],
  ["is not begun", () => {}, /^HTTP\/1\.1 400 /],
])("behind a request whose response %s", async (state, respond, expected) => {
  const server = createServer((request, response) => request.url === "/" && respond(response));
  installMalformedRequestHandler(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  if (respond.length > 0) await waitFor(() => expect(text).toContain("first"));
  if (state.startsWith("waits")) socket.write("GET /next HTTP/1.1\r\nHost: localhost\r\n\r\n");
  socket.write("no request\r\n\r\n");
  await once(socket, "close");
  expect(text).toMatch(expected);
  server.closeAllConnections();
  server.close();
});

test("the same header in one line is read, as encoded text too", async () => {
  const words = "=?UTF-8?B?R3LDtsOfZSBkZXM=?= =?UTF-8?B?IERhdGVpc3lzdGVtcw==?=";
  const answer = await sendRaw(request(`Title: ${words}\r\nConnection: close\r\n`));
  expect(answer.status).toBe(200);
  expect(answer.body).toContain('"title":"Größe des Dateisystems"');
});

test.skipIf(isMissing("python3"))("a program of Python that folds gets instructions", async () => {
  const { port } = new URL(site.url);
  const program = `
import http.client
c = http.client.HTTPConnection("127.0.0.1", ${port})
c.putrequest("POST", "/ntfy/${handle}")
c.putheader("Title", "first", "second")
c.putheader("Content-Length", "1")
c.endheaders(b"m")
r = c.getresponse()
print(r.status, r.read().decode())
`;
  const { stdout } = await promisify(execFile)("python3", ["-c", program]);
  expect(stdout).toMatch(/^400 .*A header is folded over several lines/);
});
