// The text of a migration file in the style of those that are there: a class named like its file, one plain statement a
// call.

/** A statement as TypeScript: in quotation marks where it is one line without any, else between backticks. */
function literal(statement: string): string {
  if (!/["\\\n]/.test(statement)) return `"${statement}"`;
  return `\`${statement.replace(/[\\`]|\$\{/g, "\\$&")}\``;
}

/** `sentence`: what changes and why; it becomes the comment at the head. */
export function renderMigrationFile(className: string, sentence: string, statements: readonly string[]): string {
  const calls = statements.map((statement) => `    this.addSql(${literal(statement)});\n`);
  return `// ${sentence}

import { Migration } from "@mikro-orm/migrations";

export class ${className} extends Migration {
  override up(): void {
${calls.join("")}  }
}
`;
}

/** A name that sorts behind every migration that is there. `existing`: file names. */
export function createMigrationName(existing: readonly string[], name: string, now: Date): string {
  const stamp = BigInt(now.toISOString().replace(/\D/g, "").slice(0, 14));
  const stamps = existing.map((file) => BigInt(/^Migration(\d{14})/.exec(file)?.[1] ?? 0));
  const last = stamps.reduce((a, b) => (a > b ? a : b), 0n);
  return `Migration${stamp > last ? stamp : last + 1n}_${name}`;
}
