// Invites of a channel: created with an end and a limit, and listed with their state. Each has a page with its link and
// its QR code, on the screen and as files to print. It is revoked there, with or without the devices that joined by it.

import { randomBytes } from "node:crypto";
import { renderQrModulesAsPng } from "../../../effects/assets/clean_picture.ts";
import { type ApiError, notFound } from "../../../model/api_error.ts";
import { CHANNEL_INVITE_FIELDS } from "../../../model/fields/channel.ts";
import { getFieldLabels, getFieldNames, selectFieldsDrawnByKind } from "../../../model/fields/field_table.ts";
import { breakableUrl } from "../../../ui/build_url.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { computeQrModules, renderQrCode, renderQrCodeSvgFile } from "../../../ui/qr_code.ts";
import { timeElement } from "../../../ui/time_format.ts";
import {
  getChannelPath,
  getRequestedChannel,
  renderChannelHeader,
  renderLoopbackWarning,
  renderQrCodeCard,
} from "../channel_header.ts";
import {
  copyableText,
  relativeTime,
  renderCreateDisclosure,
  renderErrorSummary,
  renderHtmlTable,
} from "../components.ts";
import { emptyState } from "../empty_state.ts";
import { fieldControl, parseControlValue, plainFieldControls, segmentedControl } from "../form_controls.ts";
import { canShowErrorInForm } from "../form_submission.ts";
import { searchAndPaginateRows } from "../list_search.ts";
import {
  type ChannelResult,
  type ConsolePage,
  canUse,
  defineMemberForm,
  defineMemberPage,
  type MemberPageContext,
  type OperationResultRow,
} from "../page_definitions.ts";

const OPTIONS = { styles: ["alert_card", "drawings", "channel"], scripts: ["copy", "count", "zone"] } as const;

/** The lifetime of an invite, by the choice in its form; `own` is a typed time. */
const LIVES: Record<string, { label: string; days: number | null }> = {
  day: { label: "1 day", days: 1 },
  month: { label: "30 days", days: 30 },
  never: { label: "No expiry", days: null },
  own: { label: "Until…", days: null },
};

const IS_PUBLIC = html`<p class="hint">This channel is public: anyone with this address can subscribe.</p>`;

type Invite = OperationResultRow<"list_invites">;

async function inviteOf(context: MemberPageContext): Promise<Invite> {
  const { data } = await context.call("list_invites", { pusher_id: context.params.pusher ?? "" });
  const invite = data.find(({ id }) => id === context.params.invite);
  if (!invite) throw notFound("invite");
  return invite;
}

const usable = (invite: Invite, now: Date) => stateOf(invite, now) === "active";

function stateOf(invite: Invite, now: Date): "active" | "revoked" | "ended" | "used up" {
  if (invite.revoked_at !== null) return "revoked";
  if (invite.expires_at !== null && new Date(invite.expires_at) <= now) return "ended";
  return invite.max_uses !== null && invite.uses >= invite.max_uses ? "used up" : "active";
}

const badge = (invite: Invite, now: Date): Html => {
  const state = stateOf(invite, now);
  return html`<span class="badge${state === "active" && " good"}">${state}</span>`;
};

const usesOf = ({ uses, max_uses }: Invite): string =>
  max_uses === null ? uses.toLocaleString("en") : `${uses.toLocaleString("en")} of ${max_uses.toLocaleString("en")}`;

/** Its name where relative time is not available. */
const wordsOf = ({ label }: Invite): string => (label ? `the invite “${label}”` : "an invite");

/** Its name; without a note the time of its creation, in the reader's zone. */
const nameOf = ({ label, created_at }: Invite): HtmlContent =>
  label || html`Invite from ${timeElement(new Date(created_at))}`;

async function list(context: MemberPageContext, error?: ApiError): Promise<Response> {
  const { now } = context;
  const channel = await getRequestedChannel(context);
  const { data } = await context.call("list_invites", { pusher_id: channel.id });
  const base = getChannelPath(context, channel.id);
  const found = searchAndPaginateRows(context, `${base}/invites`, data, {
    ...{ label: "Find an invite", hint: "Note", wordsOf: ({ label }) => [label ?? ""] },
  });
  const isFirst = data.length === 0 && !channel.is_public;
  const form =
    canUse(context, "create_invite") &&
    renderCreateDisclosure("New invite", error !== undefined || isFirst, newInvite(context, base, channel, error));
  return context.page(
    `Invites to ${channel.name}`,
    html`${renderChannelHeader(context, channel, "invites")}
    ${
      channel.is_public
        ? renderQrCodeCard(channel.url, "The channel’s address", IS_PUBLIC, { more: files(`${base}/qr`) })
        : html`<p class="lede">People join this private channel with an invite link or QR code. The channel is
          hidden from everyone else.</p>`
    }
    <div class="titled"><h2>Invites</h2>${form}</div>
    ${
      data.length === 0
        ? isFirst &&
          emptyState({ icon: "person", title: "No invites yet", says: "Share the link or code of an invite." })
        : html`${found.form}${renderHtmlTable(
            "Invites",
            found.rows,
            {
              Invite: (invite) => html`<strong><a href="${base}/invites/${invite.id}">${nameOf(invite)}</a></strong>`,
              State: (invite) => badge(invite, now),
              Joined: usesOf,
              Expires: (invite) => relativeTime(invite.expires_at, now),
            },
            null,
            { numbers: ["Joined"] },
          )}${found.ways}`
    }`,
    { ...OPTIONS, error },
  );
}

function newInvite(context: MemberPageContext, base: string, { is_public }: ChannelResult, error?: ApiError): Html {
  const { form } = context;
  const once = form.get("once") ?? randomBytes(18).toString("base64url");
  const life = form.get("life") ?? "month";
  const typed = { form, error };
  return html`<p class="hint">${
    is_public
      ? "Public channels do not need invites, and people who join through one are not counted. If you plan to " +
        "make this channel private, create an invite first."
      : "An invite is a link with a QR code. Create one for each place where you share it: joins are counted per " +
        "invite, and each can be revoked separately."
  }</p>
    ${renderErrorSummary(error)}
    <form method="post" action="${base}/invites" novalidate>${context.token}<input type="hidden"
      name="once" value="${once}">
      <div class="columns">${plainFieldControls(CHANNEL_INVITE_FIELDS, typed)}</div>
      ${segmentedControl({
        name: "life",
        label: "Valid for",
        options: Object.entries(LIVES).map(([value, { label }]) => ({ value, label })),
        value: life,
        error,
      })}
      <div class="until">${fieldControl(CHANNEL_INVITE_FIELDS, typed, "expires_at")}</div>
      <button>Create invite</button>
    </form>`;
}

async function make(context: MemberPageContext): Promise<Response> {
  const { form, now } = context;
  const channel = await getRequestedChannel(context);
  const life = LIVES[form.get("life") ?? ""];
  const typed = (name: keyof typeof CHANNEL_INVITE_FIELDS) =>
    parseControlValue(CHANNEL_INVITE_FIELDS[name], form.get(name));
  const names = getFieldNames(selectFieldsDrawnByKind(CHANNEL_INVITE_FIELDS, "form"));
  const plain = names.map((name) => [name, typed(name)]);
  const own = form.get("life") === "own";
  const end = life?.days ? new Date(now.getTime() + life.days * 86_400_000).toISOString() : null;
  const made = await context.call(
    "create_invite",
    { pusher_id: channel.id, ...Object.fromEntries(plain), expires_at: own ? (typed("expires_at") ?? "") : end },
    form.get("once"),
  );
  return context.goTo(`${getChannelPath(context, channel.id)}/invites/${made.id}`, "invite-made");
}

const files = (path: string): HtmlContent =>
  html`<p class="line small"><span class="muted">Download the code:</span> <span class="line">${["svg", "png"].map(
    (type) => html`<a href="${path}.${type}" download><span class="unseen">as </span>${type.toUpperCase()}</a> `,
  )}</span></p>`;

async function show(context: MemberPageContext): Promise<Response> {
  const { now } = context;
  const [channel, invite] = await Promise.all([getRequestedChannel(context), inviteOf(context)]);
  const base = getChannelPath(context, channel.id);
  const works = usable(invite, now);
  const evicts = invite.revoked_at === null || invite.uses > 0;
  return context.page(
    `${invite.label || "An invite"} to ${channel.name}`,
    html`${renderChannelHeader(context, channel, "invites")}
    <p><a href="${base}/invites">All invites</a></p>
    <section class="card scan" aria-labelledby="invite">
      ${works && renderQrCode(invite.url, `QR code for ${wordsOf(invite)}`)}
      <div><h2 id="invite">${nameOf(invite)} ${badge(invite, now)}</h2>
      ${
        works
          ? html`${renderLoopbackWarning(invite.url)}<p class="hint">Anyone with this link can join ${channel.name}. ${
              channel.is_public
                ? "The channel is public, so people can also join without the link."
                : "The channel is hidden from everyone else."
            }</p>
        ${copyableText(breakableUrl(invite.url), "the invite link")}
        ${files(`${base}/invites/${invite.id}/qr`)}`
          : html`<p>The link no longer works. Devices that joined with it stay subscribed.</p>`
      }
      <dl class="facts"><dt>Joined</dt><dd>${usesOf(invite)}</dd><dt>Expires</dt><dd>${
        invite.expires_at === null ? "Never" : timeElement(new Date(invite.expires_at))
      }</dd><dt>Created</dt><dd>${relativeTime(invite.created_at, now)}</dd>${
        invite.revoked_at && html`<dt>Revoked</dt><dd>${relativeTime(invite.revoked_at, now)}</dd>`
      }</dl>${
        canUse(context, "revoke_invite") &&
        evicts &&
        html`<p><a class="button danger" href="${base}/invites/${invite.id}/revoke">${
          invite.revoked_at === null ? "Revoke…" : "Unsubscribe devices…"
        }</a></p>`
      }</div></section>`,
    OPTIONS,
  );
}

async function askRevoke(context: MemberPageContext): Promise<Response> {
  const [channel, invite] = await Promise.all([getRequestedChannel(context), inviteOf(context)]);
  const page = `${getChannelPath(context, channel.id)}/invites/${invite.id}`;
  const joined =
    invite.uses === 0 ? "no devices" : invite.uses === 1 ? "one device" : `${invite.uses.toLocaleString("en")} devices`;
  const form = (evict: string, title: string, effect: string, act: string) =>
    html`<section class="card"><h2>${title}</h2><p>${effect}</p><form method="post"
      action="${page}/revoke">${context.token}<button class="danger"
        name="evict" value="${evict}">${act}</button></form></section>`;
  return context.page(
    `Revoke ${wordsOf(invite)}?`,
    html`<h1>${invite.revoked_at === null ? "Revoke" : "Unsubscribe devices that joined with"} “${nameOf(invite)}”?</h1>
    <p class="lede">Joined so far: ${joined}. A revoked invite cannot be used again.</p>
    ${
      invite.revoked_at === null &&
      form("no", "Revoke only", "Its link stops working. Devices that joined with it stay subscribed.", "Revoke invite")
    }
    ${
      (invite.uses > 0 || invite.revoked_at !== null) &&
      form(
        "yes",
        "Revoke it and unsubscribe everyone who joined with it",
        "The devices that joined with this invite will be unsubscribed without notice. " +
          "All other devices stay subscribed.",
        invite.revoked_at === null ? "Revoke and unsubscribe" : "Unsubscribe devices",
      )
    }
    <p><a class="button plain" href="${page}">Cancel</a></p>`,
    { width: "narrow" },
  );
}

/** Pixels of a file for printing without scaling, about 10 cm on paper. */
const SIDE = 720;

const TYPES = { svg: "image/svg+xml", png: "image/png" };

async function fileOf(text: string, name: string, kind: keyof typeof TYPES): Promise<Response> {
  const body =
    kind === "png"
      ? new Uint8Array(await renderQrModulesAsPng(computeQrModules(text), SIDE))
      : renderQrCodeSvgFile(text, SIDE).toString();
  return new Response(body, {
    headers: {
      "content-type": TYPES[kind],
      "content-disposition": `attachment; filename="${name}.${kind}"`,
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
      // An invite's code is a way in.
      "cache-control": "no-store",
    },
  });
}

export const CHANNEL_INVITE_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", "/channels/:pusher/invites", (context) => list(context)),
  defineMemberForm(
    "/channels/:pusher/invites",
    { again: list, when: canShowErrorInForm, labels: getFieldLabels(CHANNEL_INVITE_FIELDS) },
    make,
  ),
  defineMemberPage("GET", "/channels/:pusher/invites/:invite", show),
  defineMemberPage("GET", "/channels/:pusher/invites/:invite/revoke", askRevoke),
  defineMemberPage("POST", "/channels/:pusher/invites/:invite/revoke", async (context) => {
    const { pusher = "", invite = "" } = context.params;
    const evict = context.form.get("evict") === "yes";
    await context.call("revoke_invite", { pusher_id: pusher, invite_id: invite, remove_subscribers: evict });
    return context.goTo(
      `${context.base}channels/${pusher}/invites/${invite}`,
      evict ? "invite-evicted" : "invite-revoked",
    );
  }),
  ...(["svg", "png"] as const).flatMap((kind) => [
    defineMemberPage("GET", `/channels/:pusher/qr.${kind}`, async (context) => {
      const { url, handle } = await getRequestedChannel(context);
      return fileOf(url, handle, kind);
    }),
    defineMemberPage("GET", `/channels/:pusher/invites/:invite/qr.${kind}`, async (context) => {
      const [{ handle }, { url, id }] = await Promise.all([getRequestedChannel(context), inviteOf(context)]);
      return fileOf(url, `${handle}-${id}`, kind);
    }),
  ]),
];
