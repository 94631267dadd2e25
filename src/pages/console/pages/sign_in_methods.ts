// A person's own sign-in methods, as the account's page shows them, and the pages that change them: two-factor
// authentication with its recovery codes, and passkeys. Secrets are shown once, on the page of the response.

import type { z } from "zod";
import { newPasskeySchema, parsePasskeyResponseOrNull } from "../../../identity/auth/passkeys.ts";
import {
  add_passkey,
  begin_passkey,
  begin_second_factor,
  confirm_second_factor,
  end_second_factor,
  get_sign_in,
  remove_passkey,
  renew_recovery_codes,
} from "../../../identity/session/own_sign_in_methods.ts";
import { type ApiError, notFound } from "../../../model/api_error.ts";
import { LIMITS, spellLimit } from "../../../model/limits.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { renderQrCode } from "../../../ui/qr_code.ts";
import { copyableText, relativeTime, renderErrorSummary, renderInputField } from "../components.ts";
import { withFormErrors } from "../form_submission.ts";
import {
  type ConsolePage,
  defineSignedInForm,
  defineSignedInPage,
  type PersonPageContext,
} from "../page_definitions.ts";
import { settingsSection } from "../settings_section.ts";
import { renderConfirmationPage } from "./confirmation.ts";
import { askPassword, readCurrentPasswordArgument, renderCurrentPasswordField } from "./password_question.ts";
import { createPasskeyOptionsResponse } from "./sign_in.ts";

const ACCOUNT = "/console/account";
const FACTOR = `${ACCOUNT}/second-factor`;
const PASSKEYS = `${ACCOUNT}/passkeys`;

type Ways = z.output<(typeof get_sign_in)["output"]>;

const LOW = 3;

const codesLeft = ({ recovery_codes_left: left }: Ways): HtmlContent =>
  left === 0
    ? "No recovery codes left. Create new ones now."
    : `${left} recovery ${left === 1 ? "code is" : "codes are"} left${left <= LOW ? ". Create new ones soon." : "."}`;

const oidcMethod = (name: string, on: boolean): Html =>
  html`<li><div class="what">
        <p><strong>${name}</strong> <span class="badge${on && " good"}">${on ? "connected" : "not connected"}</span></p>
        <p>${on ? `Use ${name} to sign in to this account` : `Connect ${name} to sign in to this account`} without a
          password.</p></div>
        <a class="button ${on ? "danger" : "plain"}" href="${ACCOUNT}/oidc${on && "/off"}">
          ${on ? "Disconnect" : "Connect"}<span class="unseen"> ${name}</span></a></li>`;

/** The part of the account's page. */
export function renderSignInMethodsSection(ways: Ways, now: Date, oidcName: string | null): Html {
  const { second_factor: on, passkeys } = ways;
  return settingsSection(
    "methods",
    "Sign-in methods",
    "Methods that you use in addition to your password, or in place of it.",
    html`<ul class="ways">
      <li><div class="what"><p><strong>Two-factor authentication</strong> <span
        class="badge${on && " good"}">${on ? "on" : "off"}</span></p>
        <p>${
          on
            ? codesLeft(ways)
            : "After your password, you enter a code from an app on your phone. A stolen password alone is then not " +
              "enough to sign in."
        }</p></div>
        <a class="button plain" href="${FACTOR}">${on ? "Change" : "Turn on"}</a></li>
      ${passkeys.map(
        (row) =>
          html`<li><div class="what"><p><strong>${row.name}</strong> <span class="muted">Passkey</span></p>
          <p>Added ${relativeTime(row.created_at, now)}, ${
            row.last_used_at === null ? "not used yet" : html`last used ${relativeTime(row.last_used_at, now)}`
          }${row.synced ? ", synced across your devices" : ""}</p></div>
          <a class="button danger" href="${PASSKEYS}/${row.id}/remove">Remove<span
            class="unseen"> the passkey ${row.name}</span></a></li>`,
      )}
      ${oidcName !== null && oidcMethod(oidcName, ways.oidc_connected === true)}
      <li><div class="what"><p><strong>${passkeys.length === 0 ? "Passkeys" : "Another passkey"}</strong></p>
        <p>${
          ways.passkeys_possible
            ? "Sign in with your fingerprint, face or device PIN instead. These never leave your device."
            : "Passkeys require HTTPS and a host name. Open this server at an https address that has a host name."
        }</p></div>
        ${ways.passkeys_possible && html`<a class="button plain" href="${PASSKEYS}/new">Add a passkey</a>`}</li>
    </ul>`,
  );
}

const QUESTIONS = {
  begin: {
    title: "Turn on two-factor authentication",
    lede:
      "You need an authenticator app on your phone. Once two-factor authentication is on, every " +
      "sign-in requires a code after the password.",
    act: "Continue",
    action: FACTOR,
  },
  recovery: {
    title: "Create new recovery codes",
    lede: "New codes replace the remaining ones, which stop working.",
    act: "Create new codes",
    action: `${FACTOR}/recovery`,
  },
  off: {
    title: "Turn off two-factor authentication?",
    lede:
      "Your password alone will then be enough to sign in. Your recovery codes and the entry in your " +
      "authenticator app will stop working.",
    act: "Turn off",
    action: `${FACTOR}/off`,
    danger: true,
  },
} as const;

function pairing(context: PersonPageContext, uri: string, error?: ApiError): Response {
  const secret = new URL(uri).searchParams.get("secret") ?? "";
  return context.page(
    "Connect your app",
    html`<h1>Connect your app</h1>
    <p class="lede">Scan the QR code with the app or type in the secret. Then enter the code from the app.</p>
    ${renderErrorSummary(error)}
    <div class="pairing">${renderQrCode(uri, "Your two-factor authentication secret as a QR code")}
      <div><p>Can’t scan? Type this into the app:</p>
      ${copyableText(secret.replace(/(.{4})(?=.)/g, "$1 "), "the secret")}
      <form method="post" action="${FACTOR}/confirm" novalidate>${context.token}<input type="hidden"
        name="uri" value="${uri}">
        ${renderInputField({
          name: "code",
          label: "6-digit code",
          hint: "The code that your authenticator app shows now.",
          autocomplete: "one-time-code",
          inputmode: "numeric",
          maxlength: 12,
          error,
        })}
        <div class="actions"><button>Turn on</button><a class="button plain" href="${ACCOUNT}">Cancel</a></div>
      </form></div></div>`,
    { error, styles: ["people"], scripts: ["copy"] },
  );
}

function recoveryCodes(context: PersonPageContext, title: string, codes: readonly string[]): Response {
  return context.page(
    title,
    html`<h1>${title}</h1>
    <p class="lede">Use these ${spellLimit("recovery_codes")} codes to sign in without your phone; each works once.
      Print them or save them in your password manager.</p>
    <p class="flash careful">Save the codes now. They cannot be shown again.</p>
    ${copyableText(codes.join("\n"), "the recovery codes")}
    <p><a class="button" href="${ACCOUNT}">I have saved them</a></p>`,
    { width: "narrow", styles: ["people"], scripts: ["copy"] },
  );
}

function newPasskeyForm(context: PersonPageContext, error?: ApiError): Response {
  return context.page(
    "Add a passkey",
    html`<h1>Add a passkey</h1>
    <p class="lede">Your browser will ask for your fingerprint, face or device PIN. You can then sign in with the
      passkey alone.</p>
    ${renderErrorSummary(error)}
    <p class="hint" data-without-passkeys>Passkeys require a recent browser with JavaScript. Your password keeps
      working.</p>
    <form method="post" action="${PASSKEYS}" novalidate hidden data-passkey="add"
      data-begin="${PASSKEYS}/begin">${context.token}
      <input type="hidden" name="answer" value="">
      ${renderInputField({
        name: "name",
        label: "Name",
        value: context.form.get("name") ?? "",
        hint: "For example, the name of the device that stores it.",
        maxlength: LIMITS.name,
        autocomplete: "off",
        error,
      })}
      ${renderCurrentPasswordField({ error })}
      <p class="hint said" role="status" data-said></p>
      <div class="actions"><button>Add passkey</button><a class="button plain"
        href="${ACCOUNT}">Back to your account</a></div>
    </form>`,
    { width: "narrow", error, styles: ["people"], scripts: ["passkey"] },
  );
}

/** Handles the form of a confirmation, and shows it again where the password was wrong. */
const answering = (
  question: keyof typeof QUESTIONS,
  act: (context: PersonPageContext) => Promise<Response>,
): ConsolePage =>
  defineSignedInPage(
    "POST",
    QUESTIONS[question].action,
    withFormErrors({ again: (context, error) => askPassword(context, QUESTIONS[question], error) }, act),
  );

const confirm = withFormErrors(
  { again: (context: PersonPageContext, error) => pairing(context, context.form.get("uri") ?? "", error) },
  async (context) => {
    const code = (context.form.get("code") ?? "").slice(0, 40);
    const { recovery_codes } = await context.asPerson(confirm_second_factor, { code });
    return recoveryCodes(context, "Two-factor authentication is on", recovery_codes);
  },
);

export const SIGN_IN_METHOD_PAGES: readonly ConsolePage[] = [
  defineSignedInPage("GET", FACTOR, async (context) => {
    const ways = await context.asPerson(get_sign_in, {});
    if (!ways.second_factor) return askPassword(context, QUESTIONS.begin);
    return context.page(
      "Two-factor authentication",
      html`<h1>Two-factor authentication is on</h1><p class="lede">Every sign-in requires a code from your app after the
        password. ${codesLeft(ways)}</p>
      <div class="actions"><a class="button" href="${FACTOR}/recovery">New recovery codes</a><a class="button danger"
        href="${FACTOR}/off">Turn off</a></div>
      <p class="hint">To use another app or phone, turn two-factor authentication off and on again.</p><p><a
        href="${ACCOUNT}">Back to your account</a></p>`,
      { width: "narrow", styles: ["people"] },
    );
  }),

  answering("begin", async (context) =>
    pairing(context, (await context.asPerson(begin_second_factor, readCurrentPasswordArgument(context))).uri),
  ),

  defineSignedInPage("POST", `${FACTOR}/confirm`, async (context) => {
    const uri = context.form.get("uri") ?? "";
    const known = /^otpauth:\/\/totp\/Belfry:[^\s]{1,600}$/.test(uri) && URL.canParse(uri);
    return known ? confirm(context) : context.goTo(FACTOR);
  }),

  defineSignedInPage("GET", `${FACTOR}/recovery`, async (context) => askPassword(context, QUESTIONS.recovery)),
  answering("recovery", async (context) => {
    const { recovery_codes } = await context.asPerson(renew_recovery_codes, readCurrentPasswordArgument(context));
    return recoveryCodes(context, "Your new recovery codes", recovery_codes);
  }),

  defineSignedInPage("GET", `${FACTOR}/off`, async (context) => askPassword(context, QUESTIONS.off)),
  answering("off", async (context) => {
    await context.asPerson(end_second_factor, readCurrentPasswordArgument(context));
    return context.goTo(ACCOUNT, "second-factor-off");
  }),

  defineSignedInPage("GET", `${PASSKEYS}/new`, async (context) => newPasskeyForm(context)),
  defineSignedInPage("POST", `${PASSKEYS}/begin`, (context) =>
    createPasskeyOptionsResponse(() => context.asPerson(begin_passkey, readCurrentPasswordArgument(context))),
  ),
  defineSignedInForm(PASSKEYS, { again: newPasskeyForm }, async (context) => {
    const { form: sent } = context;
    const answer = parsePasskeyResponseOrNull(newPasskeySchema, sent.get("answer"));
    await context.asPerson(add_passkey, { name: sent.get("name") ?? "", answer });
    return context.goTo(ACCOUNT, "passkey-added");
  }),

  defineSignedInPage("GET", `${PASSKEYS}/:id/remove`, async (context) => {
    const { passkeys } = await context.asPerson(get_sign_in, {});
    const row = passkeys.find(({ id }) => id === context.params.id);
    if (!row) throw notFound("passkey");
    return renderConfirmationPage(context, {
      title: `Remove the passkey ${row.name}?`,
      effect: "It can no longer be used to sign in. Your device may still offer it until you also remove it there.",
      act: "Remove passkey",
      back: ACCOUNT,
    });
  }),
  defineSignedInPage("POST", `${PASSKEYS}/:id/remove`, async (context) => {
    await context.asPerson(remove_passkey, { passkey_id: context.params.id ?? "" });
    return context.goTo(ACCOUNT, "passkey-removed");
  }),
];
