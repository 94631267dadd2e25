// What the message of a program looks like here: its sample, read as if it had come.

import type { Program } from "../../model/fields/programs.ts";
import { need } from "../../model/need.ts";
import { readRequest } from "./reading.ts";
import { SAMPLES } from "./shapes/samples.ts";
import type { AlertInput } from "./tongue.ts";
import { tongueNamed } from "./tongues.ts";

export async function sampleOf(program: Program, now: Date): Promise<AlertInput> {
  const { body, headers } = SAMPLES[program];
  const sent = typeof body === "string" ? body : JSON.stringify(body);
  const request = new Request("http://sample/", { method: "POST", body: sent, ...(headers && { headers }) });
  const read = await readRequest(request, { path: "/", channel: "sample", secret: "", now });
  // Nobody signed it.
  const { alerts } = await need(tongueNamed(program), "every program has one").read({
    ...read,
    isSignature: () => true,
  });
  return need(alerts[0], "a sample is an alert").fields;
}
