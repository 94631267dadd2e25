// The persistent state of a listener: its device, and the alerts that it has passed on. It is one file, written
// atomically.

import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writePrivateFile } from "../../store/secret/private_file.ts";
import { getStateFolder } from "./login_store.ts";
import { UsageError } from "./output.ts";

interface ListenStateFile {
  url: string;
  handle: string;
  token: string;
  /** Everything sent before is passed on, or older than the subscription. Null: not yet subscribed. */
  since: string | null;
  /** The ids of alerts that were passed on since. */
  passed: Sent[];
  /** Ids of alerts that are passed on and still to be confirmed. */
  owed: string[];
}

type Sent = { id: string; sent_at: string };

/** This number of alerts is distinguished by id; for older ones only the time is stored. */
const REMEMBERED = 500;

/** One file for each channel of each server, below the home of the current user. */
export const getListenStatePath = (url: string, handle: string): string =>
  join(getStateFolder(), `${new URL(url).host.replace(/\W+/g, "-")}-${handle}.json`);

/** @throws UsageError where the file cannot be read, or is another channel's. */
export function openListenState(file: string, { url, handle }: Pick<ListenStateFile, "url" | "handle">) {
  let kept = read(file);
  if (kept && (kept.url !== url || kept.handle !== handle))
    throw new UsageError(`${file} belongs to ${kept.handle} at ${kept.url}. Specify another file with --state.`);
  const write = (changed: ListenStateFile) => {
    writePrivateFile(file, `${JSON.stringify(changed)}\n`);
    kept = changed;
  };
  const device = (): ListenStateFile => {
    if (!kept) throw new Error("a device exists before it subscribes");
    return kept;
  };
  return {
    get token(): string | null {
      return kept?.token ?? null;
    },
    /** Another device, which knows nothing yet. */
    begin(token: string): void {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      write({ url, handle, token, since: null, passed: [], owed: [] });
    },
    /** Alerts that were sent before this time are not passed on. */
    subscribed(at: string): void {
      const { since } = device();
      if (since === null || since < at) write({ ...device(), since: at });
    },
    /** Reports if the alert is still to be passed on. */
    isNew({ id, sent_at }: Sent): boolean {
      const { since, passed } = device();
      return since !== null && sent_at >= since && !passed.some((one) => one.id === id);
    },
    /** It is passed on, and perhaps still to be confirmed. Written before this returns. */
    passed({ id, sent_at }: Sent, owes: boolean): void {
      const { since, passed, owed } = device();
      const all = [...passed, { id, sent_at }].sort((a, b) => (a.sent_at < b.sent_at ? -1 : 1));
      const last = all.slice(-REMEMBERED);
      const [oldest] = last;
      write({
        ...device(),
        since: oldest && all.length > REMEMBERED ? oldest.sent_at : since,
        passed: last,
        owed: owes ? [...owed, id] : owed,
      });
    },
    owed: (): readonly string[] => kept?.owed ?? [],
    confirmed(ids: readonly string[]): void {
      write({ ...device(), owed: device().owed.filter((id) => !ids.includes(id)) });
    },
  };
}

export type ListenState = ReturnType<typeof openListenState>;

function read(file: string): ListenStateFile | null {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return null;
    throw new UsageError(`${file} is not a valid listener state. Remove it, or specify another file with --state.`);
  }
}
