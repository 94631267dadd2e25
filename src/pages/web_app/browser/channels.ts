// What the person does with a channel: join, grant, mute, leave. Each asks the service first, and only then changes what is kept.

import { getCard, leave, putSubscription, Refused } from "./api.ts";
import { now } from "./clock.ts";
import { ownDevice } from "./device.ts";
import { changed, current } from "./state.ts";
import { forgetChannel, type KeptChannel } from "./store.ts";
import { hurry } from "./tabs.ts";
import type { Card, Subscription } from "./wire.ts";

/**
 * Keeps a card as it was shown now. Who calls it says `changed()` afterwards. `once` stays as it was last kept where it is not said: what
 * is on the screen may be older than what the person has just chosen.
 */
export const keep = async (card: Card, once?: boolean): Promise<KeptChannel> => {
  const work = current().store?.transaction("channels", "readwrite");
  const before = await work?.store.get(card.handle);
  const kept = { ...card, once: once ?? before?.once ?? false, looked_at: now() };
  await work?.store.put(kept);
  await work?.done;
  return kept;
};

/** The card as the service shows it now; what is followed is kept. @throws Refused with 404 without a usable invite. */
export async function lookUp(handle: string, invite?: string | null): Promise<Card> {
  const { token } = await ownDevice();
  const card = await getCard(token, handle, invite);
  if (!card.subscription) return card;
  const kept = await keep(card);
  await changed();
  return kept;
}

export async function join(card: Card, permissions: string[], invite: string | null): Promise<void> {
  const { token } = await ownDevice();
  const subscription = await putSubscription(token, card.handle, {
    permissions,
    ...(invite === null ? {} : { invite }),
  });
  await settle(card, subscription);
  hurry();
}

export async function adjust(card: Card, part: { muted?: boolean; permissions?: string[] }): Promise<void> {
  const { token } = await ownDevice();
  await settle(card, await putSubscription(token, card.handle, part));
}

/** Whether urgent alerts of it are shown again is this device's own business: the service is not told. */
export async function showOnce(card: Card, once: boolean): Promise<void> {
  const kept = current().channels.get(card.handle);
  if (kept) await keep(kept, once);
  await changed();
}

async function settle(card: Card, { muted, permissions, subscribed_at }: Subscription): Promise<void> {
  await keep({ ...card, subscription: { muted, permissions, subscribed_at } });
  await changed();
}

/** Leaves, and forgets what the channel had sent. */
export async function leaveChannel(handle: string): Promise<void> {
  const { store, device } = current();
  if (!store || !device) return;
  await leave(device.token, handle);
  await forgetChannel(store, handle);
  await changed();
}

/**
 * After the service forgot the device: a new one, with what the old one followed and granted.
 * @returns names of the channels that did not let it in again, such as those that want an invite
 */
export async function joinAgain(): Promise<string[]> {
  const followed = [...current().channels.values()].filter(({ subscription }) => subscription !== null);
  await ownDevice();
  const refused: string[] = [];
  for (const card of followed) {
    try {
      await join(card, card.subscription?.permissions ?? [], null);
      if (card.subscription?.muted) await adjust(card, { muted: true });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refused.push(card.name);
    }
  }
  return refused;
}

/**
 * Asks for the cards of channels of which something vanished or that are not known. One that does not show itself any more has put
 * the device out: what it had sent stays. Answers which of them are followed. @throws Unreachable
 */
export async function lookAt(handles: Iterable<string>): Promise<Set<string>> {
  const { store, device, channels } = current();
  const followed = new Set<string>();
  if (!store || !device) return followed;
  for (const handle of handles) {
    try {
      const { subscription } = await keep(await getCard(device.token, handle));
      if (subscription) followed.add(handle);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const known = channels.get(handle);
      if (error.status === 404 && known) await keep({ ...known, subscription: null });
    }
  }
  return followed;
}
