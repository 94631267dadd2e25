// How a channel is joined by a program: lines that work as they stand. Handles and codes have no character that a shell
// would read.

export interface Joining {
  publicUrl: string;
  handle: string;
  invite: string | null;
}

export function curlLines({ publicUrl, handle, invite }: Joining): string {
  const body = invite === null ? "{}" : JSON.stringify({ invite });
  return `HANDSET=${publicUrl}/handset/v1
TOKEN=$(curl -s $HANDSET/devices -H "Content-Type: application/json" \\
  -d '{"platform": "cli", "app_version": "1.0", "locale": "en", "timezone": "UTC"}' |
  sed 's/.*"token":"\\([A-Za-z0-9_]*\\)".*/\\1/')
curl -s -X PUT $HANDSET/subscriptions/${handle} -H "Authorization: Bearer $TOKEN" \\
  -H "Content-Type: application/json" -d '${body}'
curl -s $HANDSET/inbox -H "Authorization: Bearer $TOKEN"`;
}
