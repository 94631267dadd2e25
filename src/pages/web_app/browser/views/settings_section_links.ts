// The sections of the settings as a list of links, next to them on a wide screen. The address of a section is the id of
// its card, so the browser itself scrolls there.

import type { VNode } from "preact";
import { html } from "../html_template.ts";
import { routeHashes } from "../router.ts";
import { formatList } from "../texts/formats.ts";
import { t } from "../texts/translate.ts";
import { type AppIconName, PaneHeader, renderSymbolIcon } from "./components.ts";

const SECTIONS = {
  push: { sign: "bell", title: () => t("push.title") },
  quiet: { sign: "mute", title: () => t("quiet.title") },
  sounds: { sign: "sound", title: () => t("senses.title") },
  reports: { sign: "out", title: () => t("reports.title") },
  display: { sign: "globe", title: () => formatList([t("senses.language"), t("scheme.title")]) },
  voice: { sign: "speech", title: () => t("senses.touch_and_voice") },
  capabilities: { sign: "check", title: () => t("senses.device") },
  device: { sign: "device", title: () => t("settings.device") },
} as const satisfies Record<string, { sign: AppIconName; title(): string }>;

type SettingsSection = keyof typeof SECTIONS;

/** The id of a section's card. */
export const getSectionId = (section: SettingsSection): string => `${routeHashes.settings.slice(1)}/${section}`;

export function SettingsSectionLinks(): VNode {
  const selected = location.hash.split("/")[1] ?? "push";
  return html`<${PaneHeader} title=${t("nav.settings")} beside />
    <nav class="sections" aria-label=${t("nav.settings")}>${Object.entries(SECTIONS).map(
      ([section, { sign, title }]) =>
        html`<a key=${section} href=${`#${getSectionId(section as SettingsSection)}`}
        aria-current=${section === selected ? "true" : undefined}
        >${renderSymbolIcon(sign)}${title()}</a>`,
    )}</nav>`;
}
