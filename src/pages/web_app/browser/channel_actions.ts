// A person's actions on a channel: join, grant, mute, leave. Each sends a request to the service first, and only then
// changes the stored state.

import type { ChannelCard, SubscriptionState } from "./api_types.ts";
import { getAppState, reloadStateInAllTabs } from "./app_state.ts";
import { now } from "./current_time.ts";
import { ensureDevice } from "./device.ts";
import { deleteSubscriptionOnServer, fetchChannelCard, putSubscription, ServiceRefusedError } from "./handset_api.ts";
import { deleteStoredChannel, type LocalChannelChoices, type StoredChannel } from "./local_store.ts";
import { requestImmediateSync } from "./tab_leader.ts";

/**
 * Stores a card as of now. The caller calls `reloadStateInAllTabs()` afterwards. Choices that are not given stay as
 * they are stored: the screen may be older than the user's last choice.
 */
export const storeChannel = async (card: ChannelCard, choices: LocalChannelChoices = {}): Promise<StoredChannel> => {
  const work = getAppState().store?.transaction("channels", "readwrite");
  const { once = false, paused_until = null, sounds = {} } = (await work?.store.get(card.handle)) ?? {};
  const kept = { ...card, once, paused_until, sounds, ...choices, looked_at: now() };
  await work?.store.put(kept);
  await work?.done;
  return kept;
};

/** The card as the service shows it now; what is followed is kept. @throws Refused with 404 without a usable invite. */
export async function fetchChannel(handle: string, invite?: string | null): Promise<ChannelCard> {
  const { token } = await ensureDevice();
  const card = await fetchChannelCard(token, handle, invite);
  if (!card.subscription) return card;
  const kept = await storeChannel(card);
  await reloadStateInAllTabs();
  return kept;
}

export async function joinChannel(card: ChannelCard, permissions: string[], invite: string | null): Promise<void> {
  const { token } = await ensureDevice();
  const subscription = await putSubscription(token, card.handle, {
    permissions,
    ...(invite === null ? {} : { invite }),
  });
  await settle(card, subscription);
  requestImmediateSync();
}

export async function updateSubscription(
  card: ChannelCard,
  part: { muted?: boolean; permissions?: string[] },
): Promise<void> {
  const { token } = await ensureDevice();
  await settle(card, await putSubscription(token, card.handle, part));
}

/** Stores choices that stay on this device: pauses, sounds, and repeats of urgent alerts. */
export async function setLocalChannelChoices(card: ChannelCard, choices: LocalChannelChoices): Promise<void> {
  const kept = getAppState().channels.get(card.handle);
  if (kept) await storeChannel(kept, choices);
  await reloadStateInAllTabs();
}

async function settle(card: ChannelCard, { muted, permissions, subscribed_at }: SubscriptionState): Promise<void> {
  await storeChannel({ ...card, subscription: { muted, permissions, subscribed_at } });
  await reloadStateInAllTabs();
}

/** Leaves, and forgets what the channel had sent. */
export async function leaveChannel(handle: string): Promise<void> {
  const { store, device } = getAppState();
  if (!store || !device) return;
  await deleteSubscriptionOnServer(device.token, handle);
  await deleteStoredChannel(store, handle);
  await reloadStateInAllTabs();
}

/**
 * After the service forgot the device: registers a new one with the subscriptions and grants of the old one.
 * @returns names of the channels that refused it, such as those that need an invite
 */
export async function rejoinChannels(): Promise<string[]> {
  const followed = [...getAppState().channels.values()].filter(({ subscription }) => subscription !== null);
  await ensureDevice();
  const refused: string[] = [];
  for (const card of followed) {
    try {
      await joinChannel(card, card.subscription?.permissions ?? [], null);
      if (card.subscription?.muted) await updateSubscription(card, { muted: true });
    } catch (error) {
      if (!(error instanceof ServiceRefusedError)) throw error;
      refused.push(card.name);
    }
  }
  return refused;
}

/**
 * Requests the cards of channels that are unknown or lost an alert. A channel that is no longer visible has removed the
 * device; its sent alerts stay. Returns the followed ones. @throws Unreachable
 */
export async function refreshChannelCards(handles: Iterable<string>): Promise<Set<string>> {
  const { store, device, channels } = getAppState();
  const followed = new Set<string>();
  if (!store || !device) return followed;
  for (const handle of handles) {
    try {
      const { subscription } = await storeChannel(await fetchChannelCard(device.token, handle));
      if (subscription) followed.add(handle);
    } catch (error) {
      if (!(error instanceof ServiceRefusedError)) throw error;
      const known = channels.get(handle);
      if (error.status === 404 && known) await storeChannel({ ...known, subscription: null });
    }
  }
  return followed;
}
