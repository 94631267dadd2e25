// One-time links by mail, where a mail server is configured: a small one speaks SMTP here. A server that is away changes
// nothing for the person who asked for the link.

import { createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../src/server.ts";
import { Visitor } from "./support/site.ts";
import { World } from "./support/world.ts";

const PERSON = { name: "Owner", email: "owner@example.org", password: "correct horse battery" };

/** What arrived, one text a mail. */
const mails: string[] = [];
let server: Server;
let world: World;
let owner: Visitor;
let port: number;

function serve(socket: Socket): void {
  let mail: string | null = null;
  socket.write("220 test\r\n");
  socket.on("data", (data) => {
    for (const line of data.toString().split("\r\n").slice(0, -1)) {
      if (mail !== null && line !== ".") mail += `${line}\n`;
      else if (mail !== null) {
        mails.push(mail);
        mail = null;
        socket.write("250 taken\r\n");
      } else if (/^DATA/i.test(line)) {
        mail = "";
        socket.write("354 go on\r\n");
      } else socket.write(/^QUIT/i.test(line) ? "221 bye\r\n" : "250 ok\r\n");
    }
  });
  socket.on("error", () => {});
}

beforeAll(async () => {
  server = createServer(serve);
  port = await freePort("127.0.0.1");
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  world = await World.open("embedded", { settings: { SMTP_URL: `smtp://127.0.0.1:${port}` } });
  owner = new Visitor(world);
  const [{ id }] = await world.sql("select id from member where email = ?", [PERSON.email]);
  await owner.join(await world.service.people.newLink(id), PERSON);
});
afterAll(async () => {
  await world?.close();
  server?.close();
});

const add = (email: string) =>
  owner.post(
    `/console/${world.workspace.id}/members`,
    { email, role: "viewer", sees: "all" },
    { from: `/console/${world.workspace.id}/members` },
  );

test("a new member's link is mailed and shown", async () => {
  const page = await add("new@example.org");
  const link = /http:\/\/[^\s<]+welcome\?token=[\w-]{43}/.exec(page.text)![0];
  expect(page.text).toContain("on its way by mail");
  await expect.poll(() => mails.length).toBe(1);
  // Long lines are folded on the wire.
  const plain = mails[0]!.replace(/=\n/g, "").replaceAll("=3D", "=");
  expect(plain).toContain(link);
  expect(plain).toContain("To: new@example.org");
  expect(plain).toContain("From: Belfry <belfry@127.0.0.1>");
});

test("with the mail server away the link is shown all the same", async () => {
  server.close();
  const page = await add("other@example.org");
  expect(page.status).toBe(200);
  expect(page.text).toMatch(/welcome\?token=[\w-]{43}/);
  expect(mails).toHaveLength(1);
});
