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

const commit = z.object({
  message: textOrNumberSchema,
  author: z.object({ name: textOrNumberSchema }).catch({ name: "" }),
});

const thing = z
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
  .extend({ head_commit: commit.optional().catch(undefined) })
  .optional()
  .catch(undefined);

/** Objects that an event may be about, by their names in the payload. */
const SUBJECTS = {
  pull_request: thing,
  issue: thing,
  discussion: thing,
  release: thing,
  workflow_run: thing,
  workflow_job: thing,
  check_run: thing,
  check_suite: thing,
  milestone: thing,
  security_advisory: thing,
  alert: thing,
  label: thing,
};

const payload = z.object({
  action: textOrNumberSchema,
  ref: textOrNumberSchema,
  compare: textOrNumberSchema,
  deleted: z.boolean().catch(false),
  repository: z
    .object({ full_name: textOrNumberSchema, html_url: textOrNumberSchema })
    .catch({ full_name: "", html_url: "" }),
  organization: z.object({ login: textOrNumberSchema }).catch({ login: "" }),
  sender: z.object({ login: textOrNumberSchema }).catch({ login: "" }),
  commits: z.array(commit).catch([]),
  comment: thing,
  review: thing,
  deployment_status: thing,
  ...SUBJECTS,
});
/** `omitted`: commits that were not read. */
type Payload = z.output<typeof payload> & { omitted: number };

const firstLine = (text: string) => text.split("\n", 1)[0] ?? "";

/** One commit with its whole message; of several the first lines. */
function commitsText(commits: Payload["commits"], omitted = 0): string {
  const [only] = commits;
  if (only && commits.length + omitted === 1) return `${only.message.trim()} (${only.author.name})`;
  return joinLimitedLines(
    commits.map(({ message, author }) => `${firstLine(message)} (${author.name})`),
    commits.length + omitted,
  );
}

/** The opened or closed item, by its number. */
function opened(what: "pull_request" | "issue", p: Payload): AlertInput | null {
  const found = p[what];
  if (!found) return other(what, p);
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
      body: commitsText(p.commits, p.omitted),
      url: p.compare,
    });
  },
  pull_request: (p) => opened("pull_request", p),
  issues: (p) => opened("issue", p),
  release(p) {
    const { release, action, repository } = p;
    if (!release) return other("release", p);
    if (action !== "published") return null;
    return buildAlert({
      title: `${repository.full_name} released ${release.name || release.tag_name}`,
      body: release.body,
      url: release.html_url,
    });
  },
  workflow_run(p) {
    const { workflow_run: run, action, repository } = p;
    if (!run) return other("workflow_run", p);
    if (action !== "completed") return null;
    const bad = !/^(success|neutral|skipped)$/.test(run.conclusion);
    const commit = run.head_commit;
    return buildAlert({
      title: `${repository.full_name}: ${run.name} on ${run.head_branch}: ${run.conclusion.replaceAll("_", " ")}`,
      body: commit ? commitsText([commit]) : "",
      url: run.html_url,
      priority: bad ? "important" : "normal",
      // A run that is repeated is of the same workflow.
      key: createCollapseKey("gh-run", repository.full_name, run.workflow_id || run.name, run.head_branch),
    });
  },
};

/** A line: where, what and by whom, what it is about, and the text that its author wrote. */
function other(event: string, p: Payload): AlertInput {
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

async function bodyOf(request: IngestRequest): Promise<unknown> {
  if (request.contentType !== "application/x-www-form-urlencoded") return request.object();
  return parseBoundedJson((await request.form()).get("payload") ?? "");
}

export const githubAdapter: SenderAdapter = {
  name: "github",
  delivery: "once",
  recognises: ({ headers }) => headers.has("x-github-event"),
  async read(request) {
    checkSignature(request);
    const event = request.headers.get("x-github-event") ?? "";
    if (event === "ping") return { alerts: [], notes: [] };
    const read = parseBodyWithSchema(payload, await bodyOf(request), "The request is not a GitHub webhook delivery.");
    const p = { ...read, omitted: request.omitted };
    const fields = Object.hasOwn(EVENTS, event) ? EVENTS[event]?.(p) : other(event, p);
    if (!fields)
      return {
        alerts: [],
        notes: ["GitHub sent a type of event that is not published, such as a new label or the start of a run."],
      };
    const idempotencyKey = request.headers.get("x-github-delivery") || undefined;
    return { alerts: [{ fields, idempotencyKey }], notes: [] };
  },
};
