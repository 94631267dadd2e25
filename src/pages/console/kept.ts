// What somebody wrote in a form that could not be taken: the session was over, or the database away. It travels sealed in the pages
// that lead back to the form, so nothing of it is kept here. What comes back is shown to its person, and never acted on by itself.

import { ApiError, conflict, forbidden } from "../../model/errors.ts";
import { MAX_BODY } from "../../operation/tool.ts";
import { createSeal } from "../../store/secret/seal.ts";
import { type Html, html } from "../../ui/html.ts";

export const KEPT_FIELD = "kept_form";

/** Bodies of pages that hand on what was written. */
export const MAX_KEPT = MAX_BODY.alerts;

/** Never handed on: proofs of who somebody was, and what is asked for anew. */
const LEFT_OUT = ["form_token", KEPT_FIELD, "present", "next", "password"];

/** A form that was written, and the address that takes it. */
export interface Kept {
  at: string;
  form: URLSearchParams;
}

export const signedOut = () => new ApiError("unauthorized", "You were signed out, so nothing was done.");

export const welcomeBack = () =>
  conflict(
    "You were signed out while you wrote, so nothing was done. What you wrote is below: look it over, and send it.",
  );

export const signedInAnew = () =>
  forbidden(
    "You signed in anew after this page was opened, so nothing was done. What you wrote is below: look it over, and send it.",
  );

export function createKeeper(secret: string) {
  const seal = createSeal(secret, "kept forms");
  return {
    /** A form as pages hand it on; null where nothing was written. */
    keep({ at, form }: Kept): string | null {
      if (form.has(KEPT_FIELD)) return form.get(KEPT_FIELD);
      const fields = [...form].filter(([name]) => !LEFT_OUT.includes(name));
      if (fields.length === 0) return null;
      const kept = seal.seal(JSON.stringify([at, fields])).toString("base64url");
      return kept.length > MAX_KEPT / 2 ? null : kept;
    },

    /** What such a field holds; null for one that is not ours. */
    kept(text: string | null): Kept | null {
      if (text === null) return null;
      try {
        const [at, fields] = JSON.parse(seal.open(Buffer.from(text, "base64url")));
        return { at, form: new URLSearchParams(fields) };
      } catch {
        return null;
      }
    },
  };
}

export const keptField = (kept: string | null): Html | null =>
  kept === null ? null : html`<input type="hidden" name="${KEPT_FIELD}" value="${kept}">`;
