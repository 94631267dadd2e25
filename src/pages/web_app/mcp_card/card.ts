// The card in a chat: it draws the result of the tool call that opened it, and opens the review page. It publishes
// nothing.

import type { McpUiHostContext } from "@modelcontextprotocol/ext-apps";
import { now } from "../browser/current_time.ts";
import { connectToMcpHost, type McpHost, type ToolResult } from "./host_bridge.ts";
import {
  type CardChannel,
  getReviewUrl,
  isAlert,
  renderToolResultCard,
  type ToolResultStructuredContent,
} from "./tool_result_card.ts";

const main = document.getElementById("card") as HTMLElement;

let context: McpUiHostContext = {};
let result: ToolResult | null = null;
let channel: CardChannel | null = null;
/** The address that the host did not open. */
let refusedUrl = "";

/** The content of a result, also in a host that passes on texts only. */
function readBody({ structuredContent, content }: ToolResult): ToolResultStructuredContent {
  if (structuredContent) return structuredContent;
  try {
    return JSON.parse(content?.[0]?.text ?? "{}");
  } catch {
    return {};
  }
}

function draw(): void {
  if (!result) return;
  const hadFocus = document.activeElement?.id === "review";
  const drawn = { body: readBody(result), isError: result.isError === true, channel, now: new Date(now()) };
  main.innerHTML = renderToolResultCard(drawn).toString();
  showLocalTimes();
  showRefusedUrl();
  if (hadFocus) document.getElementById("review")?.focus();
}

/** Shows times in the zone and language of the host. They stay in UTC if the browser does not know one of these. */
function showLocalTimes(): void {
  const { locale, timeZone } = context;
  try {
    const language = locale?.replaceAll("_", "-");
    const format = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone });
    for (const time of main.querySelectorAll<HTMLTimeElement>("time[data-clock]"))
      time.textContent = format.format(new Date(time.dateTime));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

function showRefusedUrl(): void {
  const address = document.getElementById("address");
  if (address) address.textContent = refusedUrl;
}

const host: Promise<McpHost> = connectToMcpHost({
  "ui/notifications/host-context-changed"(changed) {
    const { locale, timeZone } = context;
    context = { ...context, ...changed };
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.colorScheme = context.theme ?? (isDark ? "dark" : "light");
    if (context.locale !== locale || context.timeZone !== timeZone) showLocalTimes();
  },
  async "ui/notifications/tool-result"(given) {
    [result, channel, refusedUrl] = [given, null, ""];
    draw();
    const found = await findChannel(given);
    if (result !== given || !found) return;
    channel = found;
    draw();
  },
  "ui/notifications/tool-cancelled"() {
    main.textContent = "The call was cancelled.";
  },
});

/** Reads the channel of an alert, of which the model needs no details; null for other results. */
async function findChannel(given: ToolResult): Promise<CardChannel | null> {
  const body = readBody(given);
  if (given.isError || !isAlert(body)) return null;
  const { callTool } = await host;
  return (await callTool("get_pusher", { pusher_id: body.pusher_id })) as CardChannel | null;
}

main.addEventListener("click", async ({ target }) => {
  const shown = result;
  const url = getReviewUrl(shown ? readBody(shown) : {});
  if (url === null || !(target instanceof Element && target.closest("#review"))) return;
  if ((await (await host).openLink(url)) || result !== shown) return;
  refusedUrl = url;
  showRefusedUrl();
});

host.then(({ reportSize }) => {
  const report = () => reportSize(main.offsetWidth, Math.ceil(main.getBoundingClientRect().height));
  new ResizeObserver(report).observe(main);
});
