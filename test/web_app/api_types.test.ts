// The app's own types of the API's responses, compared with the API's. The compiler fails where the app reads a missing
// field, and the test where the two lists of fields differ.

import { expect, test } from "vitest";
import type { z } from "zod";
import type { channelCardSchema, inboxItem, subscriptionSchema } from "../../src/handset/handset_schemas.ts";
import { CHANNEL_CATEGORIES, REQUESTABLE_DEVICE_PERMISSIONS } from "../../src/model/fields/channel.ts";
import type { ChannelCard, FetchedInboxAlert, SubscriptionState } from "../../src/pages/web_app/browser/api_types.ts";
import { ALERT_PERMISSIONS as KNOWN } from "../../src/pages/web_app/browser/rules/rule_types.ts";
import { en } from "../../src/pages/web_app/browser/texts/en.ts";

// Values of the server's types must fit the app's types.
const fits = {
  alert: (sent: z.output<typeof inboxItem>): FetchedInboxAlert => sent,
  card: (sent: z.output<typeof channelCardSchema>): ChannelCard => sent,
  subscription: (sent: z.output<typeof subscriptionSchema>): SubscriptionState => sent,
};

test("the API's responses fit the app's types", () => {
  expect(Object.keys(fits)).toHaveLength(3);
  expect([...KNOWN]).toEqual([...REQUESTABLE_DEVICE_PERMISSIONS]);
});

test("every category has a name", () => {
  const unnamed = CHANNEL_CATEGORIES.filter((category) => !Object.hasOwn(en, `category.${category}`));
  expect(unnamed).toEqual([]);
});
