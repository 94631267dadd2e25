// The introduction before the first call, in Markdown, for a reader of the document, and for an assistant that has only
// this server's address. It is public, the same for all callers, and generated from the records.

import { formatLimit, LIMITS } from "../../model/limits.ts";
import type { OwnerOperation } from "../../operation/define_operation.ts";

export const createIntroduction = (
  publicUrl: string,
): string => `Create alert channels, compose alerts, send them to subscribed devices, and read statistics on
reported reads and acknowledgements. Paths and fields call a channel \`pusher\`, and a subscribing device \`handset\`.

## Authentication

Send \`Authorization: Bearer <API_KEY>\`. Create keys in the console or with \`belfry keys create\`. Each key has
scopes, and every operation lists the scope that it requires. The samples read the key from the environment:

\`\`\`
export BELFRY_API_KEY=bfk_…
\`\`\`

Assistants connect over MCP at \`${publicUrl}/mcp\`, where each operation is a tool.

## Errors

All errors have the same format: \`{"error": {"type", "code", "message", "param"}}\`. The message explains what to do.
A missing resource and one that you cannot access both return 404. Unknown fields are rejected, never ignored.

## Retries

Send an \`Idempotency-Key\` with operations that create something. For ${LIMITS.idempotency_hours} hours, a retry
returns the first result and has no further effect.

## Times

Responses use UTC. Requests accept RFC 3339 with \`Z\` or an offset, or a local time with a zone: \`2026-11-24T07:30
Europe/Lisbon\`. A local time that is skipped or repeated when the clocks change is refused; the error names both
offsets.

## Pages

Lists are sorted newest first. Pass \`meta.next_before\` as \`before\` to get the next page; null means that this is
the last page.

## Views

Operations that list or write alerts accept the query parameter \`view\`. \`full\`, the default here, returns all
fields. \`brief\` is the default over MCP. It truncates texts longer than ${LIMITS.brief_text} characters
(\`body_length\` has the full length) and omits markup (\`html_length\`). Lists also accept \`titles\`: id, handle,
title, status and time. MCP responses stay under ${formatLimit("mcp_answer")}: a longer list ends early, with
\`next_before\`.

## Publishing

Composing and sending are separate permissions. A sent alert cannot be recalled: cancelling keeps it from devices that
have not fetched it, and has no effect on those that have. Priority is an upper limit: each device decides whether to
ring. Drafting is never rate-limited.

## Devices

A subscribing device needs only the operations under \`/handset/v1\` and its own token:

\`\`\`
export BELFRY_DEVICE_TOKEN=bfd_…
\`\`\`

## Versions

Within \`/v1\`, fields, operations and enum values are added, but not changed or removed. Ignore unknown fields,
and accept unknown enum values.`;

/** The text of /llms.txt, in Markdown as that convention has it. */
export function createLlmsText(tools: readonly OwnerOperation[], publicUrl: string): string {
  const lines = tools.map(({ name, title, scope }) => `- \`${name}\`: ${title} (${scope})`);
  return `# Belfry

> Alerts on channels (pushers) that people's phones subscribe to. Assistants, scripts and people compose them; a
> sent alert cannot be recalled.

Connect over MCP at ${publicUrl}/mcp, with consent in a browser (OAuth) or with \`Authorization: Bearer <key>\`. Only
public pages require neither.
Composing and sending are separate permissions: without the second, a person sends the draft at its review_url.
Counts are reports from devices. Deliveries and rates are not available.

## Documentation

- [API reference](${publicUrl}/api/v1/docs): the same operations over REST, and the handset API
- [Docs](${publicUrl}/docs): how to send and receive alerts, connect programs and run the service
- [OpenAPI 3.1](${publicUrl}/api/v1/openapi.json): the same in machine-readable form
- [Public channels](${publicUrl}/c): the directory, for people

## Tools

${lines.join("\n")}
`;
}
