// Shell completions made from the command tree, so that they know every command, flag and value that it knows. Scripts
// are static: completing a word starts no process.

import type { Command, Option } from "commander";
import { assertDefined } from "../../model/assert.ts";

/** One command: its path (`/keys/create`), and the arguments that may follow it. */
interface Node {
  path: string;
  names: string[];
  description: string;
  flags: ReturnType<typeof flagFor>[];
  words: string[];
  children: Node[];
}

function nodeFor(command: Command, above: string | null): Node {
  const path = above === null ? "" : `${above}/${command.name()}`;
  const shown = command.createHelp();
  return {
    path,
    names: [command.name(), ...command.aliases()],
    description: command.summary() || command.description(),
    flags: shown.visibleOptions(command).map(flagFor),
    words: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    children: command.commands.map((child) => nodeFor(child, path)),
  };
}

function flagFor({ long, short, description, required, argChoices }: Option) {
  return { name: long ?? "", short: short ?? null, description, takesValue: required, values: argChoices ?? [] };
}

const flatten = (node: Node): Node[] => [node, ...node.children.flatMap(flatten)];

/** The completions after a command: its commands, its arguments' values, its flags. */
const followers = ({ children, words, flags }: Node) => [
  ...children.map(({ names }) => names[0] ?? ""),
  ...words,
  ...flags.map(({ name }) => name),
];

/** `case` arms over the path of commands typed so far, for shells of the Bourne family. */
function caseArms(root: Node, add: (words: string[]) => string) {
  const nodes = flatten(root);
  const walk = nodes.flatMap((node) =>
    node.children.flatMap((child) =>
      child.names.map((name) => `      "${node.path}:${name}") path="${child.path}" ;;`),
    ),
  );
  const values = nodes.flatMap((node) =>
    node.flags
      .filter((flag) => flag.takesValue)
      .flatMap(({ name, short, values }) =>
        [name, ...(short ? [short] : [])].map((flag) => `    "${node.path}:${flag}") ${add(values)} return ;;`),
      ),
  );
  const words = nodes.map((node) => `    "${node.path}") ${add(followers(node))} ;;`);
  return { walk: walk.join("\n"), values: values.join("\n"), words: words.join("\n") };
}

function bash(root: Node): string {
  const arms = caseArms(root, (words) =>
    words.length > 0 ? `COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$cur"));` : "",
  );
  return `# bash completion for belfry
_belfry() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" path="" word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path:$word" in
${arms.walk}
    esac
  done
  case "$path:$prev" in
${arms.values}
  esac
  case "$path" in
${arms.words}
  esac
}
complete -o default -F _belfry belfry
`;
}

function zsh(root: Node): string {
  const arms = caseArms(root, (words) => (words.length > 0 ? `compadd -- ${words.join(" ")};` : "_files;"));
  return `#compdef belfry
_belfry() {
  local prev="\${words[CURRENT-1]}" path_="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$path_:$word" in
${arms.walk.replaceAll("path=", "path_=")}
    esac
  done
  case "$path_:$prev" in
${arms.values}
  esac
  case "$path_" in
${arms.words}
  esac
}
if [ "$funcstack[1]" = "_belfry" ]; then _belfry "$@"; else compdef _belfry belfry; fi
`;
}

function fish(root: Node): string {
  const quote = (text: string) => `'${text.replace(/\n.*/s, "").replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = ["# fish completion for belfry", "complete -c belfry -f"];
  for (const node of flatten(root)) {
    const seen = node.path.split("/").slice(1);
    const aliases = (name: string) => name.replaceAll("-", "_");
    const here = seen.map((name) => `__fish_seen_subcommand_from ${[...new Set([name, aliases(name)])].join(" ")}`);
    const deeper = node.children.flatMap(({ names }) => names);
    if (deeper.length > 0) here.push(`not __fish_seen_subcommand_from ${deeper.join(" ")}`);
    const when = here.length > 0 ? ` -n ${quote(here.join("; and "))}` : "";
    for (const child of node.children)
      lines.push(`complete -c belfry${when} -a ${child.names[0]} -d ${quote(child.description)}`);
    for (const word of node.words) lines.push(`complete -c belfry${when} -a ${word}`);
    for (const flag of node.flags) {
      const values = flag.values.length > 0 ? ` -a ${quote(flag.values.join(" "))}` : "";
      const value = flag.takesValue ? ` ${values ? "-x" : "-r"}${values}` : "";
      const names = `-l ${flag.name.slice(2)}${flag.short ? ` -s ${flag.short.slice(1)}` : ""}`;
      lines.push(`complete -c belfry${when} ${names}${value} -d ${quote(flag.description)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

const WRITERS: Record<string, (root: Node) => string> = { bash, zsh, fish };

export const SHELLS = Object.keys(WRITERS);

/** The script for one of SHELLS. */
export function createCompletion(shell: string, program: Command): string {
  return assertDefined(WRITERS[shell], "the command accepts no other shell")(nodeFor(program, null));
}
