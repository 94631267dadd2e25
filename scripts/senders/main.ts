#!/usr/bin/env node
// Tests existing senders. On a service of its own, each sender publishes into one channel, and its alert arrives in a
// browser and in `belfry listen`. The same under a key that only composes leaves a draft. A person also replies to an
// assistant that waits. The result is printed as a table. Exit 0 only when all of it succeeded. Programs that are
// missing on this machine are listed, and are not a failure. An argument picks the senders with it in their names.

import { listMissingNeeds, SENDERS, type Sender, type SenderRun } from "./sender_programs.ts";
import { openSenderEnvironment, type SenderEnvironment, waitUntil } from "./test_environment.ts";

interface Row {
  sender: string;
  how: string;
  app?: string;
  listen?: string;
  /** Under a key that only composes: the text of its page in the console, and the response that it got. */
  draft?: string;
  told?: string;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

/** Makes a sender send under a new key, and waits until its alert or draft exists. */
async function sent(sender: Sender, maySend: boolean, stage: SenderEnvironment) {
  const at: SenderRun = { ...stage, running: [] };
  const newest = async () => (await stage.call("list_alerts", { pusher_id: stage.handle, limit: 1 })).data[0];
  const before = await newest();
  const pasted = await stage.connect(sender.as, maySend);
  try {
    const told = await sender.send(pasted, at);
    const alert = await waitUntil(`an alert of ${sender.name}`, async () => {
      const found = await newest();
      return found && found.id !== before?.id ? found : undefined;
    });
    return { alert, told };
  } finally {
    for (const child of at.running) child.kill("SIGKILL");
  }
}

async function play(sender: Sender, stage: SenderEnvironment): Promise<Row> {
  const how = sender.needs.length > 0 ? "the program" : "its documented message";
  const lacking = listMissingNeeds(sender);
  if (lacking.length > 0) return { sender: sender.name, how: `missing: no ${lacking.join(", ")} on the PATH` };
  const { alert } = await sent(sender, true, stage);
  const heard = await stage.heard(alert.id);
  const since = (at: number) => seconds(at - Date.parse(alert.sent_at));
  const composed = await sent(sender, false, stage);
  const draft = await stage.became();
  if (composed.alert.status !== "draft" || draft !== "draft") throw new Error(`${sender.name}: no draft`);
  const { told } = composed;
  return { sender: sender.name, how, app: since(heard.app), listen: since(heard.listener), draft, told };
}

/** An assistant requests a reply, and a person taps. */
async function requestReply({ call, app, handle, heard }: SenderEnvironment): Promise<string> {
  const question = { type: "reply", label: "Open the gate?", choices: ["Yes", "No"] };
  const { id } = await call("create_alert", {
    ...{ pusher_id: handle, title: "A van waits", actions: [question], send: true },
  });
  await heard(id);
  const waiting = call("wait_for_replies", { pusher_id: handle, alert_id: id });
  const since = performance.now();
  await app.getByRole("link", { name: question.label }).click();
  await app.getByRole("button", { name: "Yes", exact: true }).click();
  const { replies } = await waiting;
  const told = performance.now() - since;
  if (replies[0]?.count !== 1) throw new Error(`the assistant received ${JSON.stringify(replies)}`);
  return (
    `A person tapped "${replies[0].choice}" in the app; the assistant's waiting call got it ${seconds(told)} ` +
    "later."
  );
}

function table(rows: Row[]): void {
  const headings = ["sender", "how", "browser", "listen", "composing key", "and got"];
  const lines = rows.map(({ sender, how, app = "", listen = "", draft = "", told = "" }) => [
    ...[sender, how, app, listen, draft],
    // The sentence, which names the place where a person decides, is the same for all.
    told.replace(/^(.{60}).+/, "$1…"),
  ]);
  const cells = [headings, ...lines];
  const widths = headings.map((_, i) => Math.max(...cells.map((row) => row[i]!.length)));
  for (const row of cells)
    console.log(
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join("  ")
        .trimEnd(),
    );
}

const [only = ""] = process.argv.slice(2);
let stage: SenderEnvironment | null = null;
try {
  stage = await openSenderEnvironment();
  const rows: Row[] = [];
  for (const sender of SENDERS.filter(({ name }) => name.includes(only))) rows.push(await play(sender, stage));
  table(rows);
  console.log(`\n${await requestReply(stage)}`);
} catch (error) {
  console.error(`senders: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  await stage?.close();
}
