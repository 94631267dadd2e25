// The cost of passwords in tests. Each one that is set or checked takes 80 ms of a core by design, which a run would
// pay some thousand times. The tests' own processes therefore use the same function with a thousandth of the work.
// Servers that a test starts are unchanged, and tests of the work itself call `useFullPasswordCost`.

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
