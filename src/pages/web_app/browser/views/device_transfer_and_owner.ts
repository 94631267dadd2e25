// This device in the settings: save the followed channels as a file, move to another browser, or unregister. Also its
// owner, who is shown tests of drafts on it (rules#own-devices), and the page of a link to move or to own.

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { LIMITS } from "../../../../model/limits.ts";
import { updateAppState, useAppState } from "../app_state.ts";
import { ensureDevice, removeOwnDevice } from "../device.ts";
import { fetchDeviceOwner, linkDeviceOwner, ServiceRefusedError, unlinkDeviceOwner } from "../handset_api.ts";
import { html, type VNodeContent } from "../html_template.ts";
import { replaceRoute, routeHashes } from "../router.ts";
import {
  createSubscriptionTransferLink,
  exportSubscriptionsToText,
  InvalidExportFileError,
  importSubscriptionsFromFile,
  receiveTransferredSubscriptions,
} from "../subscription_transfer.ts";
import { formatList } from "../texts/formats.ts";
import { t } from "../texts/translate.ts";
import { CollapsibleCard, PaneHeader, tryAction } from "./components.ts";
import { getSectionId } from "./settings_section_links.ts";

const say = (text: string, bad = false) => updateAppState({ said: { text, bad } });

function download(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function restore(input: HTMLInputElement): Promise<void> {
  const file = input.files?.[0];
  if (!file) return;
  await tryAction(async () => {
    try {
      const { joined, skipped } = await importSubscriptionsFromFile(file);
      const some = skipped.length > 0;
      say(
        some
          ? t("device.read_some", { count: joined, names: formatList(skipped) })
          : t("device.read", { count: joined }),
        some,
      );
    } catch (error) {
      if (!(error instanceof InvalidExportFileError)) throw error;
      say(t("device.no_file"), true);
    }
  });
  input.value = "";
}

export function DeviceTransferAndRemoval(): VNode {
  const { device } = useAppState();
  const [link, setLink] = useState<string | null>(null);
  const [sure, setSure] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const remove = () =>
    tryAction(async () => {
      await removeOwnDevice();
      setSure(false);
      say(t("device.removed"));
    });
  const save = async () => download("belfry-channels.json", await exportSubscriptionsToText());
  const createLink = async () => setLink(await createSubscriptionTransferLink());
  return html`<${CollapsibleCard} id=${getSectionId("device")} title=${t("settings.device")}>
    <p class="hint">${t(device ? "settings.device_hint" : "settings.device_none")}</p>
    <div class="actrow"><p class="hint" id="file-hint">${t("device.file_hint")}</p>
      ${device && html`<button class="plain" onClick=${() => void tryAction(save)}>${t("device.save")}</button>`}
      <button class="plain" aria-describedby="file-hint"
        onClick=${() => file.current?.click()}>${t("device.open")}</button>
      <input ref=${file} type="file" accept="application/json,.json" hidden aria-label=${t("device.open")}
        onChange=${(event: Event) => void restore(event.currentTarget as HTMLInputElement)} />
    </div>
    ${
      device &&
      html`<div class="actrow"><p class="hint">${t("device.move_hint", { minutes: LIMITS.move_minutes })}</p>${
        link === null &&
        html`<button class="plain" onClick=${() => void tryAction(createLink)}>${t("device.move")}</button>`
      }</div>
      ${link !== null && html`<${MoveLink} link=${link} />`}
      <div class="actrow"><p class="hint">${t("device.remove_hint")}</p>${
        sure
          ? html`<button class="plain" onClick=${() => setSure(false)}>${t("do.cancel")}</button><button
            class="danger" onClick=${() => void remove()}>${t("device.remove_sure")}</button>`
          : html`<button class="danger" onClick=${() => setSure(true)}>${t("device.remove")}</button>`
      }</div>`
    }
  <//>`;
}

/** The link, to be copied, handed on, or read by the other device's camera. */
function MoveLink({ link }: { link: string }): VNode {
  const [code, setCode] = useState<{ side: number; path: string } | null>(null);
  useEffect(() => {
    // Only who moves needs what draws it.
    import("qr").then(
      ({ default: encode }) => setCode(drawn(encode(link, "raw", { ecc: "low", border: 4 }))),
      () => {},
    );
  }, [link]);
  const copy = () =>
    tryAction(async () => {
      await navigator.clipboard.writeText(link);
      say(t("device.copied"));
    });
  return html`<label for="move-link">${t("device.link")}</label>
    <input id="move-link" type="text" class="wide" readonly value=${link}
      onFocus=${(event: Event) => (event.currentTarget as HTMLInputElement).select()} />
    <p class="line">${
      "clipboard" in navigator &&
      html`<button class="plain"
      onClick=${() => void copy()}>${t("device.copy")}</button>`
    }
      ${
        "share" in navigator &&
        html`<button class="plain"
        onClick=${() => void navigator.share({ url: link }).catch(() => {})}>${t("device.share")}</button>`
      }</p>
    ${
      code &&
      html`<svg class="qr" viewBox=${`0 0 ${code.side} ${code.side}`} role="img" aria-label=${t("device.code")}
      shape-rendering="crispEdges"><rect width=${code.side} height=${code.side} fill="#fff" /><path fill="#000"
        d=${code.path} /></svg>`
    }`;
}

const drawn = (rows: boolean[][]) => ({
  side: rows.length,
  path: rows.flatMap((row, y) => row.map((black, x) => (black ? `M${x} ${y}h1v1h-1z` : ""))).join(""),
});

/**
 * A link that works once was opened: nothing happens before the person confirms. `nothing`: the text for an expired
 * one.
 */
function Opened({ title, go, act, nothing, children }: OpenedProps): VNode {
  const [busy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    const done = await tryAction(async () => {
      try {
        await act();
      } catch (error) {
        if (!(error instanceof ServiceRefusedError) || error.status !== 404) throw error;
        say(nothing, true);
      }
    });
    if (!done) setBusy(false);
  };
  return html`<${PaneHeader} title=${title} back=${routeHashes.inbox} />
    <section class="card">${children}
      <p class="line"><button disabled=${busy} onClick=${() => void start()}>${go}</button></p></section>`;
}

interface OpenedProps {
  title: string;
  go: string;
  nothing: string;
  children?: VNodeContent;
  act(): Promise<void>;
}

export function ReceiveTransferView({ code, seen }: { code: string; seen: string | null }): VNode {
  const act = async () => {
    const count = await receiveTransferredSubscriptions(code, seen);
    replaceRoute(routeHashes.channels);
    say(t("device.moved", { count }));
  };
  return html`<${Opened} title=${t("device.move_title")} go=${t("device.move_now")} act=${act} nothing=${t(
    "device.moved_nothing",
  )}>
    <p>${t("device.move_what")}</p><//>`;
}

/** The creator of the link decides what is shown here. */
export function LinkOwnerView({ code }: { code: string }): VNode {
  const act = async () => {
    const { name } = await linkDeviceOwner((await ensureDevice()).token, code);
    replaceRoute(routeHashes.settings);
    say(t("own.linked", { name: name ?? "" }));
  };
  return html`<${Opened} title=${t("own.title")} go=${t("own.link")} act=${act} nothing=${t("own.nothing")}>
    <p>${t("own.what")}</p><p class="hint">${t("own.careful")}</p><//>`;
}

/** The owner, in the settings; nothing without one. */
export function DeviceOwnerSettings(): VNode | null {
  const { device, said } = useAppState();
  const [name, setName] = useState<string | null>(null);
  useEffect(() => {
    if (device && !device.refused)
      fetchDeviceOwner(device.token).then(
        (owner) => setName(owner.name),
        () => {},
      );
  }, [device?.token, said]);
  if (!device || name === null) return null;
  const unlink = () =>
    tryAction(async () => {
      await unlinkDeviceOwner(device.token);
      setName(null);
    });
  return html`<section class="card"><h2>${t("own.card")}</h2>
    <div class="actrow"><p class="hint">${t("own.of", { name })}</p>
      <button class="plain" onClick=${() => void unlink()}>${t("own.unlink")}</button></div>
  </section>`;
}
