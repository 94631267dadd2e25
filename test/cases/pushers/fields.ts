// Accepted and refused values of each field of a channel, on creation and on edit.

import type { TestCase } from "../../support/case_runner.ts";
import { createHandle } from "../../support/world.ts";
import { ALL_PERMS, emojiText, getSharedPusher, oncePerWorld } from "../fixtures.ts";
import { CHANNEL_CIRCLE, longText, REQUIRED_FIELDS } from "./fixtures.ts";

const NAME = "channel-name";
const CATEGORY = "channel-category";
const DESCRIPTION = "channel-description";
const LONG = "channel-long";
const HTTPS = "channel-site";
const CITY = "channel-city";
const RETENTION_DAYS = "retention-days";
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
const NULLS = "patch-null";
const UNKNOWN = "unknown-fields";
const NON_HTTPS = "https-only";
const DEFAULTS = "channel-defaults";

const url = (n: number) => `https://example.org/${longText(n - 20)}`;

/** Values that both create and PATCH accept, and the result where it differs. */
const TAKEN: [rule: string, name: string, fields: Record<string, unknown>, shown?: Record<string, unknown>][] = [
  [NAME, "one character", { name: "x" }],
  [LENGTHS, "a name of 80", { name: longText(80) }],
  [CODE_POINTS, "a name of 80 emoji", { name: emojiText(80) }],
  ...["cities", "travel", "events", "concerts", "restaurants", "hotels"].map(
    (category): [string, string, object & Record<string, unknown>] => [CATEGORY, category, { category }],
  ),
  ...["business", "ai", "sports", "emergency", "community"].map(
    (category): [string, string, object & Record<string, unknown>] => [CATEGORY, category, { category }],
  ),
  [DESCRIPTION, "one character", { description: "x" }],
  [LENGTHS, "a description of 200 emoji", { description: emojiText(200) }],
  [LONG, "a text", { long: "Two\nlines" }],
  [LONG, "null", { long: null }],
  [LENGTHS, "a long text of 4,000 emoji", { long: emojiText(4000) }],
  [HTTPS, "an https address", { site: "https://example.org/a?b=c#d" }],
  [HTTPS, "null", { site: null }],
  [LENGTHS, "an address of 2,048", { site: url(2048) }],
  [IMAGE, "an https address", { image_url: "https://example.org/a.png" }],
  [IMAGE, "null", { image_url: null }],
  [CITY, "a text", { city: "Lisbon" }],
  [CITY, "null", { city: null }],
  [LENGTHS, "a city of 80", { city: longText(80) }],
  [GEOFENCE, "the poles", { ...CHANNEL_CIRCLE, lat: 90 }],
  [GEOFENCE, "the other pole", { ...CHANNEL_CIRCLE, lat: -90 }],
  [GEOFENCE, "the date line", { ...CHANNEL_CIRCLE, lon: 180 }],
  [GEOFENCE, "its other side", { ...CHANNEL_CIRCLE, lon: -180 }],
  [GEOFENCE, "a small circle", { ...CHANNEL_CIRCLE, radius_km: 0.001 }],
  [GEOFENCE_BOUNDS, "the largest circle", { ...CHANNEL_CIRCLE, radius_km: 20_038 }],
  [GEOFENCE, "all three null", { lat: null, lon: null, radius_km: null }],
  [RETENTION_DAYS, "a week", { retention_days: 7 }],
  [RETENTION_DAYS, "ten years", { retention_days: 3650 }],
  [RETENTION_DAYS, "for ever", { retention_days: 0 }],
  [RETENTION_DAYS, "the workspace's setting", { retention_days: null }],
  [LOC_RULE, "a slug", { loc_rule: "inside_only.v-2" }],
  [LOC_RULE, "null", { loc_rule: null }],
  [LENGTHS, "a loc_rule of 40", { loc_rule: longText(40) }],
  [PERMS, "every capability", { requested_perms: ALL_PERMS }],
  [PERMS, "none", { requested_perms: [] }],
  [TYPES, "some", { alert_types: ["Closures", "tides"] }],
  [LENGTHS, "20 alert types of 40", { alert_types: Array.from({ length: 20 }, () => longText(40)) }],
  [TAGS, "lower case, once each", { tags: ["Sea", "sea", "TIDE", "ÉTÉ"] }, { tags: ["sea", "tide", "été"] }],
  [
    LENGTHS,
    "20 tags after removing doubles",
    { tags: [...Array.from({ length: 20 }, (_, i) => `t${i}`), "T0"] },
    { tags: Array.from({ length: 20 }, (_, i) => `t${i}`) },
  ],
  [LENGTHS, "a tag of 40 emoji", { tags: [emojiText(40)] }],
  [DEFAULTS, "private", { is_public: false }],
  [DEFAULTS, "public", { is_public: true }],
  [COLOUR, "two colours", { gradient_from: "#00ff7f", gradient_to: "#123456" }],
  [INITIALS, "three characters", { initials: emojiText(3) }],
  [INITIALS, "one character", { initials: "Q" }],
];

/** Values that neither create nor PATCH accepts, and the field of the error. */
const REFUSED: [rule: string, name: string, fields: Record<string, unknown>, param: string][] = [
  [NAME, "a number", { name: 5 }, "name"],
  [NULLS, "a null name", { name: null }, "name"],
  [CODE_POINTS, "an empty name", { name: "" }, "name"],
  [CODE_POINTS, "a name of white space", { name: " \t\u3000" }, "name"],
  [LENGTHS, "a name of 81", { name: longText(81) }, "name"],
  [LENGTHS, "a name of 81 emoji", { name: emojiText(81) }, "name"],
  [CATEGORY, "another word", { category: "weather" }, "category"],
  [CATEGORY, "another case", { category: "Cities" }, "category"],
  [NULLS, "a null category", { category: null }, "category"],
  [NULLS, "a null description", { description: null }, "description"],
  [LENGTHS, "a description of 201", { description: longText(201) }, "description"],
  [LENGTHS, "a long text of 4,001", { long: longText(4001) }, "long"],
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
  [LENGTHS, "a city of 81", { city: longText(81) }, "city"],
  [GEOFENCE_BOUNDS, "beyond a pole", { ...CHANNEL_CIRCLE, lat: 90.0001 }, "lat"],
  [GEOFENCE_BOUNDS, "beyond the date line", { ...CHANNEL_CIRCLE, lon: -180.5 }, "lon"],
  [GEOFENCE_BOUNDS, "no radius", { ...CHANNEL_CIRCLE, radius_km: 0 }, "radius_km"],
  [GEOFENCE_BOUNDS, "a negative radius", { ...CHANNEL_CIRCLE, radius_km: -1 }, "radius_km"],
  [GEOFENCE_BOUNDS, "too large a radius", { ...CHANNEL_CIRCLE, radius_km: 20_038.1 }, "radius_km"],
  [GEOFENCE, "a text", { ...CHANNEL_CIRCLE, lat: "38.7" }, "lat"],
  ...[6, 3651, -7, 7.5, "7"].map((days): [string, string, object & Record<string, unknown>, string] => [
    RETENTION_DAYS,
    `${typeof days} ${days}`,
    { retention_days: days },
    "retention_days",
  ]),
  [LENGTHS, "a loc_rule of 41", { loc_rule: longText(41) }, "loc_rule"],
  [LENGTHS, "a loc_rule that is not a slug", { loc_rule: "Inside Only" }, "loc_rule"],
  [LENGTHS, "an empty loc_rule", { loc_rule: "" }, "loc_rule"],
  [PERMS, "another word", { requested_perms: ["notify", "shout"] }, "requested_perms.1"],
  [NULLS, "null capabilities", { requested_perms: null }, "requested_perms"],
  [PERMS, "one text", { requested_perms: "notify" }, "requested_perms"],
  [NULLS, "null alert types", { alert_types: null }, "alert_types"],
  [LENGTHS, "21 alert types", { alert_types: Array.from({ length: 21 }, () => "x") }, "alert_types"],
  [LENGTHS, "an alert type of 41", { alert_types: ["x", longText(41)] }, "alert_types.1"],
  [LENGTHS, "an empty alert type", { alert_types: [""] }, "alert_types.0"],
  [NULLS, "null tags", { tags: null }, "tags"],
  [LENGTHS, "21 tags", { tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, "tags"],
  [LENGTHS, "a tag of 41", { tags: ["sea", longText(41)] }, "tags.1"],
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

export const pusherFieldCases: TestCase[] = [
  ...TAKEN.flatMap(([rule, name, fields, shown = fields]): TestCase[] => [
    {
      rule,
      tool: "create_pusher",
      name: `takes ${Object.keys(fields)}: ${name}`,
      input: () => ({ handle: createHandle(), ...REQUIRED_FIELDS, ...fields }),
      want: { body: shown },
    },
    {
      rule,
      tool: "update_pusher",
      name: `takes ${Object.keys(fields)}: ${name}`,
      given: oncePerWorld((world) => world.pusher()),
      input: ({ id }) => ({ pusher_id: id, ...fields }),
      want: { body: shown },
    },
  ]),
  ...REFUSED.flatMap(([rule, name, fields, param]): TestCase[] => [
    {
      rule,
      tool: "create_pusher",
      name: `refuses ${param}: ${name}`,
      input: () => ({ handle: createHandle(), ...REQUIRED_FIELDS, ...fields }),
      want: { error: "invalid_request", param },
    },
    {
      rule,
      tool: "update_pusher",
      name: `refuses ${param}: ${name}`,
      given: getSharedPusher,
      input: ({ id }) => ({ pusher_id: id, ...fields }),
      want: { error: "invalid_request", param },
    },
  ]),
];
