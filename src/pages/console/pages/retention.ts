// How long alerts are kept: the workspace's own page, and what a setting leads to, in plain words, before it acts.

import type { z } from "zod";
import { get_retention, set_retention } from "../../../identity/session/workspaces.ts";
import type { ApiError } from "../../../model/errors.ts";
import { LIMITS, said } from "../../../model/limits.ts";
import { type Html, html } from "../../../ui/html.ts";
import { argumentOf } from "../form_values.ts";
import { oneOf } from "../forms.ts";
import { field, instant, problem } from "../parts.ts";
import { type MemberVisit, memberForm, memberPage, type Page } from "../visit.ts";

type Ahead = z.output<(typeof get_retention)["output"]>;

/** What goes, and from when on. */
export function aheadNote({ days, begins_at, alerts, more }: Ahead, now: Date): Html {
  if (days === null) return html`<p class="note">Alerts are kept for ever.</p>`;
  if (begins_at === null)
    return html`<p class="note">Alerts are removed ${days} days after their end. None is that old yet.</p>`;
  const many = more
    ? `more than ${said("retention_counted")} alerts`
    : alerts === 1
      ? "1 alert"
      : `${alerts} alerts`;
  return html`<p class="note warn"><span>Alerts are removed ${days} days after their end: <strong>${many}</strong> from ${instant(begins_at, now)} on, for good. Until then you can take it back here.</span></p>`;
}

async function form(visit: MemberVisit, error?: ApiError): Promise<Response> {
  const set = await visit.asMember(get_retention, {});
  const value = visit.form.get("retention_days") ?? String(set.retention_days ?? "");
  return visit.page(
    "How long alerts are kept",
    html`<h1>How long alerts are kept</h1>
    <p class="lede">So many days after its end an alert is removed for good, from phones as well. Its counts stay in the statistics.</p>
    ${problem(error)}${aheadNote(set, visit.now)}
    <form method="post" action="${visit.base}retention" novalidate>${visit.token}
      ${field({ name: "retention_days", label: "Days", value, hint: `${LIMITS.retention_least} to ${LIMITS.retention}. Left empty, alerts are kept for ever. The first goes no earlier than ${LIMITS.retention_notice_hours} hours after this was changed.`, error })}
      <div class="actions"><button>Save</button><a class="button plain" href="/console/account">Back to your account</a></div>
    </form>
    <p class="note">An alert ends when it is sent or withdrawn, or when it expires, if that is later. Drafts and scheduled alerts stay. A channel can say otherwise in its settings. Whoever runs this service can make a copy first, with <code>belfry export</code>.</p>`,
    { width: "narrow", status: error?.status ?? 200 },
  );
}

const REFUSED = { again: form, when: oneOf("invalid_request"), labels: { retention_days: "Days" } };

export const RETENTION_PAGES: readonly Page[] = [
  memberPage("GET", "/retention", (visit) => form(visit)),
  memberForm("/retention", REFUSED, async (visit) => {
    const retention_days = argumentOf({ look: "number", blank: null }, visit.form.get("retention_days"));
    await visit.asMember(set_retention, { retention_days } as { retention_days: number | null });
    return visit.goTo(visit.url.pathname, "retention-set");
  }),
];
