// The code of an authenticator app, from the secret in the QR code of a page.

import { base32 } from "@better-auth/utils/base32";
import { createOTP } from "@better-auth/utils/otp";

/** The code of the app; `step` -1 and 1 are those of 30 seconds before and after, which are also accepted. */
export function computeTotp(uri: string, step = 0): Promise<string> {
  const secret = new TextDecoder().decode(base32.decode(new URL(uri).searchParams.get("secret")!));
  return createOTP(secret, { digits: 6, period: 30 }).hotp(Math.floor(Date.now() / 30_000) + step);
}

/** A code that is certainly wrong. */
export async function computeWrongTotp(uri: string): Promise<string> {
  const right = await Promise.all([-2, -1, 0, 1, 2].map((step) => computeTotp(uri, step)));
  for (let i = 0; ; i++) {
    const code = String(i).padStart(6, "0");
    if (!right.includes(code)) return code;
  }
}
