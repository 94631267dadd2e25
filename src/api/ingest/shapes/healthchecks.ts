// Healthchecks' webhook, whose body its owner writes: `$JSON`, the check as its API shows it, by itself or as `check`, or single
// placeholders as `name` and `status`.

import { z } from "zod";
import { PROGRAMS } from "../../../model/fields/programs.ts";
import { plainAnswer, plainRefusal, type Tongue } from "../tongue.ts";
import { alertOf, glance, keyOf, readAs, word } from "./parts.ts";

const check = z.object({
  name: word,
  slug: word,
  tags: word,
  desc: word,
  status: z.enum(["up", "down", "grace", "new", "paused", "started"]),
  last_ping: word.nullish(),
  uuid: word,
  unique_key: word,
});

const checkOf = (body: Record<string, unknown>) =>
  typeof body.check === "object" && body.check !== null ? body.check : body;

export const healthchecks: Tongue = {
  name: "healthchecks",
  title: PROGRAMS.healthchecks,
  recognises(request) {
    const found = checkOf(glance(request));
    return (
      check.safeParse(found).success && ("n_pings" in found || "ping_url" in found || "unique_key" in found)
    );
  },
  read(request) {
    const { name, slug, tags, desc, status, last_ping, uuid, unique_key } = readAs(
      check,
      checkOf(request.object()),
      "This is no check of Healthchecks: let the body of its webhook be $JSON.",
    );
    const called = name || slug || "a check";
    const fields = alertOf({
      title: `${status === "down" ? "Down" : status === "up" ? "Up" : status}: ${called}`,
      // Its addresses are left out: whoever knows the one for pings can keep the check quiet.
      body: [desc, tags && `Tags: ${tags}`, last_ping && `Last ping: ${last_ping}`]
        .filter(Boolean)
        .join("\n"),
      priority: status === "down" ? "important" : "normal",
      key: keyOf("hc", uuid || unique_key || called),
    });
    return { alerts: [{ fields }], notes: [] };
  },
  answer: plainAnswer,
  refuse: plainRefusal,
};
