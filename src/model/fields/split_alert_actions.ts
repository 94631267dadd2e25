// The question and the links among the buttons of an alert. Browsers run it too, so it imports no package.

export interface AlertButton {
  type: "open_url" | "reply";
  label: string;
  choices?: string[] | undefined;
}

/** Returns the question and its choices, or null. */
export function getReplyQuestion({ actions }: { actions: readonly AlertButton[] }) {
  const asked = actions.find(({ type }) => type === "reply");
  return asked ? { label: asked.label, choices: asked.choices ?? [] } : null;
}

/** Returns the buttons with links, including those without a type (rules#alert-actions-shape). */
export const getOpenUrlActions = <A extends Partial<Pick<AlertButton, "type">>>(actions: readonly A[]): A[] =>
  actions.filter(({ type }) => type !== "reply");
