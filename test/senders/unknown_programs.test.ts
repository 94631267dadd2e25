// Bodies of programs that are not known by name: JSON, forms and XML, with pictures in them, as Apprise and scripts
// send them.

import { describe, expect, test } from "vitest";
import { openSenderSite } from "../support/sender_site.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==";
const LOG = Buffer.from("a line").toString("base64");

const { site, channel, key } = await openSenderSite();

interface Sent {
  type?: string;
  query?: string;
  body: NonNullable<RequestInit["body"]>;
}

async function send({ type, query = "", body }: Sent) {
  const answer = await fetch(`${site.url}/api/v1/pushers/${channel.handle}/ingest${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, ...(type !== undefined && { "content-type": type }) },
    body,
  });
  const { alerts, error } = (await answer.json()) as any;
  const alert = alerts && (await site.world.rest("get_alert", { pusher_id: channel.id, alert_id: alerts[0].id })).body;
  return { status: answer.status, notes: answer.headers.get("belfry-notes"), alert, error };
}

const FORM = "application/x-www-form-urlencoded";
const form = (fields: Record<string, string>, files: [name: string, bytes: Buffer | string][] = []) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  for (const [name, bytes] of files) data.append(name, new Blob([new Uint8Array(Buffer.from(bytes as string))]), name);
  return data;
};
const apprise = (attachments: unknown, more: object = {}) => ({
  type: "application/json",
  body: JSON.stringify({ version: "1.0", title: "T", message: "m", attachments, type: "info", ...more }),
});
const file = (filename: string, base64: string) => ({ filename, base64, mimetype: "application/octet-stream" });
const soap = (inner: string) => ({
  type: "application/xml",
  body: `<?xml version='1.0' encoding='utf-8'?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/">
  <soapenv:Body><Notification>${inner}</Notification></soapenv:Body></soapenv:Envelope>`,
});
const PICTURE = { image_asset_id: expect.stringMatching(/^ast_/) };
const NONE = { image_asset_id: null };
const OTHERS = "An alert can have only one picture; the other files were ignored.";
const JSON_TYPE = "application/json";
const SHOWN = /^No title or text was found, so all fields are shown/;
const REFUSED = /^The file was ignored: only valid PNG/;

// rules#sender-files
describe("a body becomes an alert", () => {
  const rows: [name: string, sent: () => Sent, alert: object, note?: RegExp | string][] = [
    ["JSON of Apprise without a file", () => apprise([]), { title: "T", body: "m", ...NONE }],
    ["JSON of Apprise with a picture", () => apprise([file("a.png", PNG)]), { title: "T", body: "m", ...PICTURE }],
    ["a picture behind a log", () => apprise([file("a.txt", LOG), file("a.png", PNG)]), PICTURE, OTHERS],
    ["two pictures", () => apprise([file("a.png", PNG), file("b.png", PNG)]), PICTURE, OTHERS],
    ["a log alone", () => apprise([file("a.txt", LOG)]), { title: "T", body: "m", ...NONE }, REFUSED],
    ["text that is not base64", () => apprise([file("a.png", "!!!")]), NONE, REFUSED],
    ["an empty file", () => apprise([file("a.png", "")]), NONE, REFUSED],
    ["a picture without a name", () => apprise([{ base64: PNG }]), PICTURE],
    ["attachments that are not files", () => apprise([{ text: "more" }, 5, null]), { title: "T", ...NONE }],
    ["attachments that are a text", () => apprise("none"), { title: "T", ...NONE }],
    ["a warning of Apprise", () => apprise([], { type: "warning" }), { priority: "important" }],
    ["a failure of Apprise", () => apprise([], { type: "failure" }), { priority: "important" }],
    ["a success of Apprise", () => apprise([], { type: "success" }), { priority: "normal" }],
    ["the type of another program", () => apprise([], { version: 7, type: "failure" }), { priority: "normal" }],
    ["a severity in addition to the type", () => apprise([], { severity: "critical" }), { priority: "urgent" }],
    [
      "a picture of four megabytes in base64",
      () => {
        // A picture may be followed by anything, which its decoder passes over.
        const large = Buffer.concat([Buffer.from(PNG, "base64"), Buffer.alloc(4_000_000)]);
        return apprise([file("a.png", large.toString("base64"))]);
      },
      PICTURE,
    ],
    [
      "a file beyond the limit",
      () => apprise([file("a.bin", Buffer.alloc(5_000_010, 1).toString("base64"))]),
      { title: "T", ...NONE },
      /^The file is larger than/,
    ],
    [
      "a form",
      () => ({ type: FORM, body: "version=1.0&title=T&message=a+b%0Ac&type=warning" }),
      { title: "T", body: "a b\nc", priority: "important" },
    ],
    ["a form with a message alone", () => ({ type: FORM, body: "message=Backup%20done" }), { title: "Backup done" }],
    ["a form in parts", () => ({ body: form({ title: "T", message: "m" }) }), { title: "T", body: "m", ...NONE }],
    [
      "a form with a picture",
      () => ({ body: form({ title: "T", message: "m" }, [["file01", Buffer.from(PNG, "base64")]]) }),
      PICTURE,
    ],
    [
      "a form with a log",
      () => ({ body: form({ message: "m" }, [["file01", "a line"]]) }),
      { title: "m", ...NONE },
      REFUSED,
    ],
    [
      "XML of Apprise",
      () =>
        soap(
          "<Version>1.1</Version><Subject>T</Subject><Message>a &amp; " +
            "b\n&lt;b&gt;</Message><MessageType>failure</MessageType>",
        ),
      { title: "T", body: "a & b\n<b>", priority: "important" },
    ],
    [
      "XML of Apprise with a picture",
      () =>
        soap(
          `<Subject>T</Subject><Message>m</Message><Attachments format="base64"><Attachment filename="a.png" ` +
            `mimetype="image/png">${PNG}</Attachment></Attachments>`,
        ),
      { title: "T", body: "m", ...PICTURE },
    ],
    [
      "XML of any program",
      () => ({ type: "text/xml", body: "<alert><title>T</title><text><![CDATA[a <b>]]></text></alert>" }),
      { title: "T", body: "a <b>" },
    ],
    // Fields without a place in the alert.
    [
      "JSON with two more fields",
      () => ({ type: JSON_TYPE, body: '{"title":"T","text":"m","host":"nas","load":5,"empty":"","none":null}' }),
      { title: "T", body: "m" },
      /^2 fields of the message could not be put into the alert\. To choose the fields, set \?title=/,
    ],
    [
      "JSON with a second text",
      () => ({ type: JSON_TYPE, body: '{"Title":"T","body":"m","details":"more"}' }),
      { title: "T", body: "m" },
      /^1 field of the message could not be put/,
    ],
    [
      "JSON with a picture that phones may not load",
      () => ({ type: JSON_TYPE, body: '{"title":"T","image":"http://lan/a.png"}' }),
      { title: "T", image_url: null },
      /^1 field of the message could not be put/,
    ],
    ["objects as values", () => apprise([], { type: { toString: 1 }, version: { a: 1 } }), { title: "T", body: "m" }],
    // Bodies that stay a text.
    [
      "a text under the type of a form",
      () => ({ type: FORM, body: "Backup done: see https://example.org/?a=1&text=x" }),
      { title: "Backup done: see https://example.org/?a=1&text=x" },
    ],
    [
      "an address alone",
      () => ({ type: FORM, body: "https://example.org/?title=x&message=y" }),
      { title: "https://example.org/?title=x&message=y" },
    ],
    ["a sum", () => ({ type: FORM, body: "a=1&b=2" }), { title: "a=1&b=2" }],
    ["a form that is named a text", () => ({ type: FORM, query: "?from=text", body: "title=T" }), { title: "title=T" }],
    // The body of `curl -d` without a type.
    [
      "JSON under the type of a form",
      () => ({ type: FORM, body: '{"title":"T","message":"m"}' }),
      { title: "T", body: "m" },
    ],
    ["JSON as text", () => ({ type: "text/plain", body: '{"title":"T","message":"m"}' }), { title: "T", body: "m" }],
    ["JSON without a text, as text", () => ({ type: "text/plain", body: '{"a":1}' }), { title: '{"a":1}' }],
    [
      "JSON of Amazon SNS",
      () => ({ type: "text/plain", body: '{"Type":"Notification","Subject":"ALARM","Message":"CPU"}' }),
      { title: "ALARM", body: "CPU" },
    ],
    [
      "names in capitals",
      () => ({ type: JSON_TYPE, body: '{"Title":"T","Message":"M","Priority":"high"}' }),
      { title: "T", body: "M", priority: "important" },
    ],
    [
      "a text alone, once",
      () => ({ type: JSON_TYPE, body: '{"text":"Build failed"}' }),
      { title: "Build failed", body: null },
    ],
    [
      "lines of a text alone",
      () => ({ type: JSON_TYPE, body: '{"text":"one\\ntwo"}' }),
      { title: "one", body: "one\ntwo" },
    ],
    [
      "a picture by its address",
      () => ({ type: JSON_TYPE, body: '{"subject":"Dune","image":"https://example.org/a.jpg"}' }),
      { title: "Dune", image_url: "https://example.org/a.jpg" },
    ],
    [
      "Slack's form",
      () => ({ type: FORM, body: `payload=${encodeURIComponent('{"channel":"#ops","text":"Done"}')}` }),
      { title: "Done", body: null },
    ],
    // Bodies with a wrong content type.
    ["a text as JSON", () => ({ type: JSON_TYPE, body: "plain text\nmore" }), { title: "plain text", body: "more" }],
    ["a text of JSON", () => ({ type: JSON_TYPE, body: '"a \\u00e4"' }), { title: "a ä" }],
    ["Markdown", () => ({ type: "text/markdown", body: "# Report\n**done**" }), { title: "Report", layout: "html" }],
    [
      "Markdown with a link",
      () => ({ type: "text/markdown", body: "see **[the log](https://example.org/)** now" }),
      { title: "see the log now" },
    ],
    [
      "HTML",
      () => ({ type: "text/html", body: "<h1>Report</h1><p>done</p><script>x</script>" }),
      { title: "Report", body: "Report\n\ndone", html: expect.not.stringContaining("script") },
    ],
    ["YAML", () => ({ type: "application/yaml", body: "a: 1\nb: 2" }), { title: "a: 1", body: "b: 2" }],
    ["bytes that are a text", () => ({ type: "application/octet-stream", body: "raw" }), { title: "raw" }],
    [
      "a picture alone",
      () => ({ type: "image/png", body: Buffer.from(PNG, "base64") }),
      { title: "You received a picture", ...PICTURE },
    ],
    [
      "a picture with a title",
      () => ({ type: "image/png", query: "?title=Motion&message=Yard", body: Buffer.from(PNG, "base64") }),
      { title: "Motion", body: "Yard", ...PICTURE },
    ],
    [
      "the query alone",
      () => ({ query: "?title=DSM&message=Volume%20degraded", body: "" }),
      { title: "DSM", body: "Volume degraded" },
    ],
    [
      "a title in the query",
      () => ({ type: "text/plain", query: "?title=Backup", body: "done" }),
      { title: "Backup", body: "done" },
    ],
    // Fields that have no usual name.
    [
      "JSON of other names",
      () => ({ type: JSON_TYPE, body: '{"value1":"Motion","value2":"","value3":3}' }),
      { title: "value1: Motion", body: "value1: Motion\nvalue3: 3" },
      SHOWN,
    ],
    [
      "JSON of other names, deeper",
      () => ({ type: JSON_TYPE, body: '{"data":{"attributes":{"cause":"Status 500"}}}' }),
      { title: "data.attributes.cause: Status 500" },
      SHOWN,
    ],
    ["braces", () => ({ type: FORM, body: "{done}" }), { title: "{done}" }],
  ];
  test.each(rows)("%s", async (_, sent, alert, note) => {
    const answer = await send(sent());
    expect(answer).toMatchObject({ status: 200, alert: { status: "sent", ...alert } });
    if (note === undefined) expect(answer.notes).toBeNull();
    else expect(answer.notes).toMatch(note);
  });
});

// rules#sender-format-errors
test.each<[string, () => Sent, number]>([
  ["invalid XML", () => ({ type: "application/xml", body: "not XML" }), 422],
  ["XML without a text", () => soap("<A/>"), 422],
  ["a form of empty fields", () => ({ body: form({ a: "" }) }), 422],
  ["deep XML", () => ({ type: "text/xml", body: `${"<a>".repeat(5_000)}` }), 422],
  ["many elements", () => ({ type: "text/xml", body: `<x>${"<a/>".repeat(200_000)}</x>` }), 422],
  ["an empty object", () => ({ type: JSON_TYPE, body: "{}" }), 422],
  ["an object of empty fields", () => ({ type: JSON_TYPE, body: '{"a":"","b":null,"c":[]}' }), 422],
  ["broken JSON", () => ({ type: JSON_TYPE, body: '{"title":"a" "b"}' }), 422],
  ["a form of many fields", () => ({ type: FORM, body: `title=a${"&b=c".repeat(20_000)}` }), 422],
  ["a list", () => ({ type: JSON_TYPE, body: "[1]" }), 422],
  ["nothing", () => ({ type: "text/plain", body: "" }), 422],
  ["bytes that are not a text", () => ({ type: "application/octet-stream", body: Buffer.from([255, 0, 1]) }), 422],
  ["a body beyond the limit", () => apprise([file("a.bin", "A".repeat(8_000_000))]), 413],
])("%s is refused in the one envelope", async (_, sent, status) => {
  expect(await send(sent())).toMatchObject({ status, error: { type: "invalid_request" } });
});

test("a body of Healthchecks with a quotation mark in a name is refused with the placeholder to use", async () => {
  const { status, error } = await send({
    ...{ type: JSON_TYPE, query: "?from=healthchecks" },
    body: '{"name":"the "big" backup","status":"down"}',
  });
  expect([status, error.message]).toEqual([
    422,
    "The body is not valid JSON: see line 1, column 15. Write $JSON as the request body of the webhook.",
  ]);
});

test("an entity of a document type is not expanded", async () => {
  const body =
    `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY f SYSTEM "file:///etc/hostname">]><x><title>T &a; ` +
    `&f;</title></x>`;
  const { status, alert } = await send({ type: "application/xml", body });
  expect([status, alert.title]).toEqual([200, "T &a; &f;"]);
});
