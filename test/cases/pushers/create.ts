// Channels as they are opened: handles, defaults, what must be there.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import { createHandle } from "../../support/world.ts";
import { getSharedPusher, oncePerWorld, TIMESTAMP_PATTERN } from "../fixtures.ts";
import { CHANNEL_CIRCLE, CLEARED_CHANNEL_FIELDS, longText, REQUIRED_FIELDS } from "./fixtures.ts";

const COLOUR = "channel-colours";
const INITIALS = "channel-initials";
const GEOFENCE = "channel-geofence";
const GEOFENCE_BOUNDS = "geofence-bounds";
const HANDLE = "handle-shape";
const RESERVED = "handle-reserved";
const MISSING = "error-param";
const RESTRICTED = "restricted-opens-none";

const HANDLES: [name: string, handle: unknown][] = [
  ["two characters", "ab"],
  ["31 characters", `a${longText(30)}`],
  ["upper case", "Harbour"],
  ["a dash first", "-harbour"],
  ["a dash last", "harbour-"],
  ["an underscore last", "harbour_"],
  ["a dot", "har.bour"],
  ["a space", "har bour"],
  ["another script", "häfen"],
  ["a line end", "harbour\n"],
  ["null", null],
  ["a number", 12345],
  ["nothing", ""],
];

export const createPusherCases: TestCase[] = [
  ...["name", "category", "description"].map(
    (field): TestCase => ({
      rule: "create-channel",
      tool: "create_pusher",
      name: `needs ${field}`,
      input: () => ({ handle: createHandle(), ...REQUIRED_FIELDS, [field]: undefined }),
      want: { error: "invalid_request", param: field },
    }),
  ),
  {
    rule: MISSING,
    tool: "create_pusher",
    name: "needs a handle",
    input: () => REQUIRED_FIELDS,
    want: { error: "invalid_request", param: "handle" },
  },
  ...HANDLES.map(
    ([name, handle]): TestCase => ({
      rule: HANDLE,
      tool: "create_pusher",
      name: `refuses a handle: ${name}`,
      input: () => ({ handle, ...REQUIRED_FIELDS }),
      want: { error: "invalid_request", param: "handle" },
    }),
  ),
  ...[
    () => createHandle().slice(-3).replace(/^-/, "0"),
    () => createHandle().padEnd(30, "0"),
    () => `${createHandle()}_x-1`,
  ].map(
    (make, i): TestCase => ({
      rule: HANDLE,
      tool: "create_pusher",
      name: `takes a handle: ${["3 characters", "30 characters", "dash and underscore"][i]}`,
      given: async () => ({
        // With a digit, since three letters may also occur in a sentence of the response.
        handle: i === 0 ? `${Math.random().toString(36).slice(2, 4).padEnd(2, "q")}7` : make(),
      }),
      input: ({ handle }) => ({ handle, ...REQUIRED_FIELDS, initials: "X" }),
      want: {},
      after: (_world, { handle }, { body }) => expect(body.handle).toBe(handle),
    }),
  ),
  ...(
    "admin api app console docs handset healthz help login mcp metrics oauth readyz security static status support " +
    "well-known www"
  )
    .split(" ")
    .map(
      (handle): TestCase => ({
        rule: RESERVED,
        tool: "create_pusher",
        name: `reserved: ${handle}`,
        input: () => ({ handle, ...REQUIRED_FIELDS }),
        want: { error: "invalid_request", param: "handle" },
      }),
    ),
  ...["c", "me"].map(
    (handle): TestCase => ({
      rule: RESERVED,
      tool: "create_pusher",
      name: `reserved and too short: ${handle}`,
      input: () => ({ handle, ...REQUIRED_FIELDS }),
      want: { error: "invalid_request", param: "handle" },
    }),
  ),
  {
    rule: "create-channel",
    tool: "create_pusher",
    name: "with the required fields only",
    given: async () => ({ handle: createHandle() }),
    input: ({ handle }) => ({ handle, ...REQUIRED_FIELDS }),
    want: {
      body: {
        ...REQUIRED_FIELDS,
        ...CLEARED_CHANNEL_FIELDS,
        requested_perms: [],
        alert_types: [],
        tags: [],
        is_public: true,
        retention_days: null,
        initials: "HW",
        status: "active",
      },
    },
    after: (_world, { handle }, { body }) => {
      expect(body.handle).toBe(handle);
      expect(body.id).toMatch(/^psh_[0-9a-z]{26}$/);
      expect(body.gradient_from).toMatch(/^#[0-9a-f]{6}$/);
      expect(body.gradient_to).toMatch(/^#[0-9a-f]{6}$/);
    },
  },
  {
    rule: "instants",
    tool: "create_pusher",
    input: () => ({ handle: createHandle(), ...REQUIRED_FIELDS }),
    want: {
      body: {
        created_at: expect.stringMatching(TIMESTAMP_PATTERN),
        updated_at: expect.stringMatching(TIMESTAMP_PATTERN),
      },
    },
  },
  {
    rule: "channel-address",
    tool: "create_pusher",
    input: () => ({ handle: createHandle(), ...REQUIRED_FIELDS }),
    want: { body: { url: expect.stringMatching(/^http.+\/c\/[^/]+$/) } },
    after: (_world, _given, { body }) => expect(body.url.endsWith(`/c/${body.handle}`)).toBe(true),
  },
  {
    rule: "handle-is-unique",
    tool: "create_pusher",
    given: getSharedPusher,
    input: ({ handle }) => ({ handle, ...REQUIRED_FIELDS }),
    want: { error: "conflict", param: null },
  },
  {
    rule: "handle-is-unique",
    tool: "create_pusher",
    name: "taken by another workspace",
    given: async (world) => world.pusher({}, await world.foreignKey()),
    input: ({ handle }) => ({ handle, ...REQUIRED_FIELDS }),
    want: { error: "conflict", param: null },
  },
  {
    rule: "handle-is-unique",
    tool: "create_pusher",
    name: "one of five simultaneous claims wins",
    given: async (world) => {
      const handle = createHandle();
      const claims = Array.from({ length: 5 }, (_, i) =>
        i % 2 === 0
          ? world.rest("create_pusher", { handle, ...REQUIRED_FIELDS })
          : world.mcp("create_pusher", { handle, ...REQUIRED_FIELDS }),
      );
      const statuses = (await Promise.all(claims)).map(({ status }) => status).sort();
      expect(statuses).toEqual([201, 409, 409, 409, 409]);
      return { handle };
    },
    input: ({ handle }) => ({ handle, ...REQUIRED_FIELDS }),
    want: { error: "conflict" },
  },
  {
    rule: COLOUR,
    tool: "create_pusher",
    name: "no colours: the default pair",
    input: () => ({ handle: createHandle(), ...REQUIRED_FIELDS, gradient_from: "red", gradient_to: "#12345" }),
    want: {
      body: {
        gradient_from: expect.stringMatching(/^#[0-9a-f]{6}$/),
        gradient_to: expect.stringMatching(/^#[0-9a-f]{6}$/),
      },
    },
  },
  ...(
    [
      ["Harbour Watch Lisbon", "HW"],
      ["harbour", "H"],
      ["  étoile du nord", "ÉD"],
      ["🔔🔔", "🔔"],
    ] as const
  ).map(
    ([name, initials]): TestCase => ({
      rule: INITIALS,
      tool: "create_pusher",
      name: `${name} → ${initials}`,
      input: () => ({ handle: createHandle(), ...REQUIRED_FIELDS, name }),
      want: { body: { initials } },
    }),
  ),
  ...(["lat", "lon", "radius_km"] as const).flatMap((missing): TestCase[] => [
    {
      rule: GEOFENCE,
      tool: "create_pusher",
      name: `without ${missing}`,
      input: () => ({ handle: createHandle(), ...REQUIRED_FIELDS, ...CHANNEL_CIRCLE, [missing]: undefined }),
      want: { error: "invalid_request", param: missing },
    },
    {
      rule: GEOFENCE,
      tool: "create_pusher",
      name: `with ${missing} null`,
      input: () => ({ handle: createHandle(), ...REQUIRED_FIELDS, ...CHANNEL_CIRCLE, [missing]: null }),
      want: { error: "invalid_request", param: missing },
    },
    {
      rule: GEOFENCE_BOUNDS,
      tool: "update_pusher",
      name: `${missing} cleared alone`,
      given: oncePerWorld((world) => world.pusher(CHANNEL_CIRCLE)),
      input: ({ id }) => ({ pusher_id: id, [missing]: null }),
      want: { error: "invalid_request", param: missing },
    },
    {
      rule: GEOFENCE_BOUNDS,
      tool: "update_pusher",
      name: `${missing} moved alone where there is a circle`,
      given: oncePerWorld((world) => world.pusher(CHANNEL_CIRCLE)),
      input: ({ id }) => ({ pusher_id: id, [missing]: 5 }),
      want: { body: { ...CHANNEL_CIRCLE, [missing]: 5 } },
    },
  ]),
  {
    rule: MISSING,
    tool: "create_pusher",
    name: "lat alone names lon",
    input: () => ({ handle: createHandle(), ...REQUIRED_FIELDS, lat: 1 }),
    want: { error: "invalid_request", param: "lon" },
  },
  {
    rule: GEOFENCE_BOUNDS,
    tool: "update_pusher",
    name: "lat alone without a circle",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, lat: 1 }),
    want: { error: "invalid_request", param: "lon" },
  },
  {
    rule: "channel-status",
    tool: "create_pusher",
    name: "no status on create",
    input: () => ({ handle: createHandle(), ...REQUIRED_FIELDS, status: "paused" }),
    want: { error: "invalid_request", param: "status" },
  },
  {
    rule: RESTRICTED,
    tool: "create_pusher",
    name: "by a key of one channel",
    given: async (world) => ({ key: await world.key({ pusher: (await getSharedPusher(world)).id }) }),
    as: (_world, { key }) => key,
    input: () => ({ handle: createHandle(), ...REQUIRED_FIELDS }),
    want: { error: "forbidden", param: null },
  },
  {
    rule: RESTRICTED,
    tool: "create_pusher",
    name: "by a restricted member, an admin even",
    given: async (world) => ({ key: await world.memberKey("admin", [(await getSharedPusher(world)).id]) }),
    as: (_world, { key }) => key,
    input: () => ({ handle: createHandle(), ...REQUIRED_FIELDS }),
    want: { error: "forbidden", param: null },
  },
  {
    rule: RESTRICTED,
    tool: "create_pusher",
    name: "by a member restricted to nothing",
    given: async (world) => ({ key: await world.memberKey("owner", []) }),
    as: (_world, { key }) => key,
    input: () => ({ handle: createHandle(), ...REQUIRED_FIELDS }),
    want: { error: "forbidden", param: null },
  },
];
