// The view that the address names. Everything is behind the #, so it is never sent to a server: no handle, no alert, no
// invite.

import { useEffect, useState } from "preact/hooks";
import { LIMITS } from "../../../model/limits.ts";

import { toValidPackedReadState } from "./rules/read_state_transfer.ts";

export type AppRoute =
  | { view: "inbox" }
  | { view: "alert"; id: string }
  | { view: "channels" }
  | { view: "channel"; handle: string; settings?: boolean }
  | { view: "discover" }
  | { view: "found"; handle: string }
  | { view: "settings" }
  | { view: "join"; handle: string; invite: string | null }
  | { view: "move"; code: string; seen: string | null }
  | { view: "own"; code: string };

const ID = /^alr_[0-9a-z]{10,40}$/;
const HANDLE = /^[a-z0-9_-]{1,64}$/;
const CODE = /^bft_\w{20,100}$/;
const OWN = /^bfo_\w{20,100}$/;

/** The view behind a `#…`; the inbox for an unknown one. */
function parseRoute(hash: string): AppRoute {
  const text = hash.replace(/^#/, "");
  const query = new URLSearchParams(text);
  const handle = query.get("join")?.toLowerCase() ?? "";
  if (HANDLE.test(handle)) return { view: "join", handle, invite: query.get("invite")?.slice(0, LIMITS.code) || null };
  const code = query.get("move") ?? "";
  if (CODE.test(code)) return { view: "move", code, seen: toValidPackedReadState(query.get("seen")) };
  const own = query.get("own") ?? "";
  if (OWN.test(own)) return { view: "own", code: own };
  const [view, name = "", part] = text.split("/");
  if (view === "alert" && ID.test(name)) return { view, id: name };
  if (view === "channel" && part === "settings" && HANDLE.test(name)) return { view, handle: name, settings: true };
  if ((view === "channel" || view === "found") && HANDLE.test(name)) return { view, handle: name };
  if (view === "channels" || view === "discover" || view === "settings") return { view };
  return { view: "inbox" };
}

export const routeHashes = {
  inbox: "#inbox",
  channels: "#channels",
  discover: "#discover",
  settings: "#settings",
  alert: (id: string) => `#alert/${id}`,
  channel: (handle: string) => `#channel/${handle}`,
  channelSettings: (handle: string) => `#channel/${handle}/settings`,
  found: (handle: string) => `#found/${handle}`,
};

/** Navigates without an entry in the browser's history: the previous view is done. */
export function replaceRoute(hash: string): void {
  history.replaceState(null, "", hash);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute(): AppRoute {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const see = () => setHash(location.hash);
    addEventListener("hashchange", see);
    // It may have changed since this was drawn.
    see();
    return () => removeEventListener("hashchange", see);
  }, []);
  return parseRoute(hash);
}
