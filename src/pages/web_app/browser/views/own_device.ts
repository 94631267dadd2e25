// A device that is somebody's own: what the link of the console opens, and whose it is. Tests of that person's drafts are shown here
// before anybody else sees them (docs/rules.md#own-devices).

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { getOwner, linkOwner, Refused, unlinkOwner } from "../api.ts";
import { ownDevice } from "../device.ts";
import { html } from "../markup.ts";
import { at, replaceBy } from "../router.ts";
import { change, useApp } from "../state.ts";
import { t } from "../texts/texts.ts";
import { attempt, PaneHead } from "./parts.ts";

/** The link was opened: nothing happens until the person says so, since whoever made it decides what is shown here. */
export function OwnHere({ code }: { code: string }): VNode {
  const [busy, setBusy] = useState(false);
  const go = async () => {
    setBusy(true);
    const done = await attempt(async () => {
      try {
        const { name } = await linkOwner((await ownDevice()).token, code);
        replaceBy(at.settings);
        change({ said: { text: t("own.linked", { name: name ?? "" }), bad: false } });
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 404) throw error;
        change({ said: { text: t("own.nothing"), bad: true } });
      }
    });
    if (!done) setBusy(false);
  };
  return html`<${PaneHead} title=${t("own.title")} back=${at.inbox} />
    <section class="card"><p>${t("own.what")}</p><p class="hint">${t("own.careful")}</p>
      <p class="line"><button disabled=${busy} onClick=${() => void go()}>${t("own.link")}</button></p></section>`;
}

/** Whose own it is, in the settings; nothing where it is nobody's. */
export function OwnDevice(): VNode | null {
  const { device, said } = useApp();
  const [name, setName] = useState<string | null>(null);
  useEffect(() => {
    if (device && !device.refused)
      getOwner(device.token).then(
        (owner) => setName(owner.name),
        () => {},
      );
  }, [device?.token, said]);
  if (!device || name === null) return null;
  const unlink = () =>
    attempt(async () => {
      await unlinkOwner(device.token);
      setName(null);
    });
  return html`<section class="card"><h2>${t("own.card")}</h2>
    <p>${t("own.of", { name })}</p>
    <p><button class="plain" onClick=${() => void unlink()}>${t("own.unlink")}</button></p>
  </section>`;
}
