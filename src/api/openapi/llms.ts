// What an assistant that was given nothing but this server's address reads first: what it is, where its faces are, and what can be
// done there. Public, the same for everybody, and made from the records.

import type { Tool } from "../../operation/tool.ts";

/** The text of /llms.txt, in Markdown as that convention has it. */
export function llmsText(tools: readonly Tool[], publicUrl: string): string {
  const lines = tools.map(({ name, title, scope }) => `- \`${name}\`: ${title} (${scope})`);
  return `# Belfry

> Alerts on channels (pushers), which people's phones subscribe to. Assistants, scripts and people compose them; a sent alert cannot be unsent.

Connect by MCP at ${publicUrl}/mcp, by consent in a browser (OAuth) or with \`Authorization: Bearer <key>\`. Nothing but public pages is answered without.
Composing and sending are separate permissions: without the second, a person sends the draft at its review_url.
Figures count what devices reported. There is no delivered figure and no rate.

## Documentation

- [The API to read](${publicUrl}/api/v1/docs): REST with the same operations, and what phones do
- [Docs](${publicUrl}/docs): how to send, receive, connect and operate
- [OpenAPI 3.1](${publicUrl}/api/v1/openapi.json): the same for programs
- [Public channels](${publicUrl}/c): the directory, for people

## Tools

${lines.join("\n")}
`;
}
