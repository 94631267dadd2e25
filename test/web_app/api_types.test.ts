// The app's own word of what the API answers, held against the API's: the compiler fails where the app reads what is
// not sent, and the test where the two lists of fields part.

import { expect, test } from "vitest";
import type { z } from "zod";
import type { channelCardView, inboxItem, subscriptionView } from "../../src/handset/handset_schemas.ts";
import { CAPABILITIES, CATEGORIES } from "../../src/model/fields/channel.ts";
import type { ChannelCard, InboxAlert, SubscriptionAnswer } from "../../src/pages/web_app/browser/api_types.ts";
import { ALERT_CAPABILITIES as KNOWN } from "../../src/pages/web_app/browser/rules/rule_types.ts";
import { en } from "../../src/pages/web_app/browser/texts/en.ts";

// What the server's shapes give has to fit where the app takes it.
const fits = {
  alert: (sent: z.output<typeof inboxItem>): InboxAlert => sent,
  card: (sent: z.output<typeof channelCardView>): ChannelCard => sent,
  subscription: (sent: z.output<typeof subscriptionView>): SubscriptionAnswer => sent,
};

test("what the API answers fits the app's types", () => {
  expect(Object.keys(fits)).toHaveLength(3);
  expect([...KNOWN]).toEqual([...CAPABILITIES]);
});

test("every category has a name", () => {
  const unnamed = CATEGORIES.filter((category) => !Object.hasOwn(en, `category.${category}`));
  expect(unnamed).toEqual([]);
});
