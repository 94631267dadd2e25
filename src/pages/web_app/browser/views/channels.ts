// The channels that this device follows, and the directory of those that it could.

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { LIMITS } from "../../../../model/limits.ts";
import { findChannels } from "../api.ts";
import { ownDevice } from "../device.ts";
import { html } from "../markup.ts";
import { at, useRoute } from "../router.ts";
import { useApp } from "../state.ts";
import { t } from "../texts/texts.ts";
import type { Key } from "../texts/types.ts";
import type { Card, Page } from "../wire.ts";
import { Face, Note, PaneHead, Waiting, wordsFor } from "./parts.ts";

export const CATEGORIES = [
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
export const categoryName = (category: string): string =>
  (CATEGORIES as readonly string[]).includes(category) ? t(`category.${category}` as Key) : category;

interface RowProps {
  card: Card;
  to: string;
  chosen: boolean;
  mark: string | null;
}

function Row({ card, to, chosen, mark }: RowProps): VNode {
  return html`<li><a class="row" href=${to} aria-current=${chosen ? "true" : undefined}><${Face} card=${card} />
    <span class="rowtext"><strong>${card.name}</strong><span class="small muted">${card.description}</span></span>
    ${mark && html`<span class="tag">${mark}</span>`}</a></li>`;
}

export function ChannelList({ chosen }: { chosen: string | null }): VNode {
  const { channels, ready } = useApp();
  const rows = [...channels.values()].toSorted((a, b) => a.name.localeCompare(b.name));
  const markOf = ({ subscription }: Card) =>
    subscription === null ? t("channel.out") : subscription.muted ? t("channel.muted") : null;
  return html`<${PaneHead} title=${t("nav.channels")} beside=${useRoute().view !== "channels"} />
    ${!ready && html`<${Waiting} />`}
    ${ready && rows.length === 0 && html`<div class="empty"><p class="lead">${t("channel.none")}</p><p><a class="button" href=${at.discover}>${t("inbox.find")}</a></p></div>`}
    <ul class="rows">${rows.map((card) => html`<${Row} key=${card.handle} card=${card} to=${at.channel(card.handle)} chosen=${card.handle === chosen} mark=${markOf(card)} />`)}</ul>`;
}

/** Milliseconds after the last key before it is searched. */
const STILL_MS = 250;

export function Discover({ chosen }: { chosen: string | null }): VNode {
  const { channels } = useApp();
  const [q, setQ] = useState("");
  const [category, setCategory] = useState("");
  const [found, setFound] = useState<Page<Card> | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);

  const load = async (before: string | null, signal: AbortSignal) => {
    const { token } = await ownDevice();
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
          (error) => asking.signal.aborted || setTrouble(wordsFor(error)),
        ),
      q === "" ? 0 : STILL_MS,
    );
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [q, category]);
  const more = async ({ data, meta }: Page<Card>) => {
    try {
      const page = await load(meta.next_before, new AbortController().signal);
      setFound({ data: [...data, ...page.data], meta: page.meta });
    } catch (error) {
      setTrouble(wordsFor(error));
    }
  };

  return html`<${PaneHead} title=${t("nav.discover")} beside=${useRoute().view !== "discover"} />
    <form class="search" role="search" onSubmit=${(event: Event) => event.preventDefault()}>
      <label class="unseen" for="q">${t("discover.search")}</label>
      <input id="q" type="search" placeholder=${t("discover.search")} value=${q} maxlength=${LIMITS.search}
        onInput=${(event: Event) => setQ((event.currentTarget as HTMLInputElement).value)} />
      <label class="unseen" for="category">${t("discover.category")}</label>
      <select id="category" value=${category} onChange=${(event: Event) => setCategory((event.currentTarget as HTMLSelectElement).value)}>
        <option value="">${t("discover.every_category")}</option>
        ${CATEGORIES.map((name) => html`<option value=${name}>${categoryName(name)}</option>`)}
      </select>
    </form>
    ${trouble && html`<${Note} tone="warn" sign="offline"><p>${trouble}</p><//>`}
    ${!found && !trouble && html`<${Waiting} />`}
    ${found && found.data.length === 0 && html`<div class="empty"><p class="lead">${t("discover.none")}</p><p>${t("discover.none_hint")}</p></div>`}
    <ul class="rows">${found?.data.map((card) => html`<${Row} key=${card.handle} card=${card} to=${at.found(card.handle)} chosen=${card.handle === chosen} mark=${channels.get(card.handle)?.subscription ? t("channel.subscribed") : null} />`)}</ul>
    ${found?.meta.next_before && html`<p><button class="plain wide" onClick=${() => void more(found)}>${t("discover.more")}</button></p>`}`;
}
