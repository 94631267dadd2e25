// Gotify's database (data/gotify.db): applications and their messages.

import { gotify } from "../../api/ingest/gotify.ts";
import { shortened } from "../../api/ingest/words.ts";
import { invalidRequest } from "../../model/errors.ts";
import { LIMITS } from "../../model/limits.ts";
import { Finds, instantOf, type Source } from "./source.ts";
import type { Tables } from "./tables.ts";

export function readGotify(files: readonly Tables[], now: Date): Source {
  const file = files.find((one) => one.has("applications") && one.has("messages"));
  if (!file) throw invalidRequest("No table of Gotify is in it. Name its gotify.db.", "file");
  const counts = new Map<string, number>();
  for (const { application_id } of file.rows("messages", ["application_id"]))
    counts.set(String(application_id), (counts.get(String(application_id)) ?? 0) + 1);
  const finds = new Finds();
  for (const { id, name, description } of file.rows(
    "applications",
    ["id", "name", "description"],
    "order by id",
  )) {
    const one = { id: String(id), from: String(name), title: String(name), about: String(description) };
    finds.add(one, counts.get(one.id) ?? 0);
  }
  return {
    tongue: gotify,
    found: finds.all(),
    notes: finds.notes,
    *messages({ id }) {
      const columns = ["message", "title", "priority", "extras", "date"];
      for (const row of file.rows("messages", columns, "where application_id = ? order by id desc", [
        Number(id),
      ])) {
        const at = instantOf(row.date);
        yield {
          at: at && at > now ? null : at,
          said: {
            message: shortened(String(row.message), LIMITS.alert_body).text,
            title: row.title,
            priority: Number(row.priority) || 0,
            extras: extrasOf(String(row.extras)),
          },
        };
      }
    },
  };
}

function extrasOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
