// The question and the buttons of an alert: one order and one markup for the app and for previews in the console.

/** The elements of the caller, whose tagged template makes values of the type `T`. */
export interface ActionElementRenderers<T, L> {
  html(strings: TemplateStringsArray, ...values: unknown[]): T;
  icon(name: "check" | "out", size: "s"): T;
  /** One answer of the question. */
  choice(label: string): T;
  acknowledge(content: T): T;
  link(link: L, content: T): T;
}

interface AlertActionsContent<T, L> {
  question: { label: string; choices: readonly string[]; hint?: T | null } | null;
  /** Buttons of the caller before all others. */
  first?: readonly T[];
  /** The text of the acknowledgement button; null without one. */
  acknowledge: string | null;
  links: readonly L[];
}

/** The question first, then the acknowledgement button, then the links; null without any. */
export function renderAlertActions<T, L extends { label: string }>(
  { html, icon, choice, acknowledge, link }: ActionElementRenderers<T, L>,
  content: AlertActionsContent<T, L>,
): T | null {
  const { question, links } = content;
  const buttons = [
    ...(content.first ?? []),
    ...(content.acknowledge === null ? [] : [acknowledge(html`${icon("check", "s")}${content.acknowledge}`)]),
    ...links.map((one) => link(one, html`${icon("out", "s")}<bdi>${one.label}</bdi>`)),
  ];
  if (!question && buttons.length === 0) return null;
  return html`${
    question &&
    html`<fieldset class="question"><legend dir="auto">${question.label}</legend>${question.choices.map(
      choice,
    )}${question.hint}</fieldset>`
  }${buttons.length > 0 && html`<footer>${buttons}</footer>`}`;
}
