// docs/reference/handset-api.md is the reference for writing another handset. It covers every call, every field with an
// effect, and every permission, and its numbers are the service's.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { HANDSET_OPERATIONS } from "../../src/handset/handset_operations.ts";
import { ALERT_FIELDS } from "../../src/model/fields/alert.ts";
import { REQUESTABLE_DEVICE_PERMISSIONS } from "../../src/model/fields/channel.ts";
import { PLATFORMS } from "../../src/model/fields/device.ts";
import { getFieldNames, selectFieldsShownTo } from "../../src/model/fields/field_table.ts";
import { formatLimit, LIMITS } from "../../src/model/limits.ts";

/** As it is read: without the marks of generated parts. */
const page = readFileSync(new URL("../../docs/reference/handset-api.md", import.meta.url), "utf8").replace(
  /<!--.*?-->/g,
  "",
);
/** A chapter, from its heading to the next one of the same rank. */
const chapter = (heading: string) => {
  const [, text] = page.split(new RegExp(`^#+ ${heading}.*$`, "m"));
  return text!.split(/^## /m)[0]!;
};

test("every call of a handset is there, and no other", () => {
  const listed = [...chapter("The calls").matchAll(/^\| `(\w+ \S+)` \|/gm)].map(([, call]) => call);
  expect(listed.sort()).toEqual(HANDSET_OPERATIONS.map(({ http }) => `${http.method} ${http.path}`).sort());
});

test("every permission and platform is there", () => {
  const rows = [...chapter("Permissions").matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(rows).toEqual([...REQUESTABLE_DEVICE_PERMISSIONS]);
  for (const platform of PLATFORMS) expect(chapter("The token")).toContain(`\`${platform}\``);
});

test("every field by which an alert requests an effect is there", () => {
  const said = ["title", "body", "image_url", "image_asset_id", "html_asset_id", "html", "geo_rule"];
  const named = chapter("The content of an alert");
  const missing = getFieldNames(selectFieldsShownTo(ALERT_FIELDS, "handset")).filter(
    (name) => !said.includes(name) && !named.includes(`\`${name}\``),
  );
  expect(missing).toEqual([]);
});

test("its numbers are the service's", () => {
  expect(chapter("Poll")).toContain(`\`wait\` is at most ${LIMITS.held_seconds},`);
  expect(chapter("When something is refused")).toContain(`${formatLimit("channels_of_device")} channels`);
  expect(chapter("The token").replace(/\s+/g, " ")).toContain(`at most ${LIMITS.registrations} handsets a minute`);
});
