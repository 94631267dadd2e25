// What a person reads on the first start. Apart from what makes it, which takes the whole service to be read.

import { supportsConsent } from "../auth/redirects.ts";
import type { Credentials } from "../secret/credentials.ts";

/** What a person reads on the first start: where to go next, with lines that work as they stand. `publicBase` goes before handles. */
export function welcome({ url, key, console }: Credentials, publicBase: string): string {
  const rule = "─".repeat(72);
  return `${rule}
Belfry is ready, and this is its first start.

  Console     ${console}
              makes your account; works once, within 7 days
  MCP         ${url}/mcp
  Your key    ${key}
              shown this once; also in DATA_DIR/credentials.json for the belfry command

${supportsConsent(url) ? `Connect an assistant, which asks for your consent in the console:\n  claude mcp add --transport http belfry ${url}/mcp\n\nOr without a browser, by the key:` : "Connect an assistant by the key:"}
  claude mcp add --transport http belfry ${url}/mcp --header "Authorization: Bearer ${key}"

Or open a channel with curl:
  curl -s ${url}/api/v1/pushers -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '{"handle":"hello-belfry","name":"Hello","category":"community","description":"My first channel"}'
which has its page, where phones subscribe, at ${publicBase}/hello-belfry
${rule}`;
}
