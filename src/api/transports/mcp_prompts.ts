// The prompts: people's most frequent requests to their assistants, each as a complete message. They name tools and do
// not repeat their descriptions.

import {
  type GetPromptResult,
  type ListPromptsResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from "@modelcontextprotocol/server";

interface Prompt {
  name: string;
  title: string;
  description: string;
  /** The arguments that a person fills in. */
  arguments: { name: string; description: string; required?: true }[];
  message(given: Record<string, string | undefined>): string;
}

const ONE_CHANNEL = { name: "channel", description: "The handle or id of one channel; all when absent." };

export const MCP_PROMPTS: readonly Prompt[] = [
  {
    name: "compose_and_ask_for_review",
    title: "Compose an alert for my review",
    description: "Write a draft and say where I decide about it.",
    arguments: [
      { name: "about", description: "What the alert shall tell, and to whom.", required: true },
      { ...ONE_CHANNEL, description: "The handle or id of the channel; looked for when absent." },
    ],
    message: ({ about = "", channel }) =>
      "Write an alert and leave it as a draft for me to review. " +
      `${channel ? `Channel: ${channel}.` : "Find the channel with list_pushers; if several fit, ask me."} ` +
      "Call create_alert without send, and say in review_note why the alert is needed. Then show me its title " +
      "and text, tell me what notes and blocked of the answer mean for it, and give me its review_url. Do not " +
      `send or schedule it. What it shall tell:\n\n${about}`,
  },
  {
    name: "what_waits_for_me",
    title: "What waits for me?",
    description: "Drafts and scheduled alerts, and what each of them waits for.",
    arguments: [],
    message: () =>
      "What waits for me? List the drafts and the scheduled alerts with list_account_alerts, by status. One " +
      "line for each: channel, title, and of a draft its review_note or review_reply, of a scheduled one its " +
      "send_at in my time zone. Begin with what is due first. Change nothing; for those that I ask about, " +
      "get_alert has the review_url.",
  },
  {
    name: "why_was_it_silent",
    title: "Why was it silent?",
    description: "What kept an alert from being seen or heard, as far as the service knows.",
    arguments: [{ name: "alert", description: "Its title or id, and its channel if known.", required: true }],
    message: ({ alert = "" }) =>
      `Why was this alert not noticed: ${alert}\n\nFind it and read it with get_alert: its status and ` +
      "instants, its priority, and notes. Read its channel with get_pusher: whether it is active, what it asks " +
      "subscribers for, and how many there are. get_alert_stats has what devices reported. Say what can be " +
      "changed on the alert and the channel, and what only a phone's owner decides; of one phone nothing is " +
      "known here.",
  },
  {
    name: "weekly_report",
    title: "Weekly report",
    description: "What was sent in the last week, and what devices reported of it.",
    arguments: [ONE_CHANNEL],
    message: ({ channel }) =>
      `Report on the last week${channel ? ` of the channel ${channel}` : ""}: ` +
      `${channel ? "get_pusher_stats" : "get_account_stats"} with period week, and what was sent, with ` +
      `${channel ? "list_alerts" : "list_account_alerts"} by status. Begin with what I should know, in three ` +
      "sentences; then a table. Counts are of what devices chose to report: name no deliveries, and work out " +
      "no share of readers.",
  },
];

const LISTED: ListPromptsResult = {
  prompts: MCP_PROMPTS.map(({ message: _, ...prompt }) => prompt),
};

/** Serves them to a client. A person's arguments are inserted unchanged, since they are the person's own text. */
export function servePrompts(server: Server): void {
  server.setRequestHandler("prompts/list", () => LISTED);
  server.setRequestHandler("prompts/get", ({ params }): GetPromptResult => {
    const prompt = MCP_PROMPTS.find(({ name }) => name === params.name);
    const refuse = (words: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, words);
    if (!prompt) throw refuse("Unknown prompt. prompts/list returns all prompts.");
    const given = params.arguments ?? {};
    const missing = prompt.arguments.find(({ name, required }) => required && !given[name]?.trim());
    if (missing) throw refuse(`The argument ${missing.name} is missing.`);
    const { description } = prompt;
    const text = prompt.message(given);
    return { description, messages: [{ role: "user", content: { type: "text", text } }] };
  });
}
