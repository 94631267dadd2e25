// The address of an uploaded file: "{PUBLIC_URL}/assets/{id}/{token}". Handsets have no session to show, and an id
// holds too little chance to be a secret, so the address carries a token that only this server can make.

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { AssetAddresses } from "../../model/domain/asset_rules.ts";
import { formatId } from "../../model/domain/type_ids.ts";

export interface AssetUrls extends AssetAddresses {
  /** Whether this is the token of that file. Takes the same time for every wrong one. */
  opens(uuid: string, token: string): boolean;
}

export function createAssetUrls(secret: string, publicUrl: string): AssetUrls {
  const key = Buffer.from(hkdfSync("sha256", secret, "belfry", "asset addresses", 32));
  const tokenOf = (uuid: string) => createHmac("sha256", key).update(uuid).digest("base64url");
  return {
    urlOf: (uuid) => `${publicUrl}/assets/${formatId("ast", uuid)}/${tokenOf(uuid)}`,
    opens(uuid, token) {
      const [right, given] = [Buffer.from(tokenOf(uuid)), Buffer.from(token)];
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}

/** A path for the log: whoever reads the log must not be able to fetch the file. */
export function removeToken(path: string): string {
  return path.startsWith("/assets/") ? path.replace(/^(\/assets\/[^/]*)\/[^/]+/, "$1/(cut)") : path;
}
