// The subjects of commits: imperative, at most 72 characters. Run in CI over the commits after BASE. If the history
// does not reach BASE, it reports that and refuses nothing.

import { spawnSync } from "node:child_process";

/** The last commit before the rule. */
const BASE = "4a0b11d7db5782beea4596a081dd7f508594f3c0";

const MAX = 72;

/**
 * Verbs that end like other forms. Verbs with two s, two e, or no vowel before `ing` need no line: Pass, Feed, Bring.
 */
const VERBS = new Set(["Embed", "Focus"]);

/** The fault of a subject; null without one. It checks articles and the usual endings, not grammar. */
export function findCommitSubjectError(subject: string): string | null {
  const [first = ""] = subject.split(/\s/);
  if ([...subject].length > MAX) return `has ${[...subject].length} characters, ${MAX} at most`;
  if (!/^\p{Lu}/u.test(first)) return "begins with a capital letter";
  if (subject.endsWith(".")) return "ends without a full stop";
  const isOther = /^(An?|The)$|[^s]s$|[^e]ed$|[aeiouy].*ing$/i.test(first);
  if (isOther && !VERBS.has(first)) return `begins with an imperative verb, which "${first}" is not`;
  return null;
}

const git = (...args: string[]) => spawnSync("git", args, { encoding: "utf8" });

if (import.meta.main) {
  if (git("merge-base", "--is-ancestor", BASE, "HEAD").status !== 0)
    console.log(`The history does not reach back to ${BASE}: the subjects of its commits are not checked.`);
  else {
    const subjects = git("log", "--no-merges", "--format=%h %s", `${BASE}..HEAD`).stdout.trim();
    for (const line of subjects.split("\n").filter(Boolean)) {
      const fault = findCommitSubjectError(line.slice(line.indexOf(" ") + 1));
      if (fault === null) continue;
      console.error(`${line}: a subject ${fault}.`);
      process.exitCode = 1;
    }
  }
}
