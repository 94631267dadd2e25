// The output of a start for people with phones: the page of the one public channel, with a working command.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startServer } from "../support/processes.ts";
import { World } from "../support/world.ts";

// rules#start-names-the-page
test("a start names the page of the one public channel, and opening it works", async () => {
  const world = await World.open();
  const dataDir = mkdtempSync(join(tmpdir(), "belfry-start-"));
  const started = async () => {
    const server = await startServer(dataDir, { settings: { ...world.settings, DATA_DIR: dataDir } });
    const printed = server
      .log()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ page }) => page !== undefined)
      .map(({ page, msg }) => [page, msg]);
    return { server, printed };
  };
  try {
    const empty = await started();
    expect(empty.printed).toEqual([]);
    await empty.server.stop();

    const { handle } = await world.pusher();
    await world.pusher({ is_public: false });
    const one = await started();
    const page = `${one.server.url}/c/${handle}`;
    expect(one.printed).toEqual([[page, `To subscribe a device, open ${page}`]]);
    expect(await (await fetch(page)).text()).toContain(`href="/app/#join=${handle}"`);
    await one.server.stop();

    await world.pusher();
    const two = await started();
    expect(two.printed).toEqual([]);
    await two.server.stop();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
    await world.close();
  }
});
