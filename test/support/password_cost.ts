// What a password costs in tests: each one that is set or shown takes 80 ms of a core by design, which a run would
// pay some thousand times. So it is the same function with a thousandth of the work, in the tests' own processes;
// servers that a test starts know nothing of it, and who asks about the work itself says `useFullPasswordCost`.

import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeAll } from "vitest";

const { scrypt } = crypto;
let dear = false;

/** As Node's, which the sign-in library calls in this form alone. */
function light(...[password, salt, length, options, done]: Parameters<typeof scrypt>): void {
  scrypt(password, salt, length, dear ? options : { ...options, N: 16 }, done);
}
crypto.scrypt = Object.assign(light, scrypt) as typeof scrypt;
syncBuiltinESMExports();

/** In this file a password costs what it does in service, and is kept so. */
export function useFullPasswordCost(): void {
  beforeAll(() => {
    dear = true;
  });
  afterAll(() => {
    dear = false;
  });
}
