// A world for the tests of one file.

import { afterAll } from "vitest";
import { World } from "./world.ts";

/** Opens a world while a test file is loaded, and closes it after the tests of the file. */
export async function openWorld(options?: Parameters<typeof World.open>[0]): Promise<World> {
  const world = await World.open(options);
  afterAll(() => world.close());
  return world;
}
