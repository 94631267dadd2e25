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

const ONE_CHANNEL = { name: "channel", description: "Handle or id of one channel. Default: all channels." };

export const MCP_PROMPTS: readonly Prompt[] = [
  {
    name: "compose_and_ask_for_review",
    title: "Compose an alert for my review",
    description: "Write a draft and return the page where I can review it.",
    arguments: [
      { name: "about", description: "The alert's content and audience.", required: true },
      { ...ONE_CHANNEL, description: "Handle or id of the channel. By default, the assistant finds it." },
    ],
    message: ({ about = "", channel }) =>
      "Write an alert and leave it as a draft for my review. " +
      `${channel ? `Channel: ${channel}.` : "Find the channel with list_pushers; if several are suitable, ask me."} ` +
      "Call create_alert without send, and explain in review_note why the alert is needed. Then show me its title " +
      "and text, explain the notes and blocked fields of the result, and give me its review_url. Do not send or " +
      `schedule it. Content:\n\n${about}`,
  },
  {
    name: "what_waits_for_me",
    title: "Alerts waiting for me",
    description: "Drafts and scheduled alerts, with the next step for each.",
    arguments: [],
    message: () =>
      "Which alerts are waiting for me? List the drafts and then the scheduled alerts with list_account_alerts, by " +
      "status. Write one line for each: channel, title, review_note or review_reply for a draft, and send_at in my " +
      "time zone for a scheduled one. Begin with the earliest time. Do not change anything. If I ask about an alert, " +
      "get its review_url with get_alert.",
  },
  {
    name: "why_was_it_silent",
    title: "Why was it silent?",
    description: "Possible reasons why an alert was not seen or heard.",
    arguments: [{ name: "alert", description: "The alert's title or id, and its channel if known.", required: true }],
    message: ({ alert = "" }) =>
      `Find out why this alert was not noticed: ${alert}\n\nFind it with list_account_alerts (view: titles). Then ` +
      "read its status, times, priority and notes with get_alert. With get_pusher, check whether its channel is " +
      "active, its requested_perms and its subscribers. get_alert_stats has the device reports. Explain which " +
      "settings of the alert and the channel I can change, and which ones only a phone's owner can change. The " +
      "service has no data about individual phones.",
  },
  {
    name: "weekly_report",
    title: "Weekly report",
    description: "Alerts from the last week, with device reports.",
    arguments: [ONE_CHANNEL],
    message: ({ channel }) =>
      `Report on the last week${channel ? ` in the channel ${channel}` : ""}. ` +
      `Read ${channel ? "get_pusher_stats" : "get_account_stats"} (period: week), and the sent alerts with ` +
      `${channel ? "list_alerts" : "list_account_alerts"} (status: sent, view: titles). With reports: unacked, the ` +
      "same tool lists alerts without an acknowledgement. Begin with a summary in three sentences, then a table. " +
      "Counts are device reports: do not present them as deliveries or as a share of readers.",
  },
];

const LISTED: ListPromptsResult = { prompts: MCP_PROMPTS.map(({ message: _, ...prompt }) => prompt) };

/** Serves them to a client. A person's arguments are inserted unchanged, since they are the person's own text. */
export function servePrompts(server: Server): void {
  server.setRequestHandler("prompts/list", () => LISTED);
  server.setRequestHandler("prompts/get", ({ params }): GetPromptResult => {
    const prompt = MCP_PROMPTS.find(({ name }) => name === params.name);
    const refuse = (words: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, words);
    if (!prompt) throw refuse("Unknown prompt. Use prompts/list to get all prompts.");
    const given = params.arguments ?? {};
    const missing = prompt.arguments.find(({ name, required }) => required && !given[name]?.trim());
    if (missing) throw refuse(`The argument ${missing.name} is missing.`);
    const { description } = prompt;
    const text = prompt.message(given);
    return { description, messages: [{ role: "user", content: { type: "text", text } }] };
  });
}
