// The hash under which the sign-in library stores codes, refresh tokens and client secrets.

import { createHash } from "node:crypto";

export const hashOAuthSecret = (secret: string): string => createHash("sha256").update(secret).digest("base64url");
