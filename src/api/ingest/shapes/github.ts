// GitHub's webhooks: each signed with the sender's key as their secret, each once by the id of its delivery. What happens to code is
// told by a table; every other event is a line.

import { z } from "zod";
import { ApiError } from "../../../model/errors.ts";
import { jsonIn } from "../reading.ts";
import type { AlertInput, IngestRequest, Tongue } from "../tongue.ts";
import { alertOf, keyOf, listed, readAs, word } from "./parts.ts";

const thing = z
  .object({
    number: word,
    title: word,
    name: word,
    tag_name: word,
    html_url: word,
    body: word,
    merged: z.boolean().catch(false),
  })
  .extend({ conclusion: word, head_branch: word, run_number: word })
  .optional()
  .catch(undefined);

const payload = z.object({
  action: word,
  ref: word,
  compare: word,
  deleted: z.boolean().catch(false),
  repository: z.object({ full_name: word, html_url: word }).catch({ full_name: "", html_url: "" }),
  sender: z.object({ login: word }).catch({ login: "" }),
  commits: z
    .array(z.object({ message: word, author: z.object({ name: word }).catch({ name: "" }) }))
    .catch([]),
  pull_request: thing,
  issue: thing,
  release: thing,
  workflow_run: thing,
});
type Payload = z.output<typeof payload>;

const count = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;

/** What was opened or closed, by its number. */
function opened(what: "pull_request" | "issue", p: Payload): AlertInput | null {
  const found = p[what];
  if (!found || !/^(opened|closed|reopened|ready_for_review)$/.test(p.action)) return null;
  const done = found.merged ? "merged" : p.action.replaceAll("_", " ");
  return alertOf({
    title: `${p.repository.full_name} #${found.number} ${done}: ${found.title}`,
    body: `${p.sender.login}\n${found.body}`,
    url: found.html_url,
    key: keyOf("gh", p.repository.full_name, found.number),
  });
}

/** Null: nothing that people are told of. */
const EVENTS: Record<string, (p: Payload) => AlertInput | null> = {
  push(p) {
    const branch = p.ref.replace(/^refs\/(heads|tags)\//, "");
    const done = p.deleted
      ? "deleted"
      : p.commits.length === 0
        ? "created or moved"
        : count(p.commits.length, "commit");
    return alertOf({
      title: `${p.repository.full_name} ${branch}: ${done} by ${p.sender.login}`,
      body: listed(p.commits.map(({ message, author }) => `${message.split("\n", 1)[0]} (${author.name})`)),
      url: p.compare,
    });
  },
  pull_request: (p) => opened("pull_request", p),
  issues: (p) => opened("issue", p),
  release: ({ release, action, repository }) =>
    release && action === "published"
      ? alertOf({
          title: `${repository.full_name} released ${release.name || release.tag_name}`,
          body: release.body,
          url: release.html_url,
        })
      : null,
  workflow_run({ workflow_run: run, action, repository }) {
    if (!run || action !== "completed") return null;
    const bad = !/^(success|neutral|skipped)$/.test(run.conclusion);
    return alertOf({
      title: `${repository.full_name}: ${run.name} on ${run.head_branch}: ${run.conclusion.replaceAll("_", " ")}`,
      url: run.html_url,
      priority: bad ? "important" : "normal",
      key: keyOf("gh-run", repository.full_name, run.name, run.head_branch),
    });
  },
};

const other = (event: string, { action, repository, sender }: Payload): AlertInput =>
  alertOf({
    title: [repository.full_name, event.replaceAll("_", " "), action, sender.login && `by ${sender.login}`]
      .filter(Boolean)
      .join(" "),
    url: repository.html_url,
  });

function checkSignature(request: IngestRequest): void {
  const [, hex = ""] =
    /^sha256=([0-9a-f]{64})$/i.exec(request.headers.get("x-hub-signature-256") ?? "") ?? [];
  if (!request.isSignature(Buffer.from(hex, "hex")))
    throw new ApiError(
      "unauthorized",
      "The signature does not hold: paste the sender's key into the field Secret of the webhook in GitHub.",
    );
}

async function bodyOf(request: IngestRequest): Promise<unknown> {
  if (request.contentType !== "application/x-www-form-urlencoded") return request.object();
  return jsonIn((await request.form()).get("payload") ?? "");
}

export const github: Tongue = {
  name: "github",
  delivery: "once",
  recognises: ({ headers }) => headers.has("x-github-event"),
  async read(request) {
    checkSignature(request);
    const event = request.headers.get("x-github-event") ?? "";
    if (event === "ping") return { alerts: [], notes: [] };
    const p = readAs(payload, await bodyOf(request), "This is not what GitHub's webhooks send.");
    const fields = Object.hasOwn(EVENTS, event) ? EVENTS[event]?.(p) : other(event, p);
    if (!fields)
      return {
        alerts: [],
        notes: ["GitHub told of a step that is not announced, such as a label or a run that began."],
      };
    const idempotencyKey = request.headers.get("x-github-delivery") ?? undefined;
    return { alerts: [{ fields, idempotencyKey }], notes: [] };
  },
};
