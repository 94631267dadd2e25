// Tables and code in Markdown.

export const inlineCode = (text: string): string => `\`${text}\``;

export function markdownTable(head: string[], rows: string[][]): string {
  const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  const line = (cells: string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
