// The verifiers of examples/webhooks, each in its own language, with true deliveries of the service and with what is
// none.

import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signPayload } from "../../src/effects/webhooks/payload_signature.ts";
import { GO_TIMEOUT_MS, runGo, writeGoModule } from "../support/go_modules.ts";
import { startHttpReceiver } from "../support/loopback_receivers.ts";
import { temporaryFolder } from "../support/processes.ts";
import { isMissing, type RequiredProgram } from "../support/requirements.ts";
import { waitFor } from "../support/wait.ts";
import { World } from "../support/world.ts";

const ROOT = join(import.meta.dirname, "../..");
const folder = temporaryFolder();
const program = join(folder.path, "verify");

/** The least Go program around the function that people copy. */
const GO_MAIN = `package main

import (
	"example.org/tried/webhooks"
	"fmt"
	"io"
	"os"
)

func main() {
	body, _ := io.ReadAll(os.Stdin)
	if err := webhooks.Verify(os.Args[1], body, os.Getenv("WEBHOOK_SECRET")); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("genuine")
}
`;

async function buildGo() {
  const verifier = readFileSync(join(ROOT, "examples/webhooks/verify.go"), "utf8");
  writeGoModule(
    folder.path,
    new Map([
      ["webhooks/verify.go", verifier],
      ["main.go", GO_MAIN],
    ]),
  );
  expect((await runGo(folder.path, ["go", "build", "-o", program, "."])).stderr).toBe("");
}

const source = (name: string) => join(ROOT, "examples/webhooks", name);
/** A language's requirements, its preparation, and the command. */
const LANGUAGES: Record<string, { needs?: RequiredProgram; build?: () => Promise<void>; command: string[] }> = {
  ts: { command: [process.execPath, source("verify.ts")] },
  py: { needs: "python3", command: ["python3", source("verify.py")] },
  go: { needs: "go", build: buildGo, command: [program] },
  php: { needs: "php", command: ["php", source("verify.php")] },
};

/** A delivery as its receiver got it. */
interface Got {
  header: string;
  body: Buffer;
}

let world: World;
let secrets: string[];
let once: Got;
let rotated: Got;
beforeAll(async () => {
  world = await World.open({ settings: { WEBHOOK_ALLOW_HOSTS: "127.0.0.1" } });
  const sink = await startHttpReceiver((_request, response) => response.end());
  const got = async (count: number): Promise<Got> => {
    await waitFor(() => expect(sink.requests).toHaveLength(count));
    const { headers, body } = sink.requests.at(-1)!;
    return { header: String(headers["x-webhook-signature"]), body };
  };
  const pusher = await world.pusher();
  const send = () => world.rest("create_alert", { pusher_id: pusher.id, title: 'Grüße 🔔 "', send: true });
  const args = { url: `http://127.0.0.1:${sink.port}/`, events: ["alert.sent"] };
  const { body: hook } = await world.rest("create_webhook", args);
  await send();
  once = await got(1);
  const { body: changed } = await world.rest("rotate_webhook_secret", { webhook_id: hook.id });
  await send();
  rotated = await got(2);
  secrets = [hook.secret, changed.secret];
  sink.close();
});
afterAll(async () => {
  await world?.close();
  folder.remove();
});

test("there are four, of 45 lines at most", () => {
  const files = globSync("examples/webhooks/verify.*", { cwd: ROOT }).sort();
  expect(files.map((file) => file.split(".").at(-1))).toEqual(Object.keys(LANGUAGES).sort());
  for (const file of files)
    expect(readFileSync(join(ROOT, file), "utf8").trimEnd().split("\n").length, file).toBeLessThanOrEqual(45);
});

// rules#event-verifying
describe.each(Object.entries(LANGUAGES))("%s", (_, { needs, build, command: wanted }) => {
  const missing = needs !== undefined && isMissing(needs);
  if (build && !missing) beforeAll(build, GO_TIMEOUT_MS);

  function verify({ header, body }: Got, secret?: string): string {
    const [command, ...args] = wanted;
    const env = { ...process.env, WEBHOOK_SECRET: secret };
    const ended = spawnSync(command!, [...args, header], { input: body, env, encoding: "utf8" });
    expect([ended.stderr, ended.status], header).toEqual(["", ended.stdout === "genuine\n" ? 0 : 1]);
    return ended.stdout.trim();
  }

  test.skipIf(missing)("takes deliveries of the service, and either secret while both are good", () => {
    const [before, now] = secrets as [string, string];
    expect(verify(once, before)).toBe("genuine");
    expect(verify(once, now)).toBe("wrong signature");
    expect([verify(rotated, before), verify(rotated, now)]).toEqual(["genuine", "genuine"]);
  });

  test.skipIf(missing)("reports a delivery that is old or early as one of a wrong time", () => {
    const [secret, other] = secrets as [string, string];
    const now = Math.floor(Date.now() / 1000);
    const signed = (at: number) => ({ ...once, header: signPayload(secret, once.body, at) });
    expect(verify(signed(now - 240), secret)).toBe("genuine");
    for (const at of [now - 360, now + 360, 0, 999_999_999_999_999])
      expect(verify(signed(at), secret), String(at)).toBe("wrong time");
    // A wrong secret is reported first: without a signature that fits, the time means nothing.
    expect(verify(signed(now - 360), other)).toBe("wrong signature");
  });

  test.skipIf(missing)("refuses every delivery without a secret, also one signed with an empty key", () => {
    const forged = { ...once, header: signPayload("", once.body, Math.floor(Date.now() / 1000)) };
    for (const secret of ["", undefined])
      for (const one of [forged, once]) expect(verify(one, secret)).toBe("no secret: set WEBHOOK_SECRET");
  });

  test.skipIf(missing)("takes an empty body, and signatures of unknown versions next to a known one", () => {
    const [secret] = secrets as [string];
    const [t, v1] = once.header.split(",") as [string, string];
    const known = { ...once, header: `${t},v0=00,v1=${"0".repeat(64)},v1=zz,${v1},v2=x` };
    expect(verify(known, secret)).toBe("genuine");
    const body = Buffer.alloc(0);
    expect(verify({ body, header: signPayload(secret, body, Math.floor(Date.now() / 1000)) }, secret)).toBe("genuine");
  });

  test.skipIf(missing)("reports any other change and any malformed header as a wrong signature", () => {
    const [secret] = secrets as [string];
    const now = Math.floor(Date.now() / 1000);
    const [t, v1] = once.header.split(",") as [string, string];
    const wrong: Got[] = [
      { ...once, body: Buffer.concat([once.body, Buffer.from(" ")]) },
      { ...once, header: once.header.replace(t, `t=${now - 1000}`) },
      ...[
        ...["", ",", "=", ",=,=,", "v1", "t", t, v1, `${t},${t},${v1}`],
        ...[`${t},v1=`, `${t},v1=zz`, `${t},v1=é`, `${t},v1=${"é".repeat(64)}`, `${t},v2=${v1.slice(3)}`],
        ...[`${t},${v1}zz`, `${t},${v1.slice(0, -2)}`, `${t},v1=${"0".repeat(64)}`],
        ...[`t=x,${v1}`, `t=,${v1}`, `t=-1,${v1}`, `t=+${t.slice(2)},${v1}`, `t=1e9,${v1}`, `t=0x6,${v1}`],
        ...[`t=${"9".repeat(400)},${v1}`, `t=١٢٣,${v1}`, `t=NaN,${v1}`],
      ].map((header) => ({ ...once, header })),
    ];
    for (const one of wrong) expect(verify(one, secret), one.header).toBe("wrong signature");
  });

  test.skipIf(missing)("does not fail for a header that is not UTF-8", () => {
    const [command, ...args] = wanted;
    const [t] = once.header.split(",") as [string];
    const env = { ...process.env, WEBHOOK_SECRET: secrets[0], HEADER: `${t},v1=` };
    const script = '"$0" "$@" "$HEADER$(printf "\\377\\376")"';
    const ended = spawnSync("sh", ["-c", script, command!, ...args], { input: once.body, env, encoding: "utf8" });
    expect([ended.stderr, ended.stdout]).toEqual(["", "wrong signature\n"]);
  });
});
