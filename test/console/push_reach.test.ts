// The console's numbers of devices that an alert could reach, and of those that receive push notifications while their
// app is closed.

import { expect, test } from "vitest";
import { signInOwner } from "../support/console_site.ts";
import { joinWithPush } from "../support/push_handsets.ts";
import { startPushService } from "../support/push_service.ts";
import { World } from "../support/world.ts";

/** A channel, and the text about its reach on two pages: where an alert is written and where it is decided. */
async function opened(settings: Record<string, string>) {
  const world = await World.open({ settings });
  const owner = await signInOwner(world);
  const pusher = await world.pusher({ requested_perms: ["notify"] });
  const { id } = await world.alert(pusher.id);
  const base = `/console/${world.workspace.id}/channels/${pusher.id}/alerts`;
  const said = async () => {
    const texts = await Promise.all(
      [`new?once=${crypto.randomUUID()}`, id].map(async (page) => (await owner.get(`${base}/${page}`)).text),
    );
    return texts.map((text) => /\d+ devices? subscribed[^<]*?\.(?= A sent|<)/.exec(text)?.[0]);
  };
  return { world, pusher, said };
}

const twice = (text: string) => [text, text];

// rules#console-says-who-wakes
test("the pages for writing and deciding show how many devices of the reach receive push notifications", async () => {
  const service = await startPushService();
  const { world, pusher, said } = await opened({ WEB_PUSH_ALLOW_HOSTS: service.host });
  expect(await said()).toEqual(twice("0 devices subscribed."));
  await joinWithPush(world, pusher.handle, service.endpoint("one"));
  await world.device(pusher.handle);
  expect(await said()).toEqual(
    twice("2 devices subscribed; 1 can receive push notifications while the app is closed."),
  );
  // A subscriber without a noticeable permission receives no push notification.
  await joinWithPush(world, pusher.handle, service.endpoint("two"), { permissions: ["loc"] });
  expect(await said()).toEqual(
    twice("3 devices subscribed; 1 can receive push notifications while the app is closed."),
  );
  await world.close();
  service.close();
});

// rules#console-says-who-wakes
test("a server without push notifications shows that there", async () => {
  const { world, pusher, said } = await opened({ WEB_PUSH: "off" });
  await world.device(pusher.handle);
  const silent =
    "1 device subscribed; none can receive push notifications while the app is closed. " +
    "The operator can turn on WEB_PUSH.";
  expect(await said()).toEqual(twice(silent));
  await world.close();
});
