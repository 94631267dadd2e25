// A client whose types are generated from the served document: it compiles, it runs, and its compiler detects losses in
// the document. openapi.test.ts tests the general guarantee that nothing documented is removed.

import { afterAll, beforeAll, expect, test } from "vitest";
import { findFreePort, type Listening, listenHttp } from "../../src/program/boot/http_server.ts";
import { createHandle, World } from "../support/world.ts";
import { compileClient } from "../typed_client/compile.ts";

/** Read when it runs: its types are on no disk. */
const CLIENT = new URL("../typed_client/client.ts", import.meta.url).href;

const LOST =
  "test/typed_client/client.ts no longer compiles with the types of /api/v1/openapi.json: programs of others would break alike";

let world: World;
let listening: Listening;
let url: string;
let document: Record<string, any>;

beforeAll(async () => {
  const [host, port] = ["127.0.0.1", await findFreePort("127.0.0.1")];
  url = `http://${host}:${port}`;
  world = await World.open({ settings: { PUBLIC_URL: url } });
  listening = await listenHttp(world.service.app, { host, port });
  document = (await (await fetch(`${url}/api/v1/openapi.json`)).json()) as Record<string, any>;
});
afterAll(async () => {
  await listening?.close();
  await world?.close();
});

test("it compiles, and its compiler refuses what the service would", async () => {
  expect(await compileClient(document), LOST).toEqual([]);
});

test("it detects the removal of a path, a method, a field and a value", async () => {
  const { paths, components, ...rest } = structuredClone(document);
  delete paths["/api/v1/pushers/{id}/alerts/{alertId}"];
  delete paths["/api/v1/pushers/{id}/alerts"].get;
  delete components.schemas.Pusher.properties.id;
  components.schemas.CreateAlertRequest.properties.priority.enum.splice(1);
  const found = (await compileClient({ ...rest, paths, components })).join("\n");
  expect(found).toContain('"/api/v1/pushers/{id}/alerts/{alertId}"\' is not assignable');
  expect(found).toContain('"/api/v1/pushers/{id}/alerts"\' is not assignable');
  expect(found).toContain("Property 'id' does not exist");
  expect(found).toContain("Type '\"urgent\"' is not assignable");
});

test("it calls every kind of operation", async () => {
  const { callEveryOperation, sendWrongCategory } = await import(CLIENT);
  const { error, noted, ...rest } = await callEveryOperation(url, world.owner, createHandle());
  expect(error).toBeUndefined();
  expect(noted).toContain("full");
  expect(rest).toEqual({ edited: "Hi", sent: "sent", page: [1, null], refused: "conflict" });
  expect(await sendWrongCategory(url, world.owner)).toBe(422);
});
