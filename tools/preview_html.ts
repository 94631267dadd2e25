import { z } from "zod";
import { MAX_HTML } from "../src/model/domain/alert_content.ts";
import { invalidRequest } from "../src/model/errors.ts";
import { codePoints, isWithin, text } from "../src/model/fields/accepts.ts";
import { blockedRow } from "../src/model/fields/alert.ts";
import { said } from "../src/model/limits.ts";
import { inspectDocument, sanitizeHtml } from "../src/model/sanitizer/sanitize.ts";
import { defineTool, MAX_BODY } from "../src/operation/tool.ts";
import { blockedRows } from "../src/store/shapes/alert.ts";

const preview = z.object({
  layout: z.enum(["html", "document"]),
  html: z.string(),
  blocked: blockedRows,
  script_count: z.int().describe("Scripts that a document carries, inert in its sandboxed frame."),
  notes: z.array(blockedRow).describe("What of a document readers do not see, or may not see; it is kept."),
});

export default defineTool({
  name: "preview_html",
  title: "Preview markup",
  description: `See what the sanitiser leaves of markup and what it removes. Stores and sends nothing. At most ${said("alert_html")} characters in layout html, ${said("alert_document")} in document.`,
  scope: "alerts:write",
  role: "editor",
  http: { method: "POST", path: "/api/v1/core/preview", status: 200, maxBody: MAX_BODY.alerts },
  errors: ["invalid_request", "forbidden"],
  input: z.strictObject({
    html: text(0, MAX_HTML.document, { lines: true, cleaned: true }),
    layout: z
      .enum(["html", "document"])
      .optional()
      .describe("html (default) is cleaned; document is kept whole, and notes say what is hidden in it."),
  }),
  output: preview,
  // Over MCP the caller holds the markup already; what is left of a long one does not come back.
  brief: {
    output: preview.omit({ html: true }).extend({ html_length: z.int() }),
    of: (whole) => {
      const { html, ...rest } = whole as z.output<typeof preview>;
      return { ...rest, html_length: codePoints(html) };
    },
  },
  async handler({ html, layout = "html" }) {
    if (!isWithin(html, MAX_HTML[layout]))
      throw invalidRequest(
        "too_long",
        `html must be at most ${MAX_HTML[layout]} characters long in this layout.`,
        "html",
      );
    return layout === "document"
      ? { layout, html, blocked: [], ...inspectDocument(html) }
      : { layout, ...sanitizeHtml(html), script_count: 0, notes: [] };
  },
});
