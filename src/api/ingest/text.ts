// Plain text, as `curl -d` sends it: the first line is the title. Any program that can send a text to an address speaks it.

import { invalidRequest } from "../../model/errors.ts";
import type { Tongue } from "./tongue.ts";
import { oneLine, titled } from "./words.ts";

export const text: Tongue = {
  name: "text",
  // `curl -d` says that it sends a form.
  recognises: ({ contentType }) =>
    ["", "text/plain", "application/x-www-form-urlencoded"].includes(contentType),
  read(request) {
    const whole = request.text().trim();
    const [first = ""] = whole.split("\n", 1);
    if (oneLine(first) === "")
      throw invalidRequest("Send the text of the alert as the body; its first line is the title.");
    const notes: string[] = [];
    return { alerts: [{ fields: titled(first, whole.slice(first.length), notes) }], notes };
  },
};
