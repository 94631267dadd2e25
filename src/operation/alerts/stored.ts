// An alert as `compose` merges changes into it: in the form of answers, but with the uuids of its files.

import { ALERT } from "../../model/fields/alert.ts";
import { marked, namesOf } from "../../model/fields/record.ts";
import type { Context } from "../../store/context.ts";
import type { AlertRecord } from "../../store/queries/alert_columns.ts";
import { showAlert } from "../../store/shapes/alert.ts";

/** What an edit begins with. */
export function storedOf(alert: AlertRecord, { services }: Pick<Context, "services">) {
  const { image_asset_id, audio_asset_id, html_asset_id } = alert;
  return { ...showAlert(alert, services.assets), image_asset_id, audio_asset_id, html_asset_id };
}

const OWN = Object.fromEntries(namesOf(marked(ALERT, "own")).map((name) => [name, null])) as {
  [N in keyof ReturnType<typeof marked<typeof ALERT, "own">>]: null;
};

/** What a copy begins with: without what is the alert's own. */
export const modelOf = (alert: AlertRecord, ctx: Pick<Context, "services">) => ({
  ...storedOf(alert, ctx),
  ...OWN,
});
