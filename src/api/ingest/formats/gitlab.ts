// GitLab's webhooks, whose secret token (X-Gitlab-Token) is the sender's key. It supports pushes, tags, issues, merge
// requests, ended pipelines and expiring access tokens. Every other event is a line with its author's text.

import { z } from "zod";
import type { AlertInput, SenderAdapter } from "../adapter.ts";
import {
  buildAlert,
  createCollapseKey,
  formatQuantity,
  joinLimitedLines,
  parseBodyWithSchema,
  textOrNumberSchema,
} from "./format_helpers.ts";

const titledSchema = z.object({ iid: textOrNumberSchema, title: textOrNumberSchema }).optional().catch(undefined);
const commitSchema = z.object({
  title: textOrNumberSchema,
  message: textOrNumberSchema,
  author: z.object({ name: textOrNumberSchema }).catch({ name: "" }),
});

const payloadSchema = z.object({
  object_kind: textOrNumberSchema,
  // System hooks name their events so.
  event_name: textOrNumberSchema,
  ref: textOrNumberSchema,
  user_name: textOrNumberSchema,
  user: z.object({ name: textOrNumberSchema }).catch({ name: "" }),
  project: z
    .object({ path_with_namespace: textOrNumberSchema, web_url: textOrNumberSchema })
    .catch({ path_with_namespace: "", web_url: "" }),
  group: z.object({ group_path: textOrNumberSchema }).catch({ group_path: "" }),
  commits: z.array(commitSchema).catch([]),
  total_commits_count: z.number().catch(0),
  commit: commitSchema.optional().catch(undefined),
  builds: z.array(z.object({ name: textOrNumberSchema, status: textOrNumberSchema })).catch([]),
  object_attributes: z
    .object({
      iid: textOrNumberSchema,
      id: textOrNumberSchema,
      title: textOrNumberSchema,
      description: textOrNumberSchema,
      note: textOrNumberSchema,
      url: textOrNumberSchema,
      action: textOrNumberSchema,
      status: textOrNumberSchema,
      ref: textOrNumberSchema,
      name: textOrNumberSchema,
      expires_at: textOrNumberSchema,
    })
    .optional()
    .catch(undefined),
  issue: titledSchema,
  merge_request: titledSchema,
  // Releases, deployments and jobs have these in addition to the kind.
  path_with_namespace: textOrNumberSchema,
  name: textOrNumberSchema,
  tag: textOrNumberSchema,
  description: textOrNumberSchema,
  url: textOrNumberSchema,
  deployable_url: textOrNumberSchema,
  environment: textOrNumberSchema,
  action: textOrNumberSchema,
  status: textOrNumberSchema,
  build_name: textOrNumberSchema,
  build_status: textOrNumberSchema,
});
type Payload = z.output<typeof payloadSchema>;

const getBranchName = (ref: string) => ref.replace(/^refs\/(heads|tags)\//, "");

/** One commit with its whole message; of several the first lines. */
function formatCommits(commits: Payload["commits"]): string {
  const [only] = commits;
  if (only && commits.length === 1) return `${only.message.trim() || only.title} (${only.author.name})`;
  return joinLimitedLines(
    commits.map(({ title, message, author }) => `${title || message.split("\n", 1)[0]} (${author.name})`),
  );
}

function buildSubjectAlert(mark: string, p: Payload): AlertInput | null {
  const { object_attributes: of, project, user } = p;
  if (!of) return buildAlertOfOtherKind(p, p.object_kind);
  const done = { open: "opened", close: "closed", reopen: "reopened", merge: "merged" }[of.action];
  if (!done) return null;
  return buildAlert({
    title: `${project.path_with_namespace} ${mark}${of.iid} ${done}: ${of.title}`,
    body: `${user.name}\n${of.description}`,
    url: of.url,
    key: createCollapseKey("gl", project.path_with_namespace, mark + of.iid),
  });
}

/** Null: a step that is not announced. */
const KINDS: Record<string, (p: Payload) => AlertInput | null> = {
  push: (p) =>
    buildAlert({
      title:
        `${p.project.path_with_namespace} ${getBranchName(p.ref)}: ` +
        `${formatQuantity(p.total_commits_count || p.commits.length, "commit")} by ${p.user_name}`,
      body: formatCommits(p.commits),
      url: p.project.web_url,
    }),
  tag_push: (p) =>
    buildAlert({
      title: `${p.project.path_with_namespace}: tag ${getBranchName(p.ref)} by ${p.user_name}`,
      url: p.project.web_url,
    }),
  access_token: buildExpiringTokenAlert,
  issue: (p) => buildSubjectAlert("#", p),
  merge_request: (p) => buildSubjectAlert("!", p),
  pipeline(p) {
    const { object_attributes: of, project, builds } = p;
    if (!of) return buildAlertOfOtherKind(p, "pipeline");
    if (!/^(success|failed|canceled)$/.test(of.status)) return null;
    const failed = builds.filter(({ status }) => status === "failed").map(({ name }) => name);
    return buildAlert({
      title: `${project.path_with_namespace}: pipeline on ${of.ref} ${of.status}`,
      body: [p.commit && formatCommits([p.commit]), failed.length > 0 && `Failed: ${failed.join(", ")}`]
        .filter(Boolean)
        .join("\n"),
      url: of.url || `${project.web_url}/-/pipelines/${of.id}`,
      priority: of.status === "failed" ? "important" : "normal",
      key: createCollapseKey("gl-run", project.path_with_namespace, of.ref),
    });
  },
};

/** An access token of a project or group that soon expires; GitLab repeats it. */
function buildExpiringTokenAlert(p: Payload): AlertInput {
  const { object_attributes: of, project, group } = p;
  if (!of?.expires_at) return buildAlertOfOtherKind(p, p.object_kind);
  const where = project.path_with_namespace || group.group_path;
  return buildAlert({
    title: `${where}: access token ${of.name} expires on ${of.expires_at}`,
    url: project.web_url,
    priority: "important",
    key: createCollapseKey("gl-token", where, of.id || of.name),
  });
}

/** A line: where, what and by whom, what it is about, and the text that its author wrote. */
function buildAlertOfOtherKind(p: Payload, kind: string): AlertInput {
  const { object_attributes: of, project, issue, merge_request, commit } = p;
  const subject = of?.title || issue?.title || merge_request?.title || p.build_name || p.environment || p.name;
  const line = [
    project.path_with_namespace || p.path_with_namespace || "GitLab:",
    kind.replaceAll("_", " ") || "event",
    (of?.action || of?.status || p.action || p.status || p.build_status).replaceAll("_", " "),
    (p.user.name || p.user_name) && `by ${p.user.name || p.user_name}`,
  ];
  return buildAlert({
    title: [line.filter(Boolean).join(" "), subject || p.tag].filter(Boolean).join(": "),
    body: of?.note || of?.description || p.description || (commit ? formatCommits([commit]) : ""),
    url: of?.url || p.url || p.deployable_url || project.web_url,
  });
}

/** "Deployment Hook" becomes `deployment`. */
const getKindFromHeader = (header: string) =>
  header
    .replace(/ Hook$/i, "")
    .replaceAll(" ", "_")
    .toLowerCase();

export const gitlabAdapter: SenderAdapter = {
  name: "gitlab",
  delivery: "once",
  matches: ({ headers }) => headers.has("x-gitlab-event"),
  read(request) {
    const p = parseBodyWithSchema(payloadSchema, request.object(), "The request is not a GitLab webhook delivery.");
    const kind = p.object_kind || p.event_name || getKindFromHeader(request.headers.get("x-gitlab-event") ?? "");
    const fields = Object.hasOwn(KINDS, kind) ? KINDS[kind]?.(p) : buildAlertOfOtherKind(p, kind);
    if (!fields)
      return {
        alerts: [],
        notes: ["GitLab sent a type of event that is not published, such as an edit or the start of a pipeline."],
      };
    const idempotencyKey = request.headers.get("idempotency-key") || undefined;
    return { alerts: [{ fields, idempotencyKey }], notes: [] };
  },
};
