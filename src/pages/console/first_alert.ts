// How the first alert is sent, in the three ways that there are: in this browser, by an assistant, by curl.

import { supportsConsent } from "../../identity/auth/redirects.ts";
import { create_key } from "../../identity/session/keys.ts";
import { roleReaches } from "../../model/domain/standing.ts";
import { type Content, type Html, html } from "../../ui/html.ts";
import { ASSISTANT_CLIENTS, type AssistantClient, SET_KEY } from "./assistant_clients.ts";
import { channelBase } from "./channel_head.ts";
import { copyable } from "./parts.ts";
import { type MemberVisit, mayUse } from "./visit.ts";

/** What a client is given, in the ways in which it can reach this server. */
function clientLines({ name, where, key, consent }: AssistantClient, publicUrl: string): Content {
  const asking = supportsConsent(publicUrl) ? consent : null;
  if (!asking && !key) return null;
  return html`<details class="more" name="client"><summary>${name}</summary><p class="hint">In ${where}.</p>
    ${asking && copyable(asking(publicUrl), `for ${name}`)}
    ${key && html`${asking && html`<p>Or with a key:</p>`}${copyable(key(publicUrl), `for ${name}, with a key`)}`}</details>`;
}

/** Connecting an assistant: by consent where this server is reached over https or on this machine, else by a key. */
function connecting({ deps, caller, base }: MemberVisit): Content {
  const { publicUrl } = deps;
  const asks = supportsConsent(publicUrl);
  const keys = roleReaches(caller.member.role, create_key.role)
    ? html`<a href="${base}keys">make a key</a>`
    : html`ask an owner for a key`;
  return html`${
    asks
      ? html`<p>Give your assistant this address. A page opens in your browser and asks what the assistant may do. No key is needed.</p>
    ${copyable(`${publicUrl}/mcp`, "the address")}`
      : html`<p>This server is not reached over https, so assistants connect with a key.</p>`
  }
    <details class="more"${!asks && html` open`}><summary>What your client wants to be told</summary>
    <p>With a key: ${keys}, and set it in the shell that starts the client.</p>
    ${copyable(SET_KEY, "what sets the key")}
    ${ASSISTANT_CLIENTS.map((client) => clientLines(client, publicUrl))}</details>`;
}

/** Lines for a shell that send one alert, on `channel` or on one that they open. The key is the reader's. */
export function curlLines(publicUrl: string, channel: { id: string } | null): string {
  const head = `KEY='<your key>'\nAPI=${publicUrl}/api/v1`;
  const json = '-H "Authorization: Bearer $KEY" -H "Content-Type: application/json"';
  const send = (id: string) =>
    `curl -s $API/pushers/${id}/alerts ${json} \\\n  -d '{"title": "The quay floods at six", "send": true}'`;
  if (channel) return `${head}\n${send(channel.id)}`;
  return `${head}
PUSHER=$(curl -s $API/pushers ${json} \\
  -d '{"handle": "harbour-watch", "name": "Harbour Watch", "category": "community",
       "description": "Tides and closures", "requested_perms": ["notify", "sound"]}' |
  sed 's/.*"id":"\\(psh_[a-z0-9]*\\)".*/\\1/p;d')
${send("$PUSHER")}`;
}

/** @param channel the one that alerts are most likely written on; null while there is none */
export function firstAlert(visit: MemberVisit, channel: { id: string; handle: string } | null): Html {
  const { base, deps } = visit;
  const opens = mayUse(visit, "create_pusher") && visit.caller.pusherIds === null;
  const said = channel
    ? `Draft an alert on the channel ${channel.handle} that the quay floods at six tonight. Show me the draft before you send it.`
    : "Open a channel harbour-watch for tide warnings, and draft an alert that the quay floods at six tonight. Show me the draft before you send it.";
  return html`<div>
  ${
    mayUse(visit, "create_alert") &&
    (channel || opens) &&
    html`<section class="card" aria-labelledby="by-browser"><h3 id="by-browser">In this browser</h3>${
      channel
        ? html`<p>Write it, see it as a phone will show it, then send it.</p><p><a class="button" href="${channelBase(visit, channel.id)}/alerts/new">Write an alert</a></p>`
        : html`<p>Open a channel, which people subscribe to. Then write on it, see it as a phone will show it, and send it.</p><p><a class="button" href="${base}channels/new">Open a channel</a></p>`
    }</section>`
  }
  <section class="card" aria-labelledby="by-assistant"><h3 id="by-assistant">By an assistant</h3>${connecting(visit)}
    ${
      mayUse(visit, "create_alert") &&
      html`<p>Then ask it:</p>${copyable(said, "what to ask")}
    <p class="hint">Writing and sending are separate permissions: without the second, its drafts wait here for you.</p>`
    }</section>
  ${
    mayUse(visit, "send_alert") &&
    (channel || opens) &&
    html`<section class="card" aria-labelledby="by-curl"><h3 id="by-curl">By curl</h3>
    <p>With a key of yours${roleReaches(visit.caller.member.role, create_key.role) ? html` (<a href="${base}keys">make one</a>)` : " (an owner makes one)"}, in a shell:</p>
    ${copyable(curlLines(deps.publicUrl, channel), "the lines")}
    <p class="hint">Everything else is in the <a href="/api/v1/docs">description of the API</a>.</p></section>`
  }</div>`;
}
