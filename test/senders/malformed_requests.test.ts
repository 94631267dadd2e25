// Requests that are not valid HTTP: each is refused in the one envelope before any route reads it, and the connection
// ends.

import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
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

/** A connection, and everything that came back over it so far. */
function openConnection(port: number) {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => {});
  return { socket, text: () => Buffer.concat(chunks).toString() };
}

/** A connection to a server of a test, which handles malformed requests as the service does. */
async function connectTo(server: Server) {
  installMalformedRequestHandler(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return openConnection((server.address() as AddressInfo).port);
}

/**
 * Sends bytes as they are, and returns everything that comes back until the server ends the connection. A number waits
 * for as many responses.
 */
async function sendRaw(...parts: (string | number)[]): Promise<{ statuses: number[]; head: string; body: string }> {
  const { socket, text } = openConnection(Number(new URL(site.url).port));
  const statuses = () => [...text().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  const closed = once(socket, "close");
  for (const part of parts) {
    if (typeof part === "string") await new Promise((sent) => socket.write(part, sent));
    else await waitFor(() => expect(statuses()).toHaveLength(part));
  }
  await closed;
  const [head = "", ...rest] = text().split("\r\n\r\n");
  return { statuses: statuses(), head, body: rest.join("\r\n\r\n") };
}

const request = (headers: string, path = `/ntfy/${handle}`) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n${headers}Content-Length: 1\r\n\r\nm`;

const FOLDED = /^A header is folded over several lines\. Send it on one line/;
const CONTROL = /^A header value contains a line break or a control character\. Send it on one line/;
const INVALID = /^The request is not valid HTTP/;

// rules#malformed-http
test.each<[string, () => string, number, RegExp]>([
  ["a request line that is folded", () => request("", `/ntfy/${handle}\r\n `), 400, INVALID],
  ["a line end without CR", () => request("Title: first\n second\r\n"), 400, CONTROL],
  ["a CR alone", () => request("Title: first\rX: second\r\n"), 400, CONTROL],
  // A lenient parser would read this one as chunked, and another one by its length.
  [
    "a folded length",
    () =>
      `POST /ntfy/${handle} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding:\r\n chunked\r\nContent-Length: ` +
      `6\r\n\r\n0\r\n\r\nG`,
    400,
    CONTROL,
  ],
  ["a folded host", () => request("Host:\r\n localhost\r\n"), 400, CONTROL],
  ["a stream", () => "GET /ntfy/a/sse HTTP/1.1\r\nHost: a\r\nTitle: a\r\n b\r\n\r\n", 400, FOLDED],
  ["a folded upgrade", () => request("Upgrade: a,\r\n b\r\n"), 400, FOLDED],
  // The lines are joined only in a whole head.
  ["a fold without an end of the head", () => "GET / HTTP/1.1\r\nTitle: a\r\n b\r\n", 400, FOLDED],
  ["folds beyond the limit", () => request(`Message: ${"x\r\n ".repeat(10_000)}\r\n`), 431, /long texts in the body/],
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
  expect(answer.statuses).toEqual([status]);
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
  const { socket, text } = await connectTo(server);
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  if (respond.length > 0) await waitFor(() => expect(text()).toContain("first"));
  if (state.startsWith("waits")) socket.write("GET /next HTTP/1.1\r\nHost: localhost\r\n\r\n");
  socket.write("no request\r\n\r\n");
  await once(socket, "close");
  expect(text()).toMatch(expected);
  server.closeAllConnections();
  server.close();
});

// rules#malformed-http
test.each<[string, string, string]>([
  ["in one line", "Title: first second", "first second"],
  ["folded by a blank", "Title: first\r\n second", "first second"],
  ["folded by a tab", "Title: first\r\n\tsecond", "first second"],
  ["folded twice", "Title: first\r\n  second\r\n third", "first second third"],
  ["with an empty first line", "Title:\r\n second", "second"],
  ["behind letters that end like a blank", "Title: voilà\r\n second", "voilà second"],
  [
    "as PHP's mb_encode_mimeheader writes it",
    "Title: =?UTF-8?B?R3LDtsOfZSBkZXM=?=\r\n =?UTF-8?B?IERhdGVpc3lzdGVtcw==?=",
    "Größe des Dateisystems",
  ],
])("a header %s is read", async (_, header, title) => {
  const answer = await sendRaw(request(`X-A: 1\r\n${header}\r\nConnection: close\r\n`));
  expect(answer.head).toMatch(/^connection: close$/im);
  expect(JSON.parse(answer.body)).toMatchObject({ event: "message", title, message: "m" });
});

// rules#malformed-http
test("a folded header is read at every address", async () => {
  for (const path of ["/gotify/message", "/api/v1/pushers", "/mcp"])
    expect((await sendRaw(request("X-A: b\r\n c\r\n", path))).body).not.toContain("folded");
});

const folded = request("Title: is\r\n folded\r\n");
const countFolded = async () =>
  Number((await site.world.sql("select count(*) as n from alert where title = 'is folded'"))[0].n);

// rules#malformed-http
test("a folded header is read with a long body that comes later, and what follows it is not", async () => {
  const before = await countFolded();
  const text = "long ".repeat(40_000);
  const long = folded.replace("Length: 1\r\n\r\nm", `Length: ${text.length}\r\n\r\n`);
  expect((await sendRaw(long, text)).statuses).toEqual([200]);
  expect((await sendRaw(folded, 1, folded)).statuses).toEqual([200]);
  expect((await sendRaw(folded + folded)).statuses).toEqual([200]);
  expect(await countFolded()).toBe(before + 3);
});

// rules#malformed-http
test.each<[string, (string | number)[]]>([
  ["behind another request", [request(""), 1, folded]],
  ["behind another request, of which a part came with it", [`${request("")}POST / HTTP/1.1\r\nX: `, 1, folded]],
  // The body looks like a request, and begins a packet.
  ["in a body", [request("").replace("Length: 1\r\n\r\nm", `Length: ${folded.length}\r\n\r\n`), folded + folded]],
  ["behind a request that came with it", [request("") + folded]],
  ["of HTTP/1.0", [folded.replace("HTTP/1.1", "HTTP/1.0")]],
])("a folded header %s is refused", async (_, parts) => {
  const before = await countFolded();
  const { statuses } = await sendRaw(...parts);
  expect(statuses.at(-1)).toBe(400);
  expect(await countFolded()).toBe(before);
});

// rules#malformed-http
test("the time of a head ends before a response to a folded one", async () => {
  const server = createServer({ headersTimeout: 200, requestTimeout: 0, connectionsCheckingInterval: 50 });
  server.on("request", (_, response) => {
    response.write("first, ");
    // Node has checked its connections many times then.
    setTimeout(() => response.end("last"), 1_000);
  });
  const { socket, text } = await connectTo(server);
  socket.write("POST / HTTP/1.1\r\nHost: localhost\r\nA: b\r\n c\r\nContent-Length: 0\r\n\r\n");
  await once(socket, "close");
  expect(text()).toMatch(/^HTTP\/1\.1 200 (?!.*HTTP).*first, .*last/s);
  server.close();
});

test.skipIf(isMissing("python3"))("a program of Python that folds is read", async () => {
  const { port } = new URL(site.url);
  const program = `
import http.client
c = http.client.HTTPConnection("127.0.0.1", ${port})
c.putrequest("POST", "/ntfy/${handle}")
c.putheader("Authorization", "Bearer ${key}")
c.putheader("Title", "first", "second")
c.putheader("Content-Length", "1")
c.endheaders(b"m")
r = c.getresponse()
print(r.status, r.read().decode())
`;
  const { stdout } = await promisify(execFile)("python3", ["-c", program]);
  expect(stdout).toMatch(/^200 .*"title":"first second"/);
});
