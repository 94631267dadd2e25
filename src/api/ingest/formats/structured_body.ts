// The body of any program as one object with its files: JSON, a form or XML. Files are those of a form in parts, and
// attachments in base64 as Apprise sends them (https://appriseit.com/services/json/).

import type { IngestRequest, ReceivedFile } from "../adapter.ts";
import { parseBoundedJson } from "../read_ingest_request.ts";
import { parseXmlBody } from "./xml.ts";

interface StructuredBody {
  values: Record<string, unknown>;
  files: ReceivedFile[];
}

const FORM_TYPE = "application/x-www-form-urlencoded";
const MULTIPART_TYPE = "multipart/form-data";
const XML = /^(?:application|text)\/xml$|\+xml$/;

/** A form whose fields include the title or the text of a message. `curl -d` declares each text to be a form. */
const MESSAGE_FORM = /^(?:[\w.-]{1,64}=[^&]*&){0,20}(?:title|subject|summary|message|text|msg|body|payload)=/;

/** Programs also declare texts to be JSON. */
const isJsonText = (body: Uint8Array) => /^[\s\uFEFF]*[{[]/.test(new TextDecoder().decode(body.subarray(0, 64)));

/** Reports if a body has one of these forms, by its type and its beginning. Does not throw. */
export function hasStructuredBody({ contentType, body }: IngestRequest): boolean {
  if (/[/+]json$/.test(contentType)) return isJsonText(body);
  if (contentType === MULTIPART_TYPE || XML.test(contentType)) return true;
  return contentType === FORM_TYPE && MESSAGE_FORM.test(Buffer.from(body.subarray(0, 8_192)).toString("latin1"));
}

/** @throws ApiError (invalid_request) for any other body */
export async function parseStructuredBody(request: IngestRequest): Promise<StructuredBody> {
  const { contentType } = request;
  if (contentType === FORM_TYPE && hasStructuredBody(request)) {
    const values = Object.fromEntries(await request.form());
    // Slack's webhooks take JSON in this field.
    const payload = values.payload?.startsWith("{") ? parseBoundedJson(values.payload) : null;
    return { values: { ...values, ...(payload as object | null) }, files: [] };
  }
  if (contentType === MULTIPART_TYPE)
    return { values: Object.fromEntries(await request.form()), files: await request.files() };
  if (XML.test(contentType)) return parseXmlBody(request.text());
  const { attachments, ...values } = request.object();
  const files = decodeAttachedFiles(attachments);
  return files.length > 0 ? { values, files } : { values: request.object(), files };
}

/** Attachments that have their bytes in base64; those of another kind belong to the message. */
function decodeAttachedFiles(attachments: unknown): ReceivedFile[] {
  if (!Array.isArray(attachments)) return [];
  const isFile = (one: unknown): one is { base64: string; filename?: unknown } =>
    typeof one === "object" && one !== null && typeof Reflect.get(one, "base64") === "string";
  return attachments
    .filter(isFile)
    .map(({ filename, base64 }) => ({ name: String(filename ?? ""), bytes: Buffer.from(base64, "base64") }));
}
