import { z } from "zod";
import { invalidRequest } from "../src/model/api_error.ts";
import { MAX_HTML_LENGTH_BY_LAYOUT } from "../src/model/domain/alert_validation.ts";
import { countCodePoints, isWithinLength, removedMarkupSchema, textSchema } from "../src/model/fields/value_schemas.ts";
import { formatLimit } from "../src/model/limits.ts";
import { countScriptsAndUnseenContent, sanitizeHtml } from "../src/model/sanitizer/sanitize.ts";
import { defineOperation, MAX_BODY_BYTES } from "../src/operation/define_operation.ts";
import { removedMarkupListSchema } from "../src/store/response_schemas/alert_schemas.ts";

const preview = z.object({
  layout: z.enum(["html", "document"]),
  html: z.string(),
  blocked: removedMarkupListSchema,
  script_count: z.int().describe("Number of scripts in the document. They do not run in its sandboxed frame."),
  notes: z
    .array(removedMarkupSchema)
    .describe("Parts of the document that are or may be hidden from readers. They are not removed."),
});

export default defineOperation({
  name: "preview_html",
  title: "Preview markup",
  description:
    `Show how markup is sanitised. Stores nothing. At most ${formatLimit("alert_html")} characters in layout html, ` +
    `${formatLimit("alert_document")} in document.`,
  scope: "alerts:write",
  role: "editor",
  http: { method: "POST", path: "/api/v1/core/preview", status: 200, maxBody: MAX_BODY_BYTES.alerts },
  errors: ["invalid_request", "forbidden"],
  card: true,
  input: z.strictObject({
    html: textSchema(0, MAX_HTML_LENGTH_BY_LAYOUT.document, { lines: true, cleaned: true }).describe("Markup."),
    layout: z
      .enum(["html", "document"])
      .optional()
      .describe("`html` is sanitised; `document` is left unchanged, and notes list its hidden parts. Default: html."),
  }),
  output: preview,
  // Over MCP the caller has the markup already; the rest of a long one is not returned.
  brief: {
    output: preview.omit({ html: true }).extend({ html_length: z.int() }),
    of: (whole) => {
      const { html, ...rest } = whole as z.output<typeof preview>;
      return { ...rest, html_length: countCodePoints(html) };
    },
  },
  async handler({ html, layout = "html" }) {
    if (!isWithinLength(html, MAX_HTML_LENGTH_BY_LAYOUT[layout]))
      throw invalidRequest(
        "too_long",
        `html must be at most ${MAX_HTML_LENGTH_BY_LAYOUT[layout]} characters long in this layout.`,
        "html",
      );
    return layout === "document"
      ? { layout, html, blocked: [], ...countScriptsAndUnseenContent(html) }
      : { layout, ...sanitizeHtml(html), script_count: 0, notes: [] };
  },
});
