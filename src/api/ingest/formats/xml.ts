// A message in XML as an object. Each element that has only text is a field by its name in lower case, the first one of
// several. Entities of a document type are not expanded, and nothing is fetched.

import { Parser } from "htmlparser2";
import { invalidRequest } from "../../../model/api_error.ts";
import { LIMITS } from "../../../model/limits.ts";
import type { ReceivedFile } from "../adapter.ts";

interface OpenElement {
  name: string;
  text: string;
  hasChildren: boolean;
  filename: string | undefined;
}

/** @throws ApiError (invalid_request) for a text without an element, or with more elements or levels than permitted */
export function parseXmlBody(text: string): { values: Record<string, unknown>; files: ReceivedFile[] } {
  const values: Record<string, unknown> = Object.create(null);
  const files: ReceivedFile[] = [];
  const open: OpenElement[] = [];
  let elements = 0;
  const parser = new Parser(
    {
      onopentag(name, { filename }) {
        if (++elements > LIMITS.ingest_values || open.length > LIMITS.ingest_depth)
          throw invalidRequest(
            "body_too_large",
            "The XML has too many elements or levels of nesting. Send a smaller document.",
          );
        const outer = open.at(-1);
        if (outer) outer.hasChildren = true;
        open.push({ name: name.replace(/^.*:/, "").toLowerCase(), text: "", hasChildren: false, filename });
      },
      ontext(piece) {
        const inner = open.at(-1);
        if (inner) inner.text += piece;
      },
      onclosetag() {
        const inner = open.pop();
        if (!inner || inner.hasChildren) return;
        if (inner.name === "attachment")
          files.push({ name: inner.filename ?? "", bytes: Buffer.from(inner.text, "base64") });
        else values[inner.name] ??= inner.text.trim();
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(text);
  if (elements === 0) throw invalidRequest("malformed_body", "The body is not valid XML.");
  return { values: { ...values }, files };
}
