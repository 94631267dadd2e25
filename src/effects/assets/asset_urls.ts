// URLs of uploaded files: "{PUBLIC_URL}/assets/{id}/{token}". Handsets have no session, and an id is not random enough
// to be a secret. The URL therefore contains a token that only this server can create.

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { AssetUrlResolver } from "../../model/domain/asset_rules.ts";
import { formatId } from "../../model/domain/type_ids.ts";

interface AssetUrls extends AssetUrlResolver {
  /** Checks the token of a file, in equal time for every wrong one. */
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
