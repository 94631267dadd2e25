// GitLab's webhooks, whose secret token (X-Gitlab-Token) is the sender's key: pushes, tags, issues, merge requests, pipelines that
// ended, and a line for every other event.

import { z } from "zod";
import type { AlertInput, Tongue } from "../tongue.ts";
import { alertOf, keyOf, listed, readAs, word } from "./parts.ts";

const payload = z.object({
  object_kind: z.string(),
  ref: word,
  user_name: word,
  user: z.object({ name: word }).catch({ name: "" }),
  project: z
    .object({ path_with_namespace: word, web_url: word })
    .catch({ path_with_namespace: "", web_url: "" }),
  commits: z
    .array(z.object({ title: word, message: word, author: z.object({ name: word }).catch({ name: "" }) }))
    .catch([]),
  total_commits_count: z.number().catch(0),
  object_attributes: z
    .object({
      iid: word,
      id: word,
      title: word,
      description: word,
      url: word,
      action: word,
      status: word,
      ref: word,
    })
    .optional()
    .catch(undefined),
});
type Payload = z.output<typeof payload>;

const branchOf = (ref: string) => ref.replace(/^refs\/(heads|tags)\//, "");

function opened(mark: string, { object_attributes: of, project, user }: Payload): AlertInput | null {
  const done = { open: "opened", close: "closed", reopen: "reopened", merge: "merged" }[of?.action ?? ""];
  if (!of || !done) return null;
  return alertOf({
    title: `${project.path_with_namespace} ${mark}${of.iid} ${done}: ${of.title}`,
    body: `${user.name}\n${of.description}`,
    url: of.url,
    key: keyOf("gl", project.path_with_namespace, mark + of.iid),
  });
}

/** Null: nothing that people are told of. */
const KINDS: Record<string, (p: Payload) => AlertInput | null> = {
  push: (p) =>
    alertOf({
      title: `${p.project.path_with_namespace} ${branchOf(p.ref)}: ${p.total_commits_count || p.commits.length} commits by ${p.user_name}`,
      body: listed(
        p.commits.map(
          ({ title, message, author }) => `${title || message.split("\n", 1)[0]} (${author.name})`,
        ),
      ),
      url: p.project.web_url,
    }),
  tag_push: (p) =>
    alertOf({
      title: `${p.project.path_with_namespace}: tag ${branchOf(p.ref)} by ${p.user_name}`,
      url: p.project.web_url,
    }),
  issue: (p) => opened("#", p),
  merge_request: (p) => opened("!", p),
  pipeline({ object_attributes: of, project }) {
    if (!of || !/^(success|failed|canceled)$/.test(of.status)) return null;
    return alertOf({
      title: `${project.path_with_namespace}: pipeline on ${of.ref} ${of.status}`,
      url: of.url || `${project.web_url}/-/pipelines/${of.id}`,
      priority: of.status === "failed" ? "important" : "normal",
      key: keyOf("gl-run", project.path_with_namespace, of.ref),
    });
  },
};

const other = ({ object_kind, project, user, user_name }: Payload): AlertInput =>
  alertOf({
    title: `${project.path_with_namespace} ${object_kind.replaceAll("_", " ")} ${user.name || user_name}`,
    url: project.web_url,
  });

export const gitlab: Tongue = {
  name: "gitlab",
  delivery: "once",
  recognises: ({ headers }) => headers.has("x-gitlab-event"),
  read(request) {
    const p = readAs(payload, request.object(), "This is not what GitLab's webhooks send.");
    const fields = Object.hasOwn(KINDS, p.object_kind) ? KINDS[p.object_kind]?.(p) : other(p);
    if (!fields)
      return {
        alerts: [],
        notes: ["GitLab told of a step that is not announced, such as an edit or a pipeline that began."],
      };
    const idempotencyKey = request.headers.get("idempotency-key") ?? undefined;
    return { alerts: [{ fields, idempotencyKey }], notes: [] };
  },
};
