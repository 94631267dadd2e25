// Uploaded files in a folder, one file each under the id of its row. What it knows of them is their bytes.

import { constants, mkdirSync } from "node:fs";
import { access, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Backend } from "./store.ts";

const isMissing = (error: NodeJS.ErrnoException) => error.code === "ENOENT";

export function folderBackend(base: string): Backend {
  mkdirSync(base, { recursive: true, mode: 0o700 });
  return {
    async put(id, bytes) {
      const file = await open(join(base, id), "w", 0o600);
      try {
        await file.writeFile(bytes);
        // The row that says so is on the disk when it is answered; the bytes are before.
        await file.sync();
      } finally {
        await file.close();
      }
    },
    get: (id) =>
      readFile(join(base, id)).catch((error) => {
        if (isMissing(error)) return null;
        throw error;
      }),
    remove: (id) => rm(join(base, id), { force: true }),
    ask: () => access(base, constants.R_OK | constants.W_OK | constants.X_OK),
  };
}
