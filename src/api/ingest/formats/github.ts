// GitHub's webhooks: each signed with the sender's key as their secret, each published once by the id of its
// delivery. A table describes the usual events; every other event is a line with what its author wrote.

import { z } from "zod";
import { ApiError } from "../../../model/api_error.ts";
import type { AlertInput, IngestRequest, SenderAdapter } from "../adapter.ts";
import { parseBoundedJson } from "../read_ingest_request.ts";
import {
  buildAlert,
  createCollapseKey,
  formatQuantity,
  joinLimitedLines,
  parseBodyWithSchema,
  textOrNumberSchema,
} from "./format_helpers.ts";

const commitSchema = z.object({
  message: textOrNumberSchema,
  author: z.object({ name: textOrNumberSchema }).catch({ name: "" }),
});

const subjectSchema = z
  .object({
    number: textOrNumberSchema,
    title: textOrNumberSchema,
    name: textOrNumberSchema,
    tag_name: textOrNumberSchema,
    html_url: textOrNumberSchema,
    body: textOrNumberSchema,
    summary: textOrNumberSchema,
    description: textOrNumberSchema,
    merged: z.boolean().catch(false),
  })
  .extend({
    conclusion: textOrNumberSchema,
    state: textOrNumberSchema,
    security_advisory: z.object({ summary: textOrNumberSchema }).catch({ summary: "" }),
    head_branch: textOrNumberSchema,
    run_number: textOrNumberSchema,
    workflow_id: textOrNumberSchema,
  })
  .extend({ head_commit: commitSchema.optional().catch(undefined) })
  .optional()
  .catch(undefined);

/** Objects that an event may be about, by their names in the payload. */
const SUBJECTS = {
  pull_request: subjectSchema,
  issue: subjectSchema,
  discussion: subjectSchema,
  release: subjectSchema,
  workflow_run: subjectSchema,
  workflow_job: subjectSchema,
  check_run: subjectSchema,
  check_suite: subjectSchema,
  milestone: subjectSchema,
  security_advisory: subjectSchema,
  alert: subjectSchema,
  label: subjectSchema,
};

const payloadSchema = z.object({
  action: textOrNumberSchema,
  ref: textOrNumberSchema,
  compare: textOrNumberSchema,
  deleted: z.boolean().catch(false),
  repository: z
    .object({ full_name: textOrNumberSchema, html_url: textOrNumberSchema })
    .catch({ full_name: "", html_url: "" }),
  organization: z.object({ login: textOrNumberSchema }).catch({ login: "" }),
  sender: z.object({ login: textOrNumberSchema }).catch({ login: "" }),
  commits: z.array(commitSchema).catch([]),
  comment: subjectSchema,
  review: subjectSchema,
  deployment_status: subjectSchema,
  ...SUBJECTS,
});
/** `omitted`: commits that were not read. */
type Payload = z.output<typeof payloadSchema> & { omitted: number };

const firstLine = (text: string) => text.split("\n", 1)[0] ?? "";

/** One commit with its whole message; of several the first lines. */
function formatCommits(commits: Payload["commits"], omitted = 0): string {
  const [only] = commits;
  if (only && commits.length + omitted === 1) return `${only.message.trim()} (${only.author.name})`;
  return joinLimitedLines(
    commits.map(({ message, author }) => `${firstLine(message)} (${author.name})`),
    commits.length + omitted,
  );
}

/** The opened or closed item, by its number. */
function buildSubjectAlert(what: "pull_request" | "issue", p: Payload): AlertInput | null {
  const found = p[what];
  if (!found) return buildAlertOfOtherEvent(what, p);
  if (!/^(opened|closed|reopened|ready_for_review)$/.test(p.action)) return null;
  const done = found.merged ? "merged" : p.action.replaceAll("_", " ");
  return buildAlert({
    title: `${p.repository.full_name} #${found.number} ${done}: ${found.title}`,
    body: `${p.sender.login}\n${found.body}`,
    url: found.html_url,
    key: createCollapseKey("gh", p.repository.full_name, found.number),
  });
}

/** Null: a step that is not announced. */
const EVENTS: Record<string, (p: Payload) => AlertInput | null> = {
  push(p) {
    const branch = p.ref.replace(/^refs\/(heads|tags)\//, "");
    const done = p.deleted
      ? "deleted"
      : p.commits.length === 0
        ? "created or moved"
        : formatQuantity(p.commits.length + p.omitted, "commit");
    return buildAlert({
      title: `${p.repository.full_name} ${branch}: ${done} by ${p.sender.login}`,
      body: formatCommits(p.commits, p.omitted),
      url: p.compare,
    });
  },
  pull_request: (p) => buildSubjectAlert("pull_request", p),
  issues: (p) => buildSubjectAlert("issue", p),
  release(p) {
    const { release, action, repository } = p;
    if (!release) return buildAlertOfOtherEvent("release", p);
    if (action !== "published") return null;
    return buildAlert({
      title: `${repository.full_name} released ${release.name || release.tag_name}`,
      body: release.body,
      url: release.html_url,
    });
  },
  workflow_run(p) {
    const { workflow_run: run, action, repository } = p;
    if (!run) return buildAlertOfOtherEvent("workflow_run", p);
    if (action !== "completed") return null;
    const bad = !/^(success|neutral|skipped)$/.test(run.conclusion);
    const commit = run.head_commit;
    return buildAlert({
      title: `${repository.full_name}: ${run.name} on ${run.head_branch}: ${run.conclusion.replaceAll("_", " ")}`,
      body: commit ? formatCommits([commit]) : "",
      url: run.html_url,
      priority: bad ? "important" : "normal",
      // A run that is repeated is of the same workflow.
      key: createCollapseKey("gh-run", repository.full_name, run.workflow_id || run.name, run.head_branch),
    });
  },
};

/** A line: where, what and by whom, what it is about, and the text that its author wrote. */
function buildAlertOfOtherEvent(event: string, p: Payload): AlertInput {
  const { action, repository, organization, sender, comment, review, deployment_status } = p;
  const names = Object.keys(SUBJECTS) as (keyof typeof SUBJECTS)[];
  const about = names.map((name) => p[name]).find(Boolean);
  const subject = about && [about.number && `#${about.number}`, about.title || about.name].filter(Boolean).join(" ");
  const line = [
    repository.full_name || organization.login || "GitHub:",
    event.replaceAll("_", " ") || "event",
    (deployment_status?.state || action).replaceAll("_", " "),
    about?.conclusion.replaceAll("_", " "),
    sender.login && `by ${sender.login}`,
  ];
  const author = comment ?? review ?? deployment_status;
  return buildAlert({
    title: [line.filter(Boolean).join(" "), subject].filter(Boolean).join(": "),
    body:
      author?.body ||
      author?.description ||
      about?.body ||
      about?.summary ||
      about?.description ||
      about?.security_advisory.summary ||
      "",
    url: author?.html_url || about?.html_url || repository.html_url,
  });
}

function checkSignature(request: IngestRequest): void {
  const [, hex = ""] = /^sha256=([0-9a-f]{64})$/i.exec(request.headers.get("x-hub-signature-256") ?? "") ?? [];
  if (!request.isSignature(Buffer.from(hex, "hex")))
    throw new ApiError(
      "invalid_credential",
      "The signature is not valid. Enter the sender's key in the Secret field of the GitHub webhook.",
    );
}

async function readBody(request: IngestRequest): Promise<unknown> {
  if (request.contentType !== "application/x-www-form-urlencoded") return request.object();
  return parseBoundedJson((await request.form()).get("payload") ?? "");
}

export const githubAdapter: SenderAdapter = {
  name: "github",
  delivery: "once",
  matches: ({ headers }) => headers.has("x-github-event"),
  async read(request) {
    checkSignature(request);
    const event = request.headers.get("x-github-event") ?? "";
    if (event === "ping") return { alerts: [], notes: [] };
    const read = parseBodyWithSchema(
      payloadSchema,
      await readBody(request),
      "The request is not a GitHub webhook delivery.",
    );
    const p = { ...read, omitted: request.omitted };
    const fields = Object.hasOwn(EVENTS, event) ? EVENTS[event]?.(p) : buildAlertOfOtherEvent(event, p);
    if (!fields)
      return {
        alerts: [],
        notes: ["GitHub sent a type of event that is not published, such as a new label or the start of a run."],
      };
    const idempotencyKey = request.headers.get("x-github-delivery") || undefined;
    return { alerts: [{ fields, idempotencyKey }], notes: [] };
  },
};
