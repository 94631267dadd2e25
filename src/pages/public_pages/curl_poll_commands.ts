// The commands with which a terminal subscribes to a channel and polls its inbox.

interface CurlTarget {
  publicUrl: string;
  handle: string;
  invite: string | null;
}

/** Returns shell commands that register a device, subscribe it and read its inbox, with `curl` and `sed` only. */
export function buildCurlSubscribeCommands({ publicUrl, handle, invite }: CurlTarget): string {
  const body = invite === null ? "{}" : JSON.stringify({ invite });
  return `HANDSET=${publicUrl}/handset/v1
TOKEN=$(curl -s $HANDSET/devices -H "Content-Type: application/json" \\
  -d '{"platform": "cli", "app_version": "1.0", "locale": "en", "timezone": "UTC"}' |
  sed 's/.*"token":"\\([A-Za-z0-9_]*\\)".*/\\1/')
curl -s -X PUT $HANDSET/subscriptions/${handle} -H "Authorization: Bearer $TOKEN" \\
  -H "Content-Type: application/json" -d '${body}'
curl -s $HANDSET/inbox -H "Authorization: Bearer $TOKEN"`;
}
