// The settings of a workspace: its name, the retention of its alerts, and the way to leave it. The effect of a
// retention is shown before it applies.

import type { z } from "zod";
import { get_retention, rename_workspace, set_retention } from "../../../identity/session/workspaces.ts";
import { type ApiError, invalidRequest } from "../../../model/api_error.ts";
import { isRoleAtLeast } from "../../../model/domain/member_access_rules.ts";
import { formatLimit, LIMITS } from "../../../model/limits.ts";
import { type Html, html } from "../../../ui/html.ts";
import { checkbox, relativeTime, renderErrorSummary, renderInputField } from "../components.ts";
import { parseControlValue } from "../form_controls.ts";
import { createErrorTypeMatcher } from "../form_submission.ts";
import { type ConsolePage, defineMemberForm, defineMemberPage, type MemberPageContext } from "../page_definitions.ts";
import { settingsSection } from "../settings_section.ts";

type Ahead = z.output<(typeof get_retention)["output"]>;

/** The alerts that are deleted, and from when on. */
export function renderRetentionPreview({ days, begins_at, alerts, more }: Ahead, now: Date): Html {
  if (days === null) return html`<p class="note">Alerts are kept indefinitely.</p>`;
  if (begins_at === null)
    return html`<p class="note">Alerts are deleted ${days} days after they end. No alerts are that old yet.</p>`;
  const many = more
    ? `more than ${formatLimit("retention_counted")} alerts`
    : alerts === 1
      ? "1 alert"
      : `${alerts} alerts`;
  return html`<p class="note warn"><span>Alerts are deleted ${days} days after they end. This will delete
    <strong>${many}</strong>, starting ${relativeTime(begins_at, now)}. You can undo this until then.</span></p>`;
}

function nameForm({ form, token, caller, url }: MemberPageContext, error?: ApiError): Html {
  return settingsSection(
    "name-title",
    "Name",
    "Members and their assistants see this name. Addresses and channels do not change.",
    html`${renderErrorSummary(error)}
    <form method="post" action="${url.pathname}" novalidate>${token}
      ${renderInputField({
        name: "name",
        label: "Name",
        value: form.get("name") ?? caller.workspace.name,
        maxlength: LIMITS.name,
        autocomplete: "organization",
        error,
      })}
      <div class="save"><button class="plain" name="act" value="name">Save name</button></div>
    </form>`,
  );
}

async function retentionForm(context: MemberPageContext, error?: ApiError): Promise<Html> {
  const set = await context.asMember(get_retention, {});
  const value = context.form.get("retention_days") ?? String(set.retention_days ?? "");
  const chosen = context.form.get("keep") ?? (value === "" ? "forever" : "days");
  const keep = (way: string, label: string) =>
    checkbox({ id: `keep-${way}`, name: "keep", value: way, label, type: "radio", checked: way === chosen });
  return settingsSection(
    "retention-title",
    "Alert retention",
    "Choose how long alerts are kept after they end. They are then deleted permanently, including from devices.",
    html`${renderErrorSummary(error)}
    <form method="post" action="${context.url.pathname}" novalidate>${context.token}
      <fieldset class="keeping"><legend class="unseen">Alert retention</legend>
        ${keep("forever", "Keep indefinitely")}
        ${keep("days", "Delete after a number of days")}
        ${renderInputField({
          name: "retention_days",
          label: "Days",
          inputmode: "numeric",
          required: false,
          value,
          hint:
            `${LIMITS.retention_least} to ${LIMITS.retention}. Deletion starts no earlier than ` +
            `${LIMITS.retention_notice_hours} hours after you change this setting.`,
          error,
        })}</fieldset>
      ${set.begins_at !== null && renderRetentionPreview(set, context.now)}
      <details class="more"><summary>Details</summary><p class="hint">An alert ends when it is sent or withdrawn. If it
        expires later, it ends when it expires. Drafts, scheduled alerts and statistics are kept. A channel can
        override this in its settings. The operator can make a copy first with <code>belfry export</code>.</p></details>
      <div class="save"><button class="plain" name="act" value="retention">Save retention</button></div>
    </form>`,
  );
}

async function settings(context: MemberPageContext, error?: ApiError): Promise<Response> {
  const act = context.form.get("act");
  const errorOf = (name: string) => (act === name ? error : undefined);
  return context.page(
    "Settings",
    html`<h1>Settings</h1>
    ${
      isRoleAtLeast(context.caller.member.role, set_retention.role) && [
        nameForm(context, errorOf("name")),
        await retentionForm(context, errorOf("retention")),
      ]
    }
    ${settingsSection(
      "leave-title",
      "Leave",
      "You will lose access to this workspace. The next page shows the effects.",
      html`<p><a class="button danger" href="${context.base}settings/leave">Leave workspace…</a></p>`,
      true,
    )}`,
    { error, width: "narrow" },
  );
}

const REFUSED = {
  ...{ again: settings, when: createErrorTypeMatcher("invalid_request") },
  labels: { retention_days: "Days" },
};

export const SETTINGS_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", "/settings", (context) => settings(context)),
  defineMemberForm("/settings", REFUSED, async (context) => {
    const { form: sent, url } = context;
    if (sent.get("act") === "name") {
      await context.asMember(rename_workspace, { name: sent.get("name") ?? "" });
      return context.goTo(url.pathname, "workspace-renamed");
    }
    const way = sent.get("keep");
    const days = way === "forever" ? "" : (sent.get("retention_days") ?? "");
    if (way === "days" && days.trim() === "")
      throw invalidRequest("field_required", "Enter the number of days.", "retention_days");
    const retention_days = parseControlValue({ look: "number", blank: null }, days);
    await context.asMember(set_retention, { retention_days } as { retention_days: number | null });
    return context.goTo(url.pathname, "retention-set");
  }),
];
