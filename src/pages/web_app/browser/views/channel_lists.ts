// The channels that this device follows, and the directory of those that it could.

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { LIMITS } from "../../../../model/limits.ts";
import type { ApiPage, ChannelCard } from "../api_types.ts";
import { useAppState } from "../app_state.ts";
import { ensureDevice } from "../device.ts";
import { findChannels } from "../handset_api.ts";
import { html, type VNodeContent } from "../html_template.ts";
import type { StoredAlert, StoredChannel } from "../local_store.ts";
import { routeHashes, useRoute } from "../router.ts";
import { compareNewestFirst } from "../rules/current_alerts_and_history.ts";
import { subscribeFromList } from "../subscribing.ts";
import { formatDayAndTime, formatNumber } from "../texts/formats.ts";
import type { TextKey } from "../texts/text_types.ts";
import { t } from "../texts/translate.ts";
import {
  ChannelAvatar,
  describeActionError,
  EmptyState,
  LoadingPlaceholder,
  NoteStrip,
  PaneHeader,
  renderSymbolIcon,
  tryAction,
} from "./components.ts";

const DIRECTORY_CATEGORIES = [
  "business",
  "cities",
  "community",
  "concerts",
  "emergency",
  "events",
  "hotels",
  "restaurants",
  "sports",
  "travel",
  "ai",
] as const;

/** A category's name; a newer one by its own word. */
export const getChannelCategoryName = (category: string): string =>
  (DIRECTORY_CATEGORIES as readonly string[]).includes(category) ? t(`category.${category}` as TextKey) : category;

interface RowProps {
  card: ChannelCard;
  to: string;
  chosen: boolean;
  /** The channel's newest alert on this device, or null, in the list of followed channels. */
  newest?: StoredAlert | null;
  children?: VNodeContent;
}

/** A channel. Its name and its row open its page. A followed one has two lines, with the time at the end. */
function Row({ card, to, chosen, newest, children }: RowProps): VNode {
  const { at: now } = useAppState();
  const followed = newest !== undefined;
  const facts = followed ? [] : [getChannelCategoryName(card.category), card.city].filter(Boolean);
  return html`<li class=${followed ? "row followed" : "row"}><${ChannelAvatar} card=${card} />
    <div class="rowtext"><a href=${to} id=${`row-${card.handle}`} aria-current=${chosen ? "true" : undefined}
      dir="auto">${card.name}</a><span class="small muted"
      dir="auto">${newest?.title ?? card.description}</span></div>
    <p class="rowfoot">${
      followed
        ? html`<time class="xs muted num">${newest && formatDayAndTime(Date.parse(newest.sent_at), now)}</time>`
        : html`<span class="xs muted facts-line">${facts.map(
            (part) => html`<span class="line"><bdi>${part}</bdi></span>`,
          )}</span>`
    }${children}</p></li>`;
}

/** Joins with what the channel requests for alerts, and opens its page with the result. */
function SubscribeButton({ card }: { card: ChannelCard }): VNode {
  const [busy, setBusy] = useState(false);
  const join = async () => {
    setBusy(true);
    if (await tryAction(() => subscribeFromList(card))) location.hash = routeHashes.found(card.handle);
    else setBusy(false);
  };
  return html`<button class="plain" disabled=${busy} aria-describedby=${`row-${card.handle}`}
    onClick=${() => void join()}>${t("channel.subscribe")}</button>`;
}

export function FollowedChannelList({ chosen }: { chosen: string | null }): VNode {
  const { alerts, channels, ready, at: now } = useAppState();
  const newestFirst = Map.groupBy(alerts.toSorted(compareNewestFirst), ({ handle }) => handle);
  const sentAt = ({ handle }: ChannelCard) => newestFirst.get(handle)?.[0]?.sent_at ?? "";
  const rows = [...channels.values()].toSorted(
    (a, b) => sentAt(b).localeCompare(sentAt(a)) || a.name.localeCompare(b.name),
  );
  const find = html`<a class="button plain" href=${routeHashes.discover}>${t("inbox.find")}</a>`;
  return html`<${PaneHeader} title=${t("nav.channels")} beside=${useRoute().view !== "channels"}>${find}<//>
    ${!ready && html`<${LoadingPlaceholder} />`}
    ${
      ready &&
      rows.length === 0 &&
      html`<${EmptyState} sign="channels" title=${t("channel.none")} text=${t("discover.none_hint")} />`
    }
    <ul class="rows">${rows.map((card) => {
      const own = newestFirst.get(card.handle) ?? [];
      return html`<${Row} key=${card.handle} card=${card} to=${routeHashes.channel(card.handle)}
        chosen=${card.handle === chosen} newest=${own[0] ?? null}>
        <span class="marks">${renderChannelState(card, now)}<${UnreadCount} alerts=${own} /></span><//>`;
    })}</ul>`;
}

/** Why a channel of the list is silent; nothing where it is not. */
function renderChannelState({ subscription, paused_until }: StoredChannel, now: number): VNodeContent {
  if (subscription === null) return html`<span class="tag">${t("channel.out")}</span>`;
  if (subscription.muted)
    return html`<span class="muted" role="img" aria-label=${t("channel.muted")}
      title=${t("channel.muted")}>${renderSymbolIcon("mute", "s")}</span>`;
  return (paused_until ?? 0) > now && html`<span class="tag">${t("pause.paused")}</span>`;
}

function UnreadCount({ alerts }: { alerts: readonly StoredAlert[] }): VNode | null {
  const count = alerts.filter(({ read_at, archived }) => read_at === null && !archived).length;
  if (count === 0) return null;
  const label = t("inbox.unread", { count });
  return html`<span class="count" role="img" aria-label=${label} title=${label}>${formatNumber(count)}</span>`;
}

/** Names a search without a result. */
function describeSearch(query: string, category: string): string {
  const values = { query, category: getChannelCategoryName(category) };
  if (query !== "") return t(category === "" ? "search.no_channel" : "search.no_channel_in", values);
  return category === "" ? t("discover.none") : t("search.none_in_category", values);
}

/** Milliseconds after the last key before it is searched. */
const STILL_MS = 250;

export function ChannelDirectory({ chosen }: { chosen: string | null }): VNode {
  const { channels } = useAppState();
  const [q, setQ] = useState("");
  const [category, setCategory] = useState("");
  const [found, setFound] = useState<ApiPage<ChannelCard> | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);

  const load = async (before: string | null, signal: AbortSignal) => {
    const { token } = await ensureDevice();
    const words = q.trim().slice(0, LIMITS.search);
    return findChannels(token, { ...(words && { q: words }), ...(category && { category }), before }, signal);
  };
  useEffect(() => {
    const asking = new AbortController();
    const timer = setTimeout(
      () =>
        load(null, asking.signal).then(
          (page) => {
            setFound(page);
            setTrouble(null);
          },
          (error) => asking.signal.aborted || setTrouble(describeActionError(error)),
        ),
      q === "" ? 0 : STILL_MS,
    );
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [q, category]);
  const more = async ({ data, meta }: ApiPage<ChannelCard>) => {
    try {
      const page = await load(meta.next_before, new AbortController().signal);
      setFound({ data: [...data, ...page.data], meta: page.meta });
    } catch (error) {
      setTrouble(describeActionError(error));
    }
  };

  return html`<${PaneHeader} title=${t("nav.discover")} beside=${useRoute().view !== "discover"} />
    <form class="search" role="search" onSubmit=${(event: Event) => event.preventDefault()}>
      <label class="unseen" for="q">${t("discover.search")}</label>
      <input id="q" type="search" placeholder=${t("discover.search")} dir=${q ? "auto" : undefined} value=${q}
        maxlength=${LIMITS.search}
        onInput=${(event: Event) => setQ((event.currentTarget as HTMLInputElement).value)} />
      <label class="unseen" for="category">${t("discover.category")}</label>
      <select id="category" value=${category}
        onChange=${(event: Event) => setCategory((event.currentTarget as HTMLSelectElement).value)}>
        <option value="">${t("discover.every_category")}</option>
        ${DIRECTORY_CATEGORIES.map((name) => html`<option value=${name}>${getChannelCategoryName(name)}</option>`)}
      </select>
    </form>
    ${trouble && html`<${NoteStrip} tone="warn" sign="offline"><p>${trouble}</p><//>`}
    ${!found && !trouble && html`<${LoadingPlaceholder} />`}
    ${
      found &&
      found.data.length === 0 &&
      html`<${EmptyState} sign="search" title=${describeSearch(q.trim(), category)} text=${t("discover.none_hint")} />`
    }
    <ul class="rows">${found?.data.map(
      (card) =>
        html`<${Row} key=${card.handle} card=${card} to=${routeHashes.found(card.handle)}
          chosen=${card.handle === chosen}>${
            channels.get(card.handle)?.subscription
              ? html`<span class="tag good">${renderSymbolIcon("check", "s")} ${t("channel.subscribed")}</span>`
              : html`<${SubscribeButton} card=${card} />`
          }<//>`,
    )}</ul>
    ${
      found?.meta.next_before &&
      html`<p><button class="plain wide"
      onClick=${() => void more(found)}>${t("discover.more")}</button></p>`
    }`;
}
