// The overview shows the setup for each assistant's client, with this server's own address.

import { expect, test } from "vitest";
import { ASSISTANT_CLIENTS, SET_API_KEY_COMMAND } from "../../src/pages/console/assistant_clients.ts";
import { signInOwner } from "../support/console_site.ts";
import { World } from "../support/world.ts";

test("each line with the address in PUBLIC_URL", async () => {
  const PUBLIC_URL = "https://alerts.example.org";
  const world = await World.open({ settings: { PUBLIC_URL } });
  try {
    const owner = await signInOwner(world, PUBLIC_URL);
    const { headers } = await owner.get("/console");
    const { text } = await owner.get(new URL(headers.get("location")!, PUBLIC_URL).pathname);
    const shown = [...text.matchAll(/<pre class="copy"[^>]*data-copy="([^"]+)"><code>([^<]*)</g)].map(
      ([, what, line = ""]) => [
        what,
        line.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&#39;", "'"),
      ],
    );
    const lines = ASSISTANT_CLIENTS.flatMap(({ name, key, consent }) => [
      ...(consent ? [[`for ${name}`, consent(PUBLIC_URL)]] : []),
      ...(key ? [[`for ${name}, with a key`, key(PUBLIC_URL)]] : []),
    ]);
    expect(shown.filter(([what]) => what!.startsWith("for "))).toEqual(lines);
    expect(shown).toContainEqual(["the command", SET_API_KEY_COMMAND]);
  } finally {
    await world.close();
  }
});
