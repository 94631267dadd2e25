// The files that are pages below /docs, their order, and the meaning of addresses in them. They are in docs/ and the
// folder above it, in a checkout and in the package.

import { existsSync, globSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../../", import.meta.url);
export const DOCS_PATH = "/docs";

/** The pages of each kind, in the order of the contents. A page that is missing here is listed at the end. */
const GROUPS: readonly (readonly [title: string, folder: string, names: string])[] = [
  ["Start", "docs/start", "install first-alert subscribe connect-an-assistant connect-a-sender"],
  [
    "How-to",
    "docs/how-to",
    "https email postgresql containers backup upgrade processes replicas monitoring accounts oidc console webhooks " +
      "handset migrate troubleshooting faq",
  ],
  [
    "Reference",
    "docs/reference",
    "settings operations errors limits events metrics cli senders handset-api glossary rules/README",
  ],
  [
    "Rules",
    "docs/reference/rules",
    "service requests channels alerts alert-states statistics webhooks accounts senders handsets pages mcp-and-cli",
  ],
  ["Explanation", "docs/explanation", "how-it-works security-model scale web-app comparison"],
  ["Contribute", "docs/contributing", "architecture testing translations assistant-evaluation dependencies releasing"],
];

/** Pages outside of docs/ and folders of their own, by the group that they join. */
const ADDED_PAGES: Record<string, { first?: string[]; last?: string[] }> = {
  Start: { first: ["README.md"] },
  Explanation: { last: ["docs/decisions/README.md"] },
  Contribute: { first: ["CONTRIBUTING.md"], last: ["SECURITY.md", "CHANGELOG.md"] },
};

const GROUPED = GROUPS.map(([title, folder, names]): [string, string[]] => {
  const { first = [], last = [] } = ADDED_PAGES[title] ?? {};
  return [title, [...first, ...names.split(" ").map((name) => `${folder}/${name}.md`), ...last]];
});

/** Pages whose address is not their file's name. */
const SLUGS: Record<string, string> = { "README.md": "" };

/** Old addresses of pages below DOCS_PATH, and where each page is now. */
export const DOC_REDIRECTS: Readonly<Record<string, string>> = {
  start: "start/first-alert",
  send: "start/connect-a-sender",
  receive: "start/subscribe",
  connect: "start/connect-an-assistant",
  assistants: "start/connect-an-assistant",
  senders: "reference/senders",
  console: "how-to/console",
  operate: "how-to/https",
  running: "how-to/https",
  upgrading: "how-to/upgrade",
  moving: "how-to/migrate",
  operations: "reference/operations",
  words: "reference/glossary",
  handset: "reference/handset-api",
  handset_app: "explanation/web-app",
  rules: "reference/rules",
  scale: "explanation/scale",
  architecture: "contributing/architecture",
  dependencies: "contributing/dependencies",
};

/** The address of today for an old one; null for any other. The number of a decision stays when its title changes. */
export function findRedirect(slug: string, slugs: readonly string[]): string | null {
  const [, number] = /^decisions\/(\d{4})-/.exec(slug) ?? [];
  if (number === undefined) return Object.hasOwn(DOC_REDIRECTS, slug) ? (DOC_REDIRECTS[slug] ?? null) : null;
  const now = slugs.find((other) => other.startsWith(`decisions/${number}-`));
  return now === slug ? null : (now ?? null);
}

export interface DocPagePaths {
  /** From the root of the repository. */
  file: string;
  /** Below DOCS_PATH, without a slash in front; empty for the first page. */
  slug: string;
}

export interface DocGroup {
  title: string;
  docs: readonly DocPagePaths[];
}

const slugOf = (file: string) =>
  SLUGS[file] ??
  file
    .replace(/^docs\//, "")
    .replace(/(\/README)?\.md$/, "")
    .toLowerCase();
const docOf = (file: string): DocPagePaths => ({ file, slug: slugOf(file) });
export const resolveFromRepositoryRoot = (file: string): string => fileURLToPath(new URL(file, ROOT));

/** The groups of the contents with the existing pages, and the single decisions, which their own list links to. */
export function listDocPages(): { groups: DocGroup[]; decisions: DocPagePaths[] } {
  const named = GROUPED.map(([title, files]) => ({
    title,
    docs: files.filter((file) => existsSync(resolveFromRepositoryRoot(file))).map(docOf),
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
export function findDocPictures(): Map<string, { file: string; type: string }> {
  const files = globSync("docs/{,pictures/}*.{png,svg}", { cwd: fileURLToPath(ROOT) });
  return new Map(
    files.map((found) => {
      const file = found.replaceAll("\\", "/");
      return [posix.basename(file), { file, type: TYPES[file.slice(-3)] ?? "" }];
    }),
  );
}

export const getDocHref = ({ slug }: DocPagePaths): string => (slug === "" ? DOCS_PATH : `${DOCS_PATH}/${slug}`);
/** Within its group, a page of rules is named by its topic. */
export const getShortTitle = (title: string): string =>
  title.replace(/^Rules: (.)/, (_, first: string) => first.toUpperCase());
const getDocPictureHref = (name: string): string => `${DOCS_PATH}/pictures/${name}`;

/** The address of a picture's form for dark mode, such as `inbox_dark.png` of `inbox.png`; null without one. */
export function findDarkPicture(picture: string): string | null {
  const name = posix.basename(picture).replace(/\.png$/, "_dark.png");
  return name.endsWith("_dark.png") && existsSync(resolveFromRepositoryRoot(`docs/pictures/${name}`))
    ? getDocPictureHref(name)
    : null;
}

/** The target of a link: an address, or null for a file that is not a page. `from` is the file that contains it. */
export function resolveDocLink(link: string, from: string, docs: ReadonlyMap<string, DocPagePaths>): string | null {
  if (/^(https?:|mailto:|#)/.test(link)) return link;
  const [path = "", anchor] = link.split("#");
  const file = posix.join(posix.dirname(from), path);
  const doc = docs.get(file) ?? docs.get(posix.join(file, "README.md"));
  if (doc) return getDocHref(doc) + (anchor === undefined ? "" : `#${anchor}`);
  return /^docs\/(pictures\/)?[\w-]+\.(png|svg)$/.test(file) ? getDocPictureHref(posix.basename(file)) : null;
}
