// The card in a chat: it draws the result of the tool call that opened it, and opens the review page. It publishes
// nothing.

import type { McpUiHostContext } from "@modelcontextprotocol/ext-apps";
import { now } from "../browser/clock.ts";
import { type CardChannel, drawResult, getReviewUrl, isAlert, type ToolBody } from "./drawings.ts";
import { connectToHost, type Host, type ToolResult } from "./host_bridge.ts";

const main = document.getElementById("card") as HTMLElement;

let context: McpUiHostContext = {};
let result: ToolResult | null = null;
let channel: CardChannel | null = null;

/** The content of a result, also in a host that passes on texts only. */
function readBody({ structuredContent, content }: ToolResult): ToolBody {
  if (structuredContent) return structuredContent;
  try {
    return JSON.parse(content?.[0]?.text ?? "{}");
  } catch {
    return {};
  }
}

function draw(): void {
  if (!result) return;
  const drawn = { body: readBody(result), isError: result.isError === true, channel, now: new Date(now()) };
  main.innerHTML = drawResult(drawn).toString();
  showLocalTimes();
}

/** Shows times in the zone and language of the host. */
function showLocalTimes(): void {
  const { locale, timeZone } = context;
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone });
  for (const time of main.querySelectorAll<HTMLTimeElement>("time[data-clock]"))
    time.textContent = format.format(new Date(time.dateTime));
}

const host: Promise<Host> = connectToHost({
  "ui/notifications/host-context-changed"(changed) {
    context = { ...context, ...changed };
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.colorScheme = context.theme ?? (isDark ? "dark" : "light");
    draw();
  },
  async "ui/notifications/tool-result"(given) {
    [result, channel] = [given, null];
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
  const url = getReviewUrl(result ? readBody(result) : {});
  if (url === null || !(target instanceof Element && target.closest("#review"))) return;
  if (await (await host).openLink(url)) return;
  const address = document.getElementById("address") as HTMLElement;
  address.textContent = url;
  address.hidden = false;
});

host.then(({ reportSize }) => {
  const report = () => reportSize(main.offsetWidth, Math.ceil(main.getBoundingClientRect().height));
  new ResizeObserver(report).observe(main);
});
