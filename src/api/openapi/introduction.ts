// What is read before the first call, in Markdown: by a reader of the document, and by an assistant that was given
// nothing but this server's address (public, the same for everybody, and made from the records).

import { formatLimit, LIMITS } from "../../model/limits.ts";
import type { OwnerOperation } from "../../operation/define_operation.ts";

export const createIntroduction = (
  publicUrl: string,
): string => `Open alert channels, compose alerts, send them to subscribed handsets, and read statistics that claim only what can be backed.

## Authentication

Send \`Authorization: Bearer <API_KEY>\`. Keys are made in the console or with \`belfry keys create\`; each carries scopes, and every operation names the one that it needs. The samples read the key from the environment:

\`\`\`
export BELFRY_API_KEY=bfk_…
\`\`\`

Assistants connect over MCP at \`${publicUrl}/mcp\` and find the same operations there, one tool each.

## Errors

Every refusal has one shape: \`{"error": {"type", "message", "param"}}\`. The message names the way out. A row that does not exist and a row that is not yours answer alike: 404. A misspelt field is refused, never ignored.

## Retries

Give operations that create something an \`Idempotency-Key\`: for ${LIMITS.idempotency_hours} hours a repeat answers with the first result and acts only once.

## Instants

Answers write them in UTC. Requests take RFC 3339 with \`Z\` or an offset, and the local time of a zone: \`2026-11-24T07:30 Europe/Lisbon\`. One that the zone's clocks skip or show twice is refused with the two offsets that can be written instead.

## Pages

Lists run newest first. Pass \`meta.next_before\` back as \`before\`; null means that there are no more rows.

## Views

Lists of alerts, and the answers of what writes them, take \`view\` in the query: \`full\`, the default here, is the whole row; \`brief\`, the default over MCP, cuts texts above ${LIMITS.brief_text} characters (\`body_length\` tells the whole) and leaves markup out (\`html_length\`). An answer over MCP stays under ${formatLimit("mcp_answer")}: a longer list ends early and says so by \`next_before\`.

## Publishing

Composing and sending are separate permissions. An alert cannot be unsent: cancelling stops delivery to handsets that have not fetched it yet, and has no effect on those that have. Priority is a ceiling; what rings is decided on the handset. Drafting is never rate-limited.

## Handsets

A subscribing device needs nothing of this but the operations under Handset, and its own token:

\`\`\`
export BELFRY_DEVICE_TOKEN=bfd_…
\`\`\`

## Versions

Within \`/v1\` things are only added: fields, operations, enum values. Ignore fields that you do not know, and parse enums tolerantly.`;

/** The text of /llms.txt, in Markdown as that convention has it. */
export function createLlmsText(tools: readonly OwnerOperation[], publicUrl: string): string {
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
