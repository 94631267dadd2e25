// The question of an alert: its choices, and until when they can be answered. Pure.

interface AnswerableAlert {
  status?: string;
  expires_at: string | null;
  ended?: boolean;
}

/** True until the alert is over for the service: cancelled, expired, or of a channel that was left. */
export const isOpenForReplies = ({ status = "sent", expires_at, ended }: AnswerableAlert, now: number): boolean =>
  status === "sent" && !ended && (expires_at === null || Date.parse(expires_at) > now);

interface AlertAction {
  type: string;
  choices?: string[];
}

/** The choices of the alert's question; none without a question. */
export const listReplyChoices = (actions: readonly AlertAction[]): readonly string[] =>
  actions.find(({ type, choices }) => type === "reply" && Array.isArray(choices))?.choices ?? [];
