// A person's own account: name, workspaces, sign-in methods, password, and sessions. Also the own devices, on which
// tests of own drafts are shown. A device is linked by a link or a code that is opened there, and unlinked here or
// there (rules#own-devices).

import ipaddr from "ipaddr.js";
import {
  change_password,
  end_session,
  get_sign_in,
  list_sessions,
} from "../../../identity/session/own_sign_in_methods.ts";
import { link_own_device, list_own_devices, unlink_own_device } from "../../../identity/session/test_devices.ts";
import { create_workspace, update_profile } from "../../../identity/session/workspaces.ts";
import { type ApiError, notFound } from "../../../model/api_error.ts";
import { LIMITS } from "../../../model/limits.ts";
import { COLOR_SCHEME_LABELS, colorSchemeSelect } from "../../../ui/color_scheme_choice.ts";
import { html } from "../../../ui/html.ts";
import { renderQrCodeCard } from "../channel_header.ts";
import { relativeTime, renderErrorSummary, renderHtmlTable, renderInputField } from "../components.ts";
import { canShowErrorInForm } from "../form_submission.ts";
import {
  type ConsolePage,
  defineSignedInForm,
  defineSignedInPage,
  type PersonPageContext,
} from "../page_definitions.ts";
import { settingsSection } from "../settings_section.ts";
import { workspacesSection } from "./account_workspaces.ts";
import { renderConfirmationPage } from "./confirmation.ts";
import { renderCurrentPasswordField } from "./password_question.ts";
import { renderSignInMethodsSection } from "./sign_in_methods.ts";

/** The browser's own description of itself, shortened. It is unverified, and only shown to its owner. */
function deviceWords({ user_agent }: { user_agent: string | null }): string {
  const agent = user_agent ?? "";
  const browser = [/\bEdg\//, /\bFirefox\//, /\bOPR\//, /Chrome\//, /\bSafari\//].findIndex((p) => p.test(agent));
  const system = [/Android/, /iPhone|iPad/, /Windows/, /Mac OS X/, /Linux/].findIndex((p) => p.test(agent));
  const name = ["Edge", "Firefox", "Opera", "Chrome", "Safari"][browser] ?? "A browser";
  const on = ["Android", "iOS", "Windows", "macOS", "Linux"][system];
  return on ? `${name} on ${on}` : name;
}

/** An address as people write it. The sign-in library stores the network of an IPv6 address, in eight groups. */
export function describeIpAddress(address: string | null): string {
  if (!address || !ipaddr.isValid(address)) return "unknown";
  if (/^127\.|^[0:]+1?$/.test(address)) return "this computer (localhost)";
  return address.includes(":") ? `${ipaddr.parse(address)}/64` : address;
}

type Part = "name" | "workspaces" | "password";

/** `wrong` is the form whose refusal the page shows. */
async function account(
  context: PersonPageContext,
  wrong: { part: Part; error: ApiError } | null = null,
): Promise<Response> {
  const { session, token, now, form: sent } = context;
  const { data: sessions } = await context.asPerson(list_sessions, {});
  const ways = await context.asPerson(get_sign_in, {});
  const browsers = renderHtmlTable(
    "Sessions",
    sessions,
    {
      Browser: (row) =>
        html`<strong>${deviceWords(row)}</strong>${row.current && html`<span class="badge good">this session</span>`}`,
      Address: (row) => describeIpAddress(row.address),
      "Signed in": (row) => relativeTime(row.created_at, now),
      "Last used": (row) => relativeTime(row.last_used_at, now),
      Expires: (row) => relativeTime(row.expires_at, now),
      "": (row) =>
        row.current
          ? html`<form method="post" action="/console/sign-out">${token}<button class="plain">Sign out</button></form>`
          : html`<a class="button danger" href="/console/account/sessions/${row.id}/end">End<span
            class="unseen"> the session: ${deviceWords(row)}</span></a>`,
    },
    null,
    { wide: ["Signed in", "Expires"] },
  );
  const errorOf = (part: Part) => (wrong?.part === part ? wrong.error : undefined);
  return context.page(
    "Your account",
    html`<h1>Your account</h1>
    <p class="lede">${session.user.name} · ${session.user.email}</p>
    ${settingsSection(
      "name-title",
      "Your name",
      "Shown in all your workspaces.",
      html`${renderErrorSummary(errorOf("name"))}
      <form method="post" action="/console/account/name" novalidate>${token}
        <div class="columns">${renderInputField({
          name: "name",
          label: "Name",
          value: sent.get("name") ?? session.user.name,
          autocomplete: "name",
          maxlength: LIMITS.name,
          error: errorOf("name"),
        })}</div>
        <div class="save"><button class="plain">Save name</button></div>
      </form>`,
    )}
    ${settingsSection(
      "password-title",
      "Change password",
      "All your other sessions will end. Assistants stay connected.",
      html`${renderErrorSummary(errorOf("password"))}
      <form method="post" action="/console/account/password" novalidate>${token}
        <div class="columns">
        ${renderCurrentPasswordField({ label: "Current password", error: errorOf("password") })}
        ${renderInputField({
          name: "next",
          label: "New password",
          hint: `At least ${LIMITS.password_least} characters.`,
          type: "password",
          autocomplete: "new-password",
          minlength: LIMITS.password_least,
          maxlength: LIMITS.password,
          error: errorOf("password"),
        })}
        </div>
        <div class="save"><button class="plain">Change password</button></div>
      </form>`,
    )}
    ${renderSignInMethodsSection(ways, now, context.deps.people.oidc?.name ?? null)}
    ${settingsSection(
      "sessions",
      "Where you are signed in",
      "Browsers that are signed in to your account. End any session that is not yours.",
      browsers,
    )}
    <div hidden>${settingsSection(
      "scheme-title",
      "Appearance",
      "Applies to the console, the web app and public pages in this browser.",
      colorSchemeSelect((name) => ({ content: COLOR_SCHEME_LABELS[name] })),
    )}</div>
    ${settingsSection(
      "devices",
      "Test devices",
      "Try a draft on your own device before anyone else sees it.",
      html`<div class="save"><a class="button plain" href="/console/account/devices">Your test devices</a></div>`,
    )}
    ${await workspacesSection(context, errorOf("workspaces"))}
    ${settingsSection(
      "close",
      "Close account",
      "You will leave all workspaces, and you will no longer be able to sign in with this account. The next page " +
        "shows the effect on each workspace.",
      html`<div class="save"><a class="button danger" href="/console/account/close">Close account…</a></div>`,
      true,
    )}`,
    { status: wrong?.error.status ?? 200, styles: ["people"] },
  );
}

/** One of the page's forms, which the page shows again as it was written. */
const form = (part: Part, names?: Record<string, string>) =>
  [
    `/console/account/${part}`,
    { again: (context: PersonPageContext, error: ApiError) => account(context, { part, error }), names },
  ] as const;

const TEST_DEVICES_PATH = "/console/account/devices";

async function devices(context: PersonPageContext, error?: ApiError): Promise<Response> {
  const { data } = await context.asPerson(list_own_devices, {});
  const { now, token } = context;
  return context.page(
    "Your test devices",
    html`<p class="crumb"><a href="/console/account">Your account</a></p>
    <h1>Your test devices</h1>
    <p class="lede">Phones and browsers on which you try drafts before anyone else sees them. Channels and other members
      cannot see these devices.</p>
    ${renderErrorSummary(error)}
    ${
      data.length > 0 &&
      renderHtmlTable("Devices", data, {
        Device: (row) => html`<strong>${row.platform}</strong> <span class="muted">app ${row.app_version}</span>`,
        Linked: (row) => relativeTime(row.linked_at, now),
        "": ({ id }) =>
          html`<form method="post" action="${TEST_DEVICES_PATH}/${id}/unlink">${token}<button
            class="danger">Unlink</button></form>`,
      })
    }
    <section class="card" aria-labelledby="link"><h2 id="link">Link a device</h2>
      <p>Open a link or scan a code on the device, and subscribe it to the channels whose drafts you want to try.
        You can link up to ${LIMITS.own_devices} devices.</p>
      <form method="post" action="${TEST_DEVICES_PATH}">${token}<button>Create link</button></form></section>`,
    { error },
  );
}

async function linked(context: PersonPageContext): Promise<Response> {
  const { url } = await context.asPerson(link_own_device, {});
  return context.page(
    "Link a device",
    html`<p class="crumb"><a href="${TEST_DEVICES_PATH}">Your test devices</a></p>
    <h1>Link a device</h1>
    ${renderQrCodeCard(
      url,
      "Open this on the device",
      html`<p>The link works once and expires in ${LIMITS.own_device_minutes} minutes. It will not be shown again. Do
        not share it: your tests will appear on the device that opens it.</p>`,
      { what: "the link" },
    )}
    <p><a class="button plain" href="${TEST_DEVICES_PATH}">Done</a></p>`,
    { scripts: ["copy"] },
  );
}

const REFUSED = { again: devices, when: canShowErrorInForm };

export const ACCOUNT_PAGES: readonly ConsolePage[] = [
  defineSignedInPage("GET", "/console/account", (context) => account(context)),

  defineSignedInForm(...form("password"), async (context) => {
    const { form: sent } = context;
    const passwords = { present: sent.get("present") ?? "", next: sent.get("next") ?? "" };
    await context.asPerson(change_password, passwords);
    return context.goTo("/console/account", "password-changed");
  }),

  defineSignedInForm(...form("name"), async (context) => {
    await context.asPerson(update_profile, { name: context.form.get("name") ?? "" });
    return context.goTo("/console/account", "name-changed");
  }),

  defineSignedInForm(...form("workspaces", { name: "workspace" }), async (context) => {
    const made = await context.asPerson(create_workspace, { name: context.form.get("workspace") ?? "" });
    return context.goTo(`/console/${made.id}/`, "workspace-made");
  }),

  defineSignedInPage("GET", "/console/account/sessions/:id/end", async (context) => {
    const { data: sessions } = await context.asPerson(list_sessions, {});
    const row = sessions.find(({ id }) => id === context.params.id);
    if (!row) throw notFound("session");
    return renderConfirmationPage(context, {
      title: `End the session: ${deviceWords(row)}?`,
      effect: "That browser will be signed out immediately. You can sign in there again with your password.",
      act: "End the session",
      back: "/console/account",
    });
  }),

  defineSignedInPage("POST", "/console/account/sessions/:id/end", async (context) => {
    await context.asPerson(end_session, { session_id: context.params.id ?? "" });
    return context.goTo("/console/account", "session-ended");
  }),

  defineSignedInPage("GET", TEST_DEVICES_PATH, (context) => devices(context)),
  defineSignedInForm(TEST_DEVICES_PATH, REFUSED, linked),
  defineSignedInForm(`${TEST_DEVICES_PATH}/:device/unlink`, REFUSED, async (context) => {
    await context.asPerson(unlink_own_device, { device_id: context.params.device ?? "" });
    return context.goTo(TEST_DEVICES_PATH, "device-unlinked");
  }),
];
