// The buttons of an alert: links, and at most one question with fixed choices. A handset reports the choice that its
// user taps (rules#alert-reply).

import { z } from "zod";
import {
  createApiAndUiText,
  createZodFieldIssue,
  createZodRefineParams,
  type ErrorMessage,
  REQUIRED_FIELD_MESSAGE,
} from "../api_and_ui_error_texts.ts";
import type { ErrorCodeOfType } from "../error_codes.ts";
import { LIMITS } from "../limits.ts";
import { registerSchemaName } from "./schema_names.ts";
import { getOpenUrlActions, getReplyQuestion } from "./split_alert_actions.ts";
import { isHttpsUrl, NOT_HTTPS, textSchema } from "./value_schemas.ts";

const MOST_ACTIONS = createApiAndUiText(
  `must contain at most ${LIMITS.alert_actions} links and one reply`,
  `can contain at most ${LIMITS.alert_actions} links and one question`,
);
const CHOICES = createApiAndUiText(
  `must contain 1 to ${LIMITS.reply_choices} different choices`,
  `must contain at most ${LIMITS.reply_choices} different choices`,
);

/** A button that leads somewhere, or a question with fixed choices (rules#alert-reply). */
const action = z
  .strictObject({
    type: z.enum(["open_url", "reply"]).default("open_url").describe("Default: open_url."),
    label: textSchema(1, LIMITS.alert_action_label, { cleaned: true }).describe("Text or question."),
    url: z.string().optional().meta({ format: "uri", maxLength: LIMITS.url }).describe("For open_url only."),
    choices: z
      .array(textSchema(1, LIMITS.alert_action_label, { cleaned: true }))
      .optional()
      .describe(`For reply only: 1 to ${LIMITS.reply_choices}.`),
  })
  .check(({ value: { type, url, choices }, issues }) => {
    const wrong = (name: "url" | "choices", code: ErrorCodeOfType<"invalid_request">, message: ErrorMessage) => {
      issues.push(createZodFieldIssue(code, message, type, [name]));
    };
    if (type === "open_url") {
      if (url === undefined) wrong("url", "field_required", REQUIRED_FIELD_MESSAGE);
      else if (!isHttpsUrl(url)) wrong("url", "invalid_url", NOT_HTTPS);
      if (choices)
        wrong(
          "choices",
          "misplaced_field",
          createApiAndUiText("is only allowed for actions of type reply", "is only allowed for a question"),
        );
      return;
    }
    if (url)
      wrong(
        "url",
        "misplaced_field",
        createApiAndUiText(
          "is only allowed for actions of type open_url",
          "is only allowed for buttons that open a link",
        ),
      );
    const count = new Set(choices).size;
    if (count === 0 || count > LIMITS.reply_choices || count !== choices?.length)
      wrong("choices", "wrong_item_count", CHOICES);
  });

export const alertActionOutputSchema = registerSchemaName(
  "AlertAction",
  z.object({
    type: z.enum(["open_url", "reply"]).default("open_url"),
    label: z.string(),
    url: z.string().describe("Empty if the action is a reply."),
    choices: z.array(z.string()).optional().describe("The choices of a reply."),
  }),
);
export type AlertAction = z.infer<typeof alertActionOutputSchema>;

/** Returns the count of each choice. */
export const pairReplyChoicesWithCounts = (alert: { actions: readonly AlertAction[] }, counts: readonly number[]) =>
  (getReplyQuestion(alert)?.choices ?? []).map((choice, i) => ({ choice, count: counts[i] ?? 0 }));

export const choiceCountsSchema = z.array(z.object({ choice: z.string(), count: z.int() }));

export const alertActionsSchema = z
  .array(action)
  .max(LIMITS.alert_actions + 1, MOST_ACTIONS.api)
  .refine(
    (all) => getOpenUrlActions(all).length <= LIMITS.alert_actions,
    createZodRefineParams("wrong_item_count", MOST_ACTIONS),
  )
  .refine(
    (all) => all.length - getOpenUrlActions(all).length <= 1,
    createZodRefineParams(
      "wrong_item_count",
      createApiAndUiText("must contain at most one reply", "can contain only one question"),
    ),
  );
