// Where compiled code is kept from one start to the next: beside the packages, where only those who may change the code
// may write, and gone with `npm ci`. Where it cannot be written, every start compiles. The scripts of package.json name the
// same folder in the environment: so the first files come from it, too, and what would strip their types (14 MB) is not read.

import { enableCompileCache } from "node:module";

/** It covers the modules that are imported afterwards. */
export const enableCache = () =>
  enableCompileCache(`${import.meta.dirname}/../../../node_modules/.cache/belfry`);
