// Channels: every field at its bounds, reading, changing, pausing and deleting.

import { expect } from "vitest";
import type { Case } from "../support/cases.ts";
import { uniqueHandle } from "../support/world.ts";
import { ALL_PERMS, alertIn, alertOn, emoji, INSTANT, once, sharedPusher, suspend, uuidOf } from "./given.ts";

const REQUIRED = { name: "Harbour Watch", category: "community", description: "Tides and closures" };

const NAME = "channel-name";
const CATEGORY = "channel-category";
const DESCRIPTION = "channel-description";
const LONG = "channel-long";
const HTTPS = "channel-site";
const CITY = "channel-city";
const LOC_RULE = "channel-loc-rule";
const PERMS = "channel-perms";
const TYPES = "channel-alert-types";
const TAGS = "channel-tags";
const IMAGE = "channel-image";
const COLOUR = "channel-colours";
const INITIALS = "channel-initials";
const LENGTHS = "channel-lengths";
const CODE_POINTS = "text-lengths";
const GEOFENCE = "channel-geofence";
const GEOFENCE_BOUNDS = "geofence-bounds";
const HANDLE = "handle-shape";
const RESERVED = "handle-reserved";
const NULLS = "patch-null";
const PATCH = "patch";
const UNKNOWN = "unknown-fields";
const MISSING = "error-param";
const NON_HTTPS = "https-only";
const DEFAULTS = "channel-defaults";
const PAUSE = "channel-paused";
const STATUS_FIRST = "channel-suspended-edits";
const RESTRICTED = "restricted-opens-none";

const long = (n: number) => "x".repeat(n);
const url = (n: number) => `https://example.org/${long(n - 20)}`;
const FENCE = { lat: 38.7, lon: -9.1, radius_km: 2.5 };

/** What both create and PATCH take, and what is answered when it is not the same. */
const TAKEN: [
  rule: string,
  name: string,
  fields: Record<string, unknown>,
  shown?: Record<string, unknown>,
][] = [
  [NAME, "one character", { name: "x" }],
  [LENGTHS, "a name of 80", { name: long(80) }],
  [CODE_POINTS, "a name of 80 emoji", { name: emoji(80) }],
  ...["cities", "travel", "events", "concerts", "restaurants", "hotels"].map(
    (category): [string, string, object & Record<string, unknown>] => [CATEGORY, category, { category }],
  ),
  ...["business", "ai", "sports", "emergency", "community"].map(
    (category): [string, string, object & Record<string, unknown>] => [CATEGORY, category, { category }],
  ),
  [DESCRIPTION, "one character", { description: "x" }],
  [LENGTHS, "a description of 200 emoji", { description: emoji(200) }],
  [LONG, "a text", { long: "Two\nlines" }],
  [LONG, "null", { long: null }],
  [LENGTHS, "a long text of 4,000 emoji", { long: emoji(4000) }],
  [HTTPS, "an https address", { site: "https://example.org/a?b=c#d" }],
  [HTTPS, "null", { site: null }],
  [LENGTHS, "an address of 2,048", { site: url(2048) }],
  [IMAGE, "an https address", { image_url: "https://example.org/a.png" }],
  [IMAGE, "null", { image_url: null }],
  [CITY, "a text", { city: "Lisbon" }],
  [CITY, "null", { city: null }],
  [LENGTHS, "a city of 80", { city: long(80) }],
  [GEOFENCE, "the poles", { ...FENCE, lat: 90 }],
  [GEOFENCE, "the other pole", { ...FENCE, lat: -90 }],
  [GEOFENCE, "the date line", { ...FENCE, lon: 180 }],
  [GEOFENCE, "its other side", { ...FENCE, lon: -180 }],
  [GEOFENCE, "a small circle", { ...FENCE, radius_km: 0.001 }],
  [GEOFENCE_BOUNDS, "the largest circle", { ...FENCE, radius_km: 20_038 }],
  [GEOFENCE, "all three null", { lat: null, lon: null, radius_km: null }],
  [LOC_RULE, "a slug", { loc_rule: "inside_only.v-2" }],
  [LOC_RULE, "null", { loc_rule: null }],
  [LENGTHS, "a loc_rule of 40", { loc_rule: long(40) }],
  [PERMS, "every capability", { requested_perms: ALL_PERMS }],
  [PERMS, "none", { requested_perms: [] }],
  [TYPES, "some", { alert_types: ["Closures", "tides"] }],
  [LENGTHS, "20 alert types of 40", { alert_types: Array.from({ length: 20 }, () => long(40)) }],
  [TAGS, "lower case, once each", { tags: ["Sea", "sea", "TIDE", "ÉTÉ"] }, { tags: ["sea", "tide", "été"] }],
  [
    LENGTHS,
    "20 tags after removing doubles",
    { tags: [...Array.from({ length: 20 }, (_, i) => `t${i}`), "T0"] },
    { tags: Array.from({ length: 20 }, (_, i) => `t${i}`) },
  ],
  [LENGTHS, "a tag of 40 emoji", { tags: [emoji(40)] }],
  [DEFAULTS, "private", { is_public: false }],
  [DEFAULTS, "public", { is_public: true }],
  [COLOUR, "two colours", { gradient_from: "#00ff7f", gradient_to: "#123456" }],
  [INITIALS, "three characters", { initials: emoji(3) }],
  [INITIALS, "one character", { initials: "Q" }],
];

/** What neither create nor PATCH takes, and the field that is named. */
const REFUSED: [rule: string, name: string, fields: Record<string, unknown>, param: string][] = [
  [NAME, "a number", { name: 5 }, "name"],
  [NULLS, "a null name", { name: null }, "name"],
  [CODE_POINTS, "an empty name", { name: "" }, "name"],
  [CODE_POINTS, "a name of white space", { name: " \t\u3000" }, "name"],
  [LENGTHS, "a name of 81", { name: long(81) }, "name"],
  [LENGTHS, "a name of 81 emoji", { name: emoji(81) }, "name"],
  [CATEGORY, "another word", { category: "weather" }, "category"],
  [CATEGORY, "another case", { category: "Cities" }, "category"],
  [NULLS, "a null category", { category: null }, "category"],
  [NULLS, "a null description", { description: null }, "description"],
  [LENGTHS, "a description of 201", { description: long(201) }, "description"],
  [LENGTHS, "a long text of 4,001", { long: long(4001) }, "long"],
  [LONG, "an array", { long: ["x"] }, "long"],
  [NON_HTTPS, "an http site", { site: "http://example.org/" }, "site"],
  [NON_HTTPS, "an http image", { image_url: "http://example.org/a.png" }, "image_url"],
  [HTTPS, "no address", { site: "example.org" }, "site"],
  [HTTPS, "an empty address", { site: "" }, "site"],
  [HTTPS, "script", { site: "javascript:alert(1)" }, "site"],
  [HTTPS, "data", { image_url: "data:image/png;base64,AAAA" }, "image_url"],
  [HTTPS, "without a host", { site: "https://" }, "site"],
  [HTTPS, "with a space", { site: "https://example.org/a b" }, "site"],
  [HTTPS, "with a line end", { site: "https://example.org/\nx" }, "site"],
  [HTTPS, "with credentials", { site: "https://user:pass@example.org/" }, "site"],
  [HTTPS, "a scheme-relative address", { site: "//example.org/" }, "site"],
  [LENGTHS, "an address of 2,049", { site: url(2049) }, "site"],
  [LENGTHS, "an image address of 2,049", { image_url: url(2049) }, "image_url"],
  [LENGTHS, "a city of 81", { city: long(81) }, "city"],
  [GEOFENCE_BOUNDS, "beyond a pole", { ...FENCE, lat: 90.0001 }, "lat"],
  [GEOFENCE_BOUNDS, "beyond the date line", { ...FENCE, lon: -180.5 }, "lon"],
  [GEOFENCE_BOUNDS, "no radius", { ...FENCE, radius_km: 0 }, "radius_km"],
  [GEOFENCE_BOUNDS, "a negative radius", { ...FENCE, radius_km: -1 }, "radius_km"],
  [GEOFENCE_BOUNDS, "too large a radius", { ...FENCE, radius_km: 20_038.1 }, "radius_km"],
  [GEOFENCE, "a text", { ...FENCE, lat: "38.7" }, "lat"],
  [LENGTHS, "a loc_rule of 41", { loc_rule: long(41) }, "loc_rule"],
  [LENGTHS, "a loc_rule that is no slug", { loc_rule: "Inside Only" }, "loc_rule"],
  [LENGTHS, "an empty loc_rule", { loc_rule: "" }, "loc_rule"],
  [PERMS, "another word", { requested_perms: ["notify", "shout"] }, "requested_perms.1"],
  [NULLS, "null capabilities", { requested_perms: null }, "requested_perms"],
  [PERMS, "one text", { requested_perms: "notify" }, "requested_perms"],
  [NULLS, "null alert types", { alert_types: null }, "alert_types"],
  [LENGTHS, "21 alert types", { alert_types: Array.from({ length: 21 }, () => "x") }, "alert_types"],
  [LENGTHS, "an alert type of 41", { alert_types: ["x", long(41)] }, "alert_types.1"],
  [LENGTHS, "an empty alert type", { alert_types: [""] }, "alert_types.0"],
  [NULLS, "null tags", { tags: null }, "tags"],
  [LENGTHS, "21 tags", { tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, "tags"],
  [LENGTHS, "a tag of 41", { tags: ["sea", long(41)] }, "tags.1"],
  [LENGTHS, "a blank tag", { tags: [" "] }, "tags.0"],
  [TAGS, "a number as tag", { tags: [7] }, "tags.0"],
  [NULLS, "a null is_public", { is_public: null }, "is_public"],
  [DEFAULTS, "a word for is_public", { is_public: "true" }, "is_public"],
  ["channel-colours-shape", "a number", { gradient_from: 255 }, "gradient_from"],
  ["channel-colours-shape", "null", { gradient_to: null }, "gradient_to"],
  [INITIALS, "four characters", { initials: "ABCD" }, "initials"],
  [NULLS, "null initials", { initials: null }, "initials"],
  [INITIALS, "blank initials", { initials: " " }, "initials"],
  [UNKNOWN, "a misspelt field", { descripton: "x" }, "descripton"],
  [UNKNOWN, "a field of answers", { id: "psh_x" }, "id"],
  [UNKNOWN, "another field of answers", { created_at: "2026-01-01T00:00:00Z" }, "created_at"],
];

const fieldRows: Case[] = [
  ...TAKEN.flatMap(([rule, name, fields, shown = fields]): Case[] => [
    {
      rule,
      tool: "create_pusher",
      name: `takes ${Object.keys(fields)}: ${name}`,
      input: () => ({ handle: uniqueHandle(), ...REQUIRED, ...fields }),
      want: { body: shown },
    },
    {
      rule,
      tool: "update_pusher",
      name: `takes ${Object.keys(fields)}: ${name}`,
      given: once((world) => world.pusher()),
      input: ({ id }) => ({ pusher_id: id, ...fields }),
      want: { body: shown },
    },
  ]),
  ...REFUSED.flatMap(([rule, name, fields, param]): Case[] => [
    {
      rule,
      tool: "create_pusher",
      name: `refuses ${param}: ${name}`,
      input: () => ({ handle: uniqueHandle(), ...REQUIRED, ...fields }),
      want: { error: "invalid_request", param },
    },
    {
      rule,
      tool: "update_pusher",
      name: `refuses ${param}: ${name}`,
      given: sharedPusher,
      input: ({ id }) => ({ pusher_id: id, ...fields }),
      want: { error: "invalid_request", param },
    },
  ]),
];

const HANDLES: [name: string, handle: unknown][] = [
  ["two characters", "ab"],
  ["31 characters", `a${long(30)}`],
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

const createRows: Case[] = [
  ...["name", "category", "description"].map(
    (field): Case => ({
      rule: "create-channel",
      tool: "create_pusher",
      name: `needs ${field}`,
      input: () => ({ handle: uniqueHandle(), ...REQUIRED, [field]: undefined }),
      want: { error: "invalid_request", param: field },
    }),
  ),
  {
    rule: MISSING,
    tool: "create_pusher",
    name: "needs a handle",
    input: () => REQUIRED,
    want: { error: "invalid_request", param: "handle" },
  },
  ...HANDLES.map(
    ([name, handle]): Case => ({
      rule: HANDLE,
      tool: "create_pusher",
      name: `refuses a handle: ${name}`,
      input: () => ({ handle, ...REQUIRED }),
      want: { error: "invalid_request", param: "handle" },
    }),
  ),
  ...[
    () => uniqueHandle().slice(-3).replace(/^-/, "0"),
    () => uniqueHandle().padEnd(30, "0"),
    () => `${uniqueHandle()}_x-1`,
  ].map(
    (make, i): Case => ({
      rule: HANDLE,
      tool: "create_pusher",
      name: `takes a handle: ${["3 characters", "30 characters", "dash and underscore"][i]}`,
      given: async () => ({
        handle: i === 0 ? `${Math.random().toString(36).slice(2, 5).padEnd(3, "q")}` : make(),
      }),
      input: ({ handle }) => ({ handle, ...REQUIRED, initials: "X" }),
      want: {},
      after: (_world, { handle }, { body }) => expect(body.handle).toBe(handle),
    }),
  ),
  ...(
    "admin api console handset healthz help login mcp metrics oauth readyz security static status support " +
    "well-known www"
  )
    .split(" ")
    .map(
      (handle): Case => ({
        rule: RESERVED,
        tool: "create_pusher",
        name: `reserved: ${handle}`,
        input: () => ({ handle, ...REQUIRED }),
        want: { error: "invalid_request", param: "handle" },
      }),
    ),
  ...["c", "me"].map(
    (handle): Case => ({
      rule: RESERVED,
      tool: "create_pusher",
      name: `reserved and too short: ${handle}`,
      input: () => ({ handle, ...REQUIRED }),
      want: { error: "invalid_request", param: "handle" },
    }),
  ),
  {
    rule: "create-channel",
    tool: "create_pusher",
    name: "with the required fields only",
    given: async () => ({ handle: uniqueHandle() }),
    input: ({ handle }) => ({ handle, ...REQUIRED }),
    want: {
      body: {
        ...REQUIRED,
        long: null,
        site: null,
        city: null,
        lat: null,
        lon: null,
        radius_km: null,
        loc_rule: null,
        requested_perms: [],
        alert_types: [],
        tags: [],
        is_public: true,
        image_url: null,
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
    input: () => ({ handle: uniqueHandle(), ...REQUIRED }),
    want: {
      body: { created_at: expect.stringMatching(INSTANT), updated_at: expect.stringMatching(INSTANT) },
    },
  },
  {
    rule: "channel-address",
    tool: "create_pusher",
    input: () => ({ handle: uniqueHandle(), ...REQUIRED }),
    want: { body: { url: expect.stringMatching(/^http.+\/c\/[^/]+$/) } },
    after: (_world, _given, { body }) => expect(body.url.endsWith(`/c/${body.handle}`)).toBe(true),
  },
  {
    rule: "handle-is-unique",
    tool: "create_pusher",
    given: sharedPusher,
    input: ({ handle }) => ({ handle, ...REQUIRED }),
    want: { error: "conflict", param: null },
  },
  {
    rule: "handle-is-unique",
    tool: "create_pusher",
    name: "taken by another workspace",
    given: async (world) => world.pusher({}, await world.foreignKey()),
    input: ({ handle }) => ({ handle, ...REQUIRED }),
    want: { error: "conflict", param: null },
  },
  {
    rule: "handle-is-unique",
    tool: "create_pusher",
    name: "one of five simultaneous claims wins",
    given: async (world) => {
      const handle = uniqueHandle();
      const claims = Array.from({ length: 5 }, (_, i) =>
        i % 2 === 0
          ? world.rest("create_pusher", { handle, ...REQUIRED })
          : world.mcp("create_pusher", { handle, ...REQUIRED }),
      );
      const statuses = (await Promise.all(claims)).map(({ status }) => status).sort();
      expect(statuses).toEqual([201, 409, 409, 409, 409]);
      return { handle };
    },
    input: ({ handle }) => ({ handle, ...REQUIRED }),
    want: { error: "conflict" },
  },
  {
    rule: COLOUR,
    tool: "create_pusher",
    name: "no colours: the default pair",
    input: () => ({ handle: uniqueHandle(), ...REQUIRED, gradient_from: "red", gradient_to: "#12345" }),
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
    ([name, initials]): Case => ({
      rule: INITIALS,
      tool: "create_pusher",
      name: `${name} → ${initials}`,
      input: () => ({ handle: uniqueHandle(), ...REQUIRED, name }),
      want: { body: { initials } },
    }),
  ),
  ...(["lat", "lon", "radius_km"] as const).flatMap((missing): Case[] => [
    {
      rule: GEOFENCE,
      tool: "create_pusher",
      name: `without ${missing}`,
      input: () => ({ handle: uniqueHandle(), ...REQUIRED, ...FENCE, [missing]: undefined }),
      want: { error: "invalid_request", param: missing },
    },
    {
      rule: GEOFENCE,
      tool: "create_pusher",
      name: `with ${missing} null`,
      input: () => ({ handle: uniqueHandle(), ...REQUIRED, ...FENCE, [missing]: null }),
      want: { error: "invalid_request", param: missing },
    },
    {
      rule: GEOFENCE_BOUNDS,
      tool: "update_pusher",
      name: `${missing} cleared alone`,
      given: once((world) => world.pusher(FENCE)),
      input: ({ id }) => ({ pusher_id: id, [missing]: null }),
      want: { error: "invalid_request", param: missing },
    },
    {
      rule: GEOFENCE_BOUNDS,
      tool: "update_pusher",
      name: `${missing} moved alone where there is a circle`,
      given: once((world) => world.pusher(FENCE)),
      input: ({ id }) => ({ pusher_id: id, [missing]: 5 }),
      want: { body: { ...FENCE, [missing]: 5 } },
    },
  ]),
  {
    rule: MISSING,
    tool: "create_pusher",
    name: "lat alone names lon",
    input: () => ({ handle: uniqueHandle(), ...REQUIRED, lat: 1 }),
    want: { error: "invalid_request", param: "lon" },
  },
  {
    rule: GEOFENCE_BOUNDS,
    tool: "update_pusher",
    name: "lat alone where there is no circle",
    given: sharedPusher,
    input: ({ id }) => ({ pusher_id: id, lat: 1 }),
    want: { error: "invalid_request", param: "lon" },
  },
  {
    rule: "channel-status",
    tool: "create_pusher",
    name: "no status on create",
    input: () => ({ handle: uniqueHandle(), ...REQUIRED, status: "paused" }),
    want: { error: "invalid_request", param: "status" },
  },
  {
    rule: RESTRICTED,
    tool: "create_pusher",
    name: "by a bound key",
    given: async (world) => ({ key: await world.key({ pusher: (await sharedPusher(world)).id }) }),
    as: (_world, { key }) => key,
    input: () => ({ handle: uniqueHandle(), ...REQUIRED }),
    want: { error: "forbidden", param: null },
  },
  {
    rule: RESTRICTED,
    tool: "create_pusher",
    name: "by a restricted member, an admin even",
    given: async (world) => ({ key: await world.memberKey("admin", [(await sharedPusher(world)).id]) }),
    as: (_world, { key }) => key,
    input: () => ({ handle: uniqueHandle(), ...REQUIRED }),
    want: { error: "forbidden", param: null },
  },
  {
    rule: RESTRICTED,
    tool: "create_pusher",
    name: "by a member restricted to nothing",
    given: async (world) => ({ key: await world.memberKey("owner", []) }),
    as: (_world, { key }) => key,
    input: () => ({ handle: uniqueHandle(), ...REQUIRED }),
    want: { error: "forbidden", param: null },
  },
];

const readRows: Case[] = [
  {
    rule: "channel-answer",
    tool: "get_pusher",
    name: "a read answers what create answered, and the counts",
    given: async (world) =>
      world.pusher({ ...FENCE, tags: ["a"], long: "x", alert_types: ["b"], requested_perms: ["notify"] }),
    input: ({ id }) => ({ pusher_id: id }),
    want: { body: { subscribers: 0, alerts_sent: 0 } },
    after: (_world, pusher, { body }) => expect(body).toEqual({ ...pusher, subscribers: 0, alerts_sent: 0 }),
  },
  {
    rule: "channel-counts",
    tool: "get_pusher",
    also: ["events-of-subscribers", "events-of-subscribers"],
    name: "counts sent and scheduled-but-passed alerts, and subscribers",
    given: async (world) => {
      const pusher = await world.pusher();
      for (const state of ["draft", "scheduled", "passed", "sent", "sent", "cancelled"] as const)
        await alertIn(world, state, pusher);
      const withdrawn = await alertIn(world, "sent", pusher);
      await world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: withdrawn.id });
      await world.device(pusher.handle);
      const leaving = await world.device(pusher.handle);
      await world.handset("DELETE", `/subscriptions/${pusher.handle}`, leaving);
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id }),
    want: { body: { subscribers: 1, alerts_sent: 3 } },
    after: (world, { id }) =>
      expect(
        world.events.filter(({ event, data }) => data.pusher_id === id && event.startsWith("subscriber")),
      ).toMatchObject([
        { event: "subscriber.created", data: { pusher_id: id, count: 1 } },
        { event: "subscriber.created", data: { pusher_id: id, count: 2 } },
        { event: "subscriber.deleted", data: { pusher_id: id, count: 1 } },
      ]),
  },
  {
    rule: "channel-counts",
    tool: "get_pusher",
    name: "there is none",
    input: () => ({ pusher_id: "psh_01h2xcejqtf2nbrexx3vqjhp41" }),
    want: { error: "not_found", param: null },
  },
  {
    rule: UNKNOWN,
    tool: "get_pusher",
    name: "an unknown parameter",
    given: sharedPusher,
    input: ({ id }) => ({ pusher_id: id, verbose: "1" }),
    want: { error: "invalid_request", param: "verbose" },
  },
  {
    rule: "channel-backlog",
    tool: "list_pushers",
    name: "of one channel, by a key that is bound to it",
    given: async (world) => {
      const pusher = await world.pusher({ requested_perms: ["notify"] });
      for (const state of ["draft", "draft", "scheduled", "passed", "sent", "cancelled"] as const)
        await alertIn(world, state, pusher);
      return { key: await world.key({ pusher: pusher.id }), pusher };
    },
    as: (_world, { key }) => key,
    input: () => ({}),
    want: { body: { data: [{ drafts: 2, scheduled: 1 }] } },
    after: (_world, { pusher }, { body }) => {
      expect(body).toEqual({ data: [{ ...pusher, drafts: 2, scheduled: 1 }] });
    },
  },
  {
    rule: "channel-backlog",
    tool: "list_pushers",
    name: "of a new workspace: none",
    given: async (world) => ({ key: await world.foreignKey() }),
    as: (_world, { key }) => key,
    input: () => ({}),
    want: { body: { data: [] } },
    after: (_world, _given, { body }) => expect(Object.keys(body)).toEqual(["data"]),
  },
  {
    rule: "list-answer",
    tool: "list_pushers",
    given: async (world) => {
      const key = await world.foreignKey();
      const ids = [];
      for (let i = 0; i < 3; i++) ids.unshift((await world.pusher({}, key)).id);
      return { key, ids };
    },
    as: (_world, { key }) => key,
    input: () => ({}),
    want: {},
    after: (_world, { ids }, { body }) => expect(body.data.map(({ id }: any) => id)).toEqual(ids),
  },
  {
    rule: UNKNOWN,
    tool: "list_pushers",
    name: "an unknown parameter",
    input: () => ({ status: "active" }),
    want: { error: "invalid_request", param: "status" },
  },
];

const changeRows: Case[] = [
  {
    rule: "handle-is-permanent",
    tool: "update_pusher",
    given: sharedPusher,
    input: ({ id }) => ({ pusher_id: id, handle: "another-one" }),
    want: { error: "invalid_request", param: "handle" },
  },
  {
    rule: "handle-is-permanent",
    tool: "update_pusher",
    name: "the present handle is fine",
    given: (world) => world.pusher(),
    input: ({ id, handle }) => ({ pusher_id: id, handle, name: "Renamed" }),
    want: { body: { name: "Renamed" } },
  },
  {
    rule: "handle-is-permanent",
    tool: "update_pusher",
    name: "the same handle in upper case is another one",
    given: sharedPusher,
    input: ({ id, handle }) => ({ pusher_id: id, handle: handle.toUpperCase() }),
    want: { error: "invalid_request", param: "handle" },
  },
  {
    rule: PATCH,
    tool: "update_pusher",
    name: "one field changes, the rest stays",
    given: (world) =>
      world.pusher({ ...FENCE, long: "text", tags: ["a"], requested_perms: ["tts"], initials: "ZZ" }),
    input: ({ id }) => ({ pusher_id: id, city: "Porto" }),
    want: { body: { city: "Porto" } },
    after: (_world, pusher, { body }) =>
      expect({ ...body, updated_at: "" }).toEqual({ ...pusher, city: "Porto", updated_at: "" }),
  },
  {
    rule: PATCH,
    tool: "update_pusher",
    name: "null clears what may be null",
    given: (world) =>
      world.pusher({
        ...FENCE,
        long: "x",
        site: "https://example.org/",
        city: "x",
        loc_rule: "x",
        image_url: "https://example.org/",
      }),
    input: ({ id }) => ({
      pusher_id: id,
      long: null,
      site: null,
      city: null,
      loc_rule: null,
      image_url: null,
      lat: null,
      lon: null,
      radius_km: null,
    }),
    want: {
      body: {
        long: null,
        site: null,
        city: null,
        loc_rule: null,
        image_url: null,
        lat: null,
        lon: null,
        radius_km: null,
      },
    },
  },
  {
    rule: NULLS,
    tool: "update_pusher",
    name: "nothing sent, nothing changed",
    given: (world) => world.pusher(FENCE),
    input: ({ id }) => ({ pusher_id: id }),
    want: {},
    after: (_world, pusher, { body }) => expect(body).toEqual(pusher),
  },
  {
    rule: COLOUR,
    tool: "update_pusher",
    name: "an invalid colour keeps the current one",
    given: (world) => world.pusher({ gradient_from: "#00ff7f", gradient_to: "#abcdef" }),
    input: ({ id }) => ({ pusher_id: id, gradient_from: "rgb(0,0,0)", gradient_to: "" }),
    want: { body: { gradient_from: "#00ff7f", gradient_to: "#abcdef" } },
  },
  {
    rule: COLOUR,
    tool: "update_pusher",
    name: "each colour is judged alone",
    given: (world) => world.pusher({ gradient_from: "#00ff7f", gradient_to: "#abcdef" }),
    input: ({ id }) => ({ pusher_id: id, gradient_from: "#12345g", gradient_to: "#000000" }),
    want: { body: { gradient_from: "#00ff7f", gradient_to: "#000000" } },
  },
  {
    rule: PATCH,
    tool: "update_pusher",
    name: "initials stay when the name changes",
    given: (world) => world.pusher({ name: "Harbour Watch" }),
    input: ({ id }) => ({ pusher_id: id, name: "Other Name" }),
    want: { body: { name: "Other Name", initials: "HW" } },
  },
  {
    rule: TAGS,
    tool: "update_pusher",
    name: "found by the new name and tags, no longer by the old ones",
    given: async (world) => {
      const [before, after, tag] = [uniqueHandle(), uniqueHandle(), uniqueHandle()];
      const pusher = await world.pusher({ name: `Old ${before}` });
      return { pusher, before, after, tag };
    },
    input: ({ pusher, after, tag }) => ({
      pusher_id: pusher.id,
      name: `New ${after.toUpperCase()}`,
      tags: [tag.toUpperCase()],
    }),
    want: {},
    after: async (world, { pusher, before, after, tag }) => {
      const device = await world.device();
      // docs/rules.md#directory
      const found = async (q: string) =>
        (await world.handset("GET", `/channels?q=${q}`, device)).body.data.map(({ handle }: any) => handle);
      expect(await found(before)).toEqual([]);
      expect(await found(after)).toEqual([pusher.handle]);
      expect(await found(tag)).toEqual([pusher.handle]);
    },
  },
  {
    rule: "channel-public",
    tool: "update_pusher",
    name: "made private, it answers nobody new",
    given: (world) => world.pusher(),
    input: ({ id }) => ({ pusher_id: id, is_public: false }),
    want: { body: { is_public: false } },
    after: async (world, { handle }) => {
      const device = await world.device();
      expect((await world.handset("GET", `/channels/${handle}`, device)).status).toBe(404);
      expect((await world.handset("PUT", `/subscriptions/${handle}`, device, {})).status).toBe(404);
    },
  },
  {
    rule: PAUSE,
    tool: "update_pusher",
    name: "paused, and nothing is scheduled",
    given: (world) => world.pusher(),
    input: ({ id }) => ({ pusher_id: id, status: "paused" }),
    want: { body: { status: "paused", note: expect.stringMatching(/Nothing is scheduled/) } },
    after: async (world, { id, handle }) => {
      expect((await world.rest("create_alert", { pusher_id: id, title: "x" })).status).toBe(201);
      expect((await world.rest("create_alert", { pusher_id: id, title: "x", send: true })).status).toBe(409);
      expect((await world.rest("create_pusher", { handle, ...REQUIRED })).status).toBe(409);
    },
  },
  {
    rule: "pausing-withdraws-nothing",
    tool: "update_pusher",
    given: async (world) => {
      const pusher = await world.pusher();
      await alertIn(world, "scheduled", pusher);
      await alertIn(world, "scheduled", pusher);
      await alertIn(world, "passed", pusher);
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id, status: "paused" }),
    want: { body: { status: "paused", note: expect.stringMatching(/\b2\b.*cancel/) } },
    after: async (world, { id }) => {
      const { body } = await world.rest("list_alerts", { pusher_id: id, status: "scheduled" });
      expect(body.data).toHaveLength(2);
    },
  },
  {
    rule: "channel-resumed",
    tool: "update_pusher",
    given: async (world) => {
      const pusher = await world.pusher();
      await world.rest("update_pusher", { pusher_id: pusher.id, status: "paused" });
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id, status: "active" }),
    want: { body: { status: "active" } },
    after: async (world, { id }) =>
      expect((await world.rest("create_alert", { pusher_id: id, title: "x", send: true })).status).toBe(201),
  },
  {
    rule: PAUSE,
    tool: "update_pusher",
    name: "paused and changed at once",
    given: (world) => world.pusher(),
    input: ({ id }) => ({ pusher_id: id, status: "paused", city: "Porto" }),
    want: { body: { status: "paused", city: "Porto" } },
  },
  ...(["suspended", "deleted", "ACTIVE", "", null, true] as const).map(
    (status): Case => ({
      rule: "channel-status",
      tool: "update_pusher",
      name: `status ${JSON.stringify(status)}`,
      given: sharedPusher,
      input: ({ id }) => ({ pusher_id: id, status }),
      want: { error: "invalid_request", param: "status" },
    }),
  ),
  ...["active", "paused"].map(
    (status): Case => ({
      rule: "channel-suspended",
      tool: "update_pusher",
      name: `${status} while suspended`,
      given: suspendedPusher,
      input: ({ id }) => ({ pusher_id: id, status, name: "Renamed" }),
      want: { error: "forbidden", param: null },
      after: async (world, { id }) =>
        expect((await world.rest("get_pusher", { pusher_id: id })).body).toMatchObject({
          status: "suspended",
          name: "A channel",
        }),
    }),
  ),
  {
    rule: "channel-suspended",
    tool: "update_pusher",
    name: "restored by staff, it takes a status again",
    given: async (world) => {
      const pusher = await suspendedPusher(world);
      await suspend(world, pusher.handle, false);
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id, status: "paused" }),
    want: { body: { status: "paused" } },
  },
  {
    rule: STATUS_FIRST,
    tool: "update_pusher",
    name: "suspended as value, while suspended",
    given: suspendedPusher,
    input: ({ id }) => ({ pusher_id: id, status: "suspended" }),
    want: { error: "invalid_request", param: "status" },
  },
  {
    rule: STATUS_FIRST,
    tool: "update_pusher",
    name: "a bad status of a missing channel",
    input: () => ({ pusher_id: "psh_01h2xcejqtf2nbrexx3vqjhp41", status: "gone" }),
    want: { error: "invalid_request", param: "status" },
  },
  {
    rule: STATUS_FIRST,
    tool: "update_pusher",
    name: "other fields while suspended",
    given: suspendedPusher,
    input: ({ id }) => ({ pusher_id: id, name: "Renamed" }),
    want: { body: { status: "suspended", name: "Renamed" } },
  },
  {
    rule: "update-channel",
    tool: "update_pusher",
    name: "there is none",
    input: () => ({ pusher_id: "psh_01h2xcejqtf2nbrexx3vqjhp41", name: "x" }),
    want: { error: "not_found", param: null },
  },
];

async function suspendedPusher(world: Parameters<typeof sharedPusher>[0]) {
  const pusher = await world.pusher();
  await suspend(world, pusher.handle);
  return pusher;
}

const deleteRows: Case[] = [
  {
    rule: "delete-channel",
    tool: "delete_pusher",
    name: "with alerts of every status, then the handle is free",
    given: async (world) => {
      const pusher = await world.pusher();
      for (const state of ["draft", "scheduled", "passed", "sent", "cancelled"] as const)
        await alertIn(world, state, pusher);
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id }),
    want: {},
    after: async (world, { id, handle }) => {
      expect((await world.rest("get_pusher", { pusher_id: id })).status).toBe(404);
      expect((await world.rest("delete_pusher", { pusher_id: id })).status).toBe(404);
      const [left] = await world.sql(
        "select (select count(*) from alert where pusher_id = p)::int + (select count(*) from channel_state where pusher_id = p)::int + (select count(*) from channel_day where pusher_id = p)::int as n from (select ?::uuid as p) x",
        [uuidOf(id)],
      );
      expect(left.n).toBe(0);
      expect((await world.rest("create_pusher", { handle, ...REQUIRED })).status).toBe(201);
    },
  },
  {
    rule: "delete-channel",
    tool: "delete_pusher",
    name: "while paused",
    given: async (world) => {
      const alert = await alertOn("paused", "draft")(world);
      return { id: alert.pusher_id };
    },
    input: ({ id }) => ({ pusher_id: id }),
    want: {},
  },
  {
    rule: "delete-channel-with-subscribers",
    tool: "delete_pusher",
    given: async (world) => {
      const pusher = await world.pusher();
      await world.device(pusher.handle);
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id }),
    want: { error: "conflict", param: null, says: /pause/ },
    after: async (world, { id }) =>
      expect((await world.rest("get_pusher", { pusher_id: id })).body.subscribers).toBe(1),
  },
  {
    rule: "delete-channel-with-subscribers",
    tool: "delete_pusher",
    name: "a muted subscriber is one, and after the last one left it goes",
    given: async (world) => {
      const pusher = await world.pusher();
      const device = await world.device(pusher.handle);
      await world.handset("PUT", `/subscriptions/${pusher.handle}`, device, { muted: true });
      return { ...pusher, device };
    },
    input: ({ id }) => ({ pusher_id: id }),
    want: { error: "conflict" },
    after: async (world, { id, handle, device }) => {
      await world.handset("DELETE", `/subscriptions/${handle}`, device);
      expect((await world.rest("delete_pusher", { pusher_id: id })).status).toBe(204);
    },
  },
  {
    rule: "delete-suspended-channel",
    tool: "delete_pusher",
    given: suspendedPusher,
    input: ({ id }) => ({ pusher_id: id }),
    want: {},
    after: async (world, { handle }) => {
      const again = await world.rest("create_pusher", { handle, ...REQUIRED });
      expect(again.body.error).toMatchObject({ type: "conflict", param: null });
      expect(
        (await world.rest("create_pusher", { handle, ...REQUIRED }, await world.foreignKey())).status,
      ).toBe(409);
    },
  },
  {
    rule: UNKNOWN,
    tool: "delete_pusher",
    name: "an unknown parameter",
    given: sharedPusher,
    input: ({ id }) => ({ pusher_id: id, force: "true" }),
    want: { error: "invalid_request", param: "force" },
  },
];

const PAGES = "channel-list";

/** Five channels of a workspace of their own, two of which were opened in one instant. */
const five = once(async (world) => {
  const key = await world.foreignKey();
  const made: any[] = [];
  for (const age of [4, 3, 3, 2, 1]) {
    const pusher = await world.pusher({}, key);
    await world.sql(
      "update pusher set created_at = timestamptz '2026-03-01 00:00:00Z' - ? * interval '1 second' where id = ?",
      [age, uuidOf(pusher.id)],
    );
    made.unshift({ id: pusher.id, handle: pusher.handle, age });
  }
  made.sort((a, b) => a.age - b.age || (a.id < b.id ? 1 : -1));
  return { key, made, ids: made.map(({ id }) => id) };
});

const pageRows: Case[] = [
  {
    rule: PAGES,
    tool: "list_pushers",
    name: "no limit: all of them, newest first, and no meta",
    given: five,
    as: (_world, { key }) => key,
    input: () => ({}),
    want: {},
    after: (_world, { ids }, { body }) => {
      expect(Object.keys(body)).toEqual(["data"]);
      expect(body.data.map(({ id }: any) => id)).toEqual(ids);
    },
  },
  {
    rule: PAGES,
    tool: "list_pushers",
    name: "page by page: none lost, none twice",
    given: five,
    as: (_world, { key }) => key,
    input: () => ({ limit: 2 }),
    want: {},
    after: async (world, { ids, key }, { body: first }) => {
      const seen = first.data.map(({ id }: any) => id);
      for (let before = first.meta.next_before; before !== null; ) {
        const { body } = await world.rest("list_pushers", { limit: 2, before }, key);
        seen.push(...body.data.map(({ id }: any) => id));
        before = body.meta.next_before;
      }
      expect(seen).toEqual(ids);
      // Without a limit, before gives all that is older.
      const { body } = await world.rest("list_pushers", { before: first.data.at(-1).created_at }, key);
      expect(body.data.map(({ id }: any) => id)).toEqual(ids.slice(first.data.length));
    },
  },
  {
    rule: PAGES,
    tool: "list_pushers",
    name: "by its handle",
    given: five,
    as: (_world, { key }) => key,
    input: ({ made }) => ({ handle: made[2].handle }),
    want: {},
    after: (_world, { ids }, { body }) => expect(body.data.map(({ id }: any) => id)).toEqual([ids[2]]),
  },
  {
    rule: PAGES,
    tool: "list_pushers",
    name: "a handle of another workspace is none",
    given: five,
    input: ({ made }) => ({ handle: made[2].handle }),
    want: {},
    after: (_world, _given, { body }) => expect(body).toEqual({ data: [] }),
  },
  ...(
    [
      ["limit", 0],
      ["limit", 101],
      ["before", "yesterday"],
      ["status", "active"],
    ] as const
  ).map(
    ([param, value]): Case => ({
      rule: PAGES,
      tool: "list_pushers",
      name: `refuses ${param} ${value}`,
      input: () => ({ [param]: value }),
      want: { error: "invalid_request", param },
    }),
  ),
];

const ASKS = "channel-asks-for-nothing";
const SILENT = [
  {
    capability: "notify",
    field: "requested_perms",
    message: expect.stringMatching(/inbox.*requested_perms/),
  },
];

const askingRows: Case[] = [
  {
    rule: ASKS,
    tool: "create_pusher",
    name: "a channel that asks for nothing is told so",
    input: () => ({ handle: uniqueHandle(), name: "x", category: "ai", description: "x" }),
    want: { body: { requested_perms: [], notes: SILENT } },
  },
  {
    rule: ASKS,
    tool: "create_pusher",
    name: "one that asks for something has no notes",
    input: () => ({
      handle: uniqueHandle(),
      name: "x",
      category: "ai",
      description: "x",
      requested_perms: ["notify"],
    }),
    want: {},
    after: (_world, _given, { body }) => expect(body).not.toHaveProperty("notes"),
  },
  {
    rule: ASKS,
    tool: "update_pusher",
    name: "told on every change, until it asks",
    given: (world) => world.pusher(),
    input: ({ id }) => ({ pusher_id: id, name: "Another name" }),
    want: { body: { notes: SILENT } },
    after: async (world, { id }) => {
      const { body } = await world.rest("update_pusher", {
        pusher_id: id,
        requested_perms: ["notify", "sound"],
      });
      expect(body).not.toHaveProperty("notes");
      const none = await world.rest("update_pusher", { pusher_id: id, requested_perms: [] });
      expect(none.body).toMatchObject({ notes: SILENT });
    },
  },
];

export const pusherCases: Case[] = [
  ...fieldRows,
  ...createRows,
  ...readRows,
  ...changeRows,
  ...deleteRows,
  ...pageRows,
  ...askingRows,
];
