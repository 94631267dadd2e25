// A person's own devices: the handsets on which tests of the own drafts are shown. One is linked by a link or a code that is opened
// there, and unlinked here or there (docs/rules.md#own-devices).

import {
  link_own_device,
  list_own_devices,
  unlink_own_device,
} from "../../../identity/session/own_devices.ts";
import type { ApiError } from "../../../model/errors.ts";
import { LIMITS } from "../../../model/limits.ts";
import { html } from "../../../ui/html.ts";
import { addressCard } from "../channel_address.ts";
import { hasPlace } from "../forms.ts";
import { COPY_SCRIPT } from "../page.ts";
import { instant, problem, table } from "../parts.ts";
import { type Page, type PersonVisit, personForm, personPage } from "../visit.ts";

export const OWN_DEVICES = "/console/account/devices";

async function devices(visit: PersonVisit, error?: ApiError): Promise<Response> {
  const { data } = await visit.asPerson(list_own_devices, {});
  const { now, token } = visit;
  return visit.page(
    "Your own devices",
    html`<p class="crumb"><a href="/console/account">Your account</a></p>
    <h1>Your own devices</h1>
    <p class="lede">Phones and browsers on which you try a draft before anybody else sees it. No channel and no other member learns which they are.</p>
    ${problem(error)}
    ${
      data.length > 0 &&
      table(
        "Devices",
        ["Device", "Linked", ""],
        data.map(({ id, platform, app_version, linked_at }) => [
          html`<strong>${platform}</strong> <span class="muted">app ${app_version}</span>`,
          instant(linked_at, now),
          html`<form method="post" action="${OWN_DEVICES}/${id}/unlink">${token}<button class="danger">Unlink</button></form>`,
        ]),
      )
    }
    <section class="card" aria-labelledby="link"><h2 id="link">Link a device</h2>
      <p>You open a link, or point its camera at a code, on the device itself. Let it follow the channels whose drafts you want to try there. At most ${LIMITS.own_devices} devices.</p>
      <form method="post" action="${OWN_DEVICES}">${token}<button>Make a link</button></form></section>`,
    { status: error?.status ?? 200 },
  );
}

async function linked(visit: PersonVisit): Promise<Response> {
  const { url } = await visit.asPerson(link_own_device, {});
  return visit.page(
    "Link a device",
    html`<p class="crumb"><a href="${OWN_DEVICES}">Your own devices</a></p>
    <h1>Link a device</h1>
    ${addressCard(url, "Open this on the device", html`<p>It works once, within ${LIMITS.own_device_minutes} minutes, and is shown only now. Give it to nobody: what you test is shown wherever it is opened.</p>`, { what: "the link" })}
    <p><a class="button plain" href="${OWN_DEVICES}">Done</a></p>`,
    { scripts: [COPY_SCRIPT] },
  );
}

const REFUSED = { again: devices, when: hasPlace };

export const OWN_DEVICE_PAGES: readonly Page[] = [
  personPage("GET", OWN_DEVICES, (visit) => devices(visit)),
  personForm(OWN_DEVICES, REFUSED, linked),
  personForm(`${OWN_DEVICES}/:device/unlink`, REFUSED, async (visit) => {
    await visit.asPerson(unlink_own_device, { device_id: visit.params.device ?? "" });
    return visit.goTo(OWN_DEVICES, "device-unlinked");
  }),
];
