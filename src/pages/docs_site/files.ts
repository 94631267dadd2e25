// Which files of ours are pages below /docs, in which order, and what an address in one of them means there. They lie in docs/ and
// beside it, in a checkout as in the package.

import { existsSync, globSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../../", import.meta.url);
export const DOCS_PATH = "/docs";

const ruleFile = (topic: string) => `docs/reference/rules/${topic}.md`;

/** File by file what the contents list. What lies in docs/ beside these stands at the end. */
const GROUPS: readonly (readonly [title: string, files: readonly string[]])[] = [
  ["Get started", ["README.md", "docs/start.md"]],
  [
    "Use",
    ["docs/send.md", "docs/senders.md", "docs/console.md", "docs/receive.md", "docs/connect.md", "docs/assistants.md"],
  ],
  ["Operate", ["docs/running.md", "docs/scale.md", "docs/upgrading.md", "docs/moving.md", "SECURITY.md"]],
  ["Develop", ["docs/operations.md", "docs/words.md", "docs/handset.md", "docs/handset_app.md"]],
  [
    "Rules",
    [
      "docs/reference/rules/README.md",
      "docs/reference/limits.md",
      ...["service", "requests", "channels", "alerts", "alert-states", "statistics", "webhooks", "accounts"].map(
        ruleFile,
      ),
      ...["senders", "handsets", "pages", "mcp-and-cli"].map(ruleFile),
    ],
  ],
  [
    "Contribute",
    ["CONTRIBUTING.md", "docs/architecture.md", "docs/dependencies.md", "CHANGELOG.md", "docs/decisions/README.md"],
  ],
];

/** Pages whose address is another word than their file's name. */
const SLUGS: Record<string, string> = {
  "README.md": "",
  "docs/running.md": "operate",
};

/** Old addresses of pages below DOCS_PATH, and where each page is now. */
export const MOVED: Readonly<Record<string, string>> = {
  rules: "reference/rules",
};

export interface Doc {
  /** From the root of the repository. */
  file: string;
  /** Below DOCS_PATH, without a slash in front; empty for the first page. */
  slug: string;
}

export interface DocGroup {
  title: string;
  docs: readonly Doc[];
}

const slugOf = (file: string) =>
  SLUGS[file] ??
  file
    .replace(/^docs\//, "")
    .replace(/(\/README)?\.md$/, "")
    .toLowerCase();
const docOf = (file: string): Doc => ({ file, slug: slugOf(file) });
export const placeOf = (file: string): string => fileURLToPath(new URL(file, ROOT));

/** The groups of the contents with the pages that are there, and the single decisions, which their own list leads to. */
export function findDocs(): { groups: DocGroup[]; decisions: Doc[] } {
  const named = GROUPS.map(([title, files]) => ({
    title,
    docs: files.filter((file) => existsSync(placeOf(file))).map(docOf),
  }));
  const known = new Set(named.flatMap(({ docs }) => docs.map(({ file }) => file)));
  const found = globSync("docs/**/*.md", { cwd: fileURLToPath(ROOT) }).map((file) => file.replaceAll("\\", "/"));
  const others = found.filter((file) => !known.has(file)).sort();
  const [single, more] = [
    others.filter((file) => file.startsWith("docs/decisions/")),
    others.filter((file) => !file.startsWith("docs/decisions/")),
  ];
  const groups = more.length > 0 ? [...named, { title: "More", docs: more.map(docOf) }] : named;
  return { groups, decisions: single.map(docOf) };
}

const TYPES: Record<string, string> = { png: "image/png", svg: "image/svg+xml" };

/** The pictures of the pages: name → file and type. */
export function findPictures(): Map<string, { file: string; type: string }> {
  const files = globSync("docs/{,pictures/}*.{png,svg}", { cwd: fileURLToPath(ROOT) });
  return new Map(
    files.map((found) => {
      const file = found.replaceAll("\\", "/");
      return [posix.basename(file), { file, type: TYPES[file.slice(-3)] ?? "" }];
    }),
  );
}

export const hrefOf = ({ slug }: Doc): string => (slug === "" ? DOCS_PATH : `${DOCS_PATH}/${slug}`);
export const pictureHref = (name: string): string => `${DOCS_PATH}/pictures/${name}`;

/** Where a link leads: an address, or null for a file that is no page. `from` is the file in which it stands. */
export function leadsTo(link: string, from: string, docs: ReadonlyMap<string, Doc>): string | null {
  if (/^(https?:|mailto:|#)/.test(link)) return link;
  const [path = "", anchor] = link.split("#");
  const file = posix.join(posix.dirname(from), path);
  const doc = docs.get(file) ?? docs.get(posix.join(file, "README.md"));
  if (doc) return hrefOf(doc) + (anchor === undefined ? "" : `#${anchor}`);
  return /^docs\/(pictures\/)?[\w-]+\.(png|svg)$/.test(file) ? pictureHref(posix.basename(file)) : null;
}
