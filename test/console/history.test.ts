// An owner's view of sent alerts: a channel's alerts, drafts, an alert's reads and acks, statistics, subscribers.
// Without a browser, and so without a script. Reports come from handsets, and plots are compared with the operations'
// numbers.

import { describe, expect, test } from "vitest";
import { OWNER, signInOwner } from "../support/console_site.ts";
import { DEVICE_FACTS, joinNewHandset } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { timeInSeconds } from "../support/world.ts";

/** The numbers of a plot: the sum of its bars, those of their titles, and those of its description. */
function plotOf(text: string, id: string) {
  const start = text.indexOf(`<figure class="plot" id="${id}"`);
  if (start < 0) return null;
  const figure = text.slice(start, text.indexOf("</figure>", start));
  const number = (words: string) => Number(words.replaceAll(",", ""));
  const bars = [...figure.matchAll(/<rect class="bar[^"]*"[^>]* height="([\d.]+)"[^>]*><title>(.+?): ([\d,]+) /g)];
  const drawn = bars.map(([, height, words, value]) => ({ height: Number(height), words, value: number(value!) }));
  return {
    total: drawn.reduce((sum, { value }) => sum + value, 0),
    bars: drawn,
    description: /<desc[^>]*>([\s\S]*?)<\/desc>/.exec(figure)?.[1] ?? "",
  };
}

/** The totals at the head of a page. */
const headTotals = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/<dt>([^<]+)<\/dt><dd>([\d,]+)<\/dd>/g)].map(([, name, value]) => [
      name,
      Number(value!.replaceAll(",", "")),
    ]),
  );

/** The rows of the table of numbers, as texts. */
const numbers = (text: string) =>
  [...text.matchAll(/<tr><th scope="row">([^<]*)<\/th>((?:<td>[\d,]+<\/td>)+)<\/tr>/g)].map(([, head, cells]) => [
    head,
    ...[...cells!.matchAll(/<td>([\d,]+)<\/td>/g)].map(([, value]) => Number(value!.replaceAll(",", ""))),
  ]);

/** 2026-11-22 as pages write it. */
const words = (date: string) =>
  new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }).format(
    new Date(date),
  );

// Covers rules#console-figures.
const world = await openWorld();
const owner = await signInOwner(world);
const base = `/console/${world.workspace.id}/`;

describe("history, statistics and subscribers", () => {
  const page = async (path: string, status = 200) => {
    const seen = await owner.get(base + path);
    expect({ path, status: seen.status }).toEqual({ path, status });
    return seen.text;
  };

  /** An alert that three of four subscribers read and one acknowledged. */
  async function reported() {
    const pusher = await world.pusher({ name: "Ferries & piers", requested_perms: ["notify"] });
    const alert = await world.alert(pusher.id, { title: "Pier <3>", tts_text: "Pier", send: true });
    const devices = [
      await joinNewHandset(world, pusher.handle),
      await joinNewHandset(world, pusher.handle, undefined, { platform: "ios", locale: "pt-PT" }),
      await joinNewHandset(world, pusher.handle, undefined, { platform: "ios" }),
      await joinNewHandset(world, pusher.handle),
    ];
    for (const [i, kinds] of [["read", "ack"], ["read"], ["read"]].entries()) {
      const reports = kinds.map((kind) => ({ alert_id: alert.id, kind }));
      expect((await world.handset("POST", "/reports", devices[i]!.token, { reports })).status).toBe(200);
    }
    return { pusher, alert };
  }

  test("plots, table and file of a channel have the operation's numbers", async () => {
    const { pusher } = await reported();
    for (const query of ["days=7", "days=30", "days=90"]) {
      const text = await page(`channels/${pusher.id}/stats?${query}`);
      const from = /name="from" value="([\d-]+)"/.exec(text)![1]!;
      const to = /name="to" value="([\d-]+)"/.exec(text)![1]!;
      const { body } = await world.rest("get_pusher_stats", { pusher_id: pusher.id, from, to });
      expect(body.buckets.length).toBe(Number(query.slice(5)));
      expect(body.totals).toEqual({ alerts_sent: 1, reads: 3, acks: 1 });
      expect(headTotals(text)).toEqual({
        ...{ "Alerts sent": 1, "Reported reads": 3, "Reported acks": 1 },
        "Current reach": 4,
      });
      for (const key of ["alerts_sent", "reads", "acks"]) {
        const shown = plotOf(text, `plot-${key}`)!;
        const some = body.buckets.filter((day: any) => day[key] > 0);
        expect(shown.total).toBe(body.totals[key]);
        expect(shown.bars.map((bar) => [bar.words, bar.value])).toEqual(
          some.map((day: any) => [words(day.date), day[key]]),
        );
        for (const day of some) expect(shown.description).toContain(`${words(day.date)}: ${day[key]}`);
      }
      expect(numbers(text)).toEqual(
        body.buckets.toReversed().map((day: any) => [words(day.date), day.alerts_sent, day.reads, day.acks]),
      );
      const file = await owner.get(`${base}channels/${pusher.id}/stats.csv?${query}`);
      expect(file.headers.get("content-disposition")).toContain(`belfry_${pusher.handle}_${from}_${to}.csv`);
      expect(file.text).toBe(
        [
          "day_utc,alerts_sent,reads,acks",
          ...body.buckets.map((day: any) => [day.date, day.alerts_sent, day.reads, day.acks].join(",")),
          "",
        ].join("\r\n"),
      );
      expect(text).not.toMatch(/deliver|%</i);
    }
  });

  test("bars are as high as their numbers, and a long range is drawn by weeks that contain its days", async () => {
    const pusher = await world.pusher({ name: "Tides" });
    const [{ id }] = await world.sql("select id from pusher where handle = ?", [pusher.handle]);
    await world.sql(
      `insert into channel_day (pusher_id, day, published, reads, acks)
       select ?, date '2025-12-31' - n, n % 5, n * 10, 1 from generate_series(0, 199) n`,
      [id],
    );
    const short = await page(`channels/${pusher.id}/stats?from=2025-12-22&to=2025-12-31`);
    const { bars } = plotOf(short, "plot-reads")!;
    const highest = Math.max(...bars.map(({ value }) => value));
    for (const { value, height } of bars)
      expect(height / value, String(value)).toBeCloseTo(bars.find((bar) => bar.value === highest)!.height / highest, 0);
    // 200 days: a first part of four, and 28 weeks.
    const range = { from: "2025-06-15", to: "2025-12-31" };
    const { body } = await world.rest("get_pusher_stats", { pusher_id: pusher.id, ...range });
    const long = await page(`channels/${pusher.id}/stats?${new URLSearchParams(range)}`);
    const weeks = plotOf(long, "plot-reads")!;
    expect(weeks.bars.length).toBe(29);
    expect(weeks.bars.at(-1)).toMatchObject({
      words: "25 Dec 2025 to 31 Dec 2025",
      value: body.buckets.slice(-7).reduce((sum: number, day: any) => sum + day.reads, 0),
    });
    expect(weeks.bars.reduce((sum, { value }) => sum + value, 0)).toBe(body.totals.reads);
    expect(numbers(long).length).toBe(200);
    // rules#stats-period-before: the totals of the ten days before, by the operation.
    const earlier = { from: "2025-12-12", to: "2025-12-21" };
    const sums = (await world.rest("get_pusher_stats", { pusher_id: pusher.id, ...earlier })).body.totals;
    const now = (await world.rest("get_pusher_stats", { pusher_id: pusher.id, from: "2025-12-22", to: "2025-12-31" }))
      .body.totals;
    const notes = [...short.matchAll(/class="change">([+−±][^<]+)</g)].map(([, note]) => note!.replaceAll(",", ""));
    const change = (key: string) => `${now[key] - sums[key]} from ${sums[key]}`;
    expect(notes.map((note) => note.replace("−", "-").replace(/[+±]/, ""))).toEqual(
      ["alerts_sent", "reads", "acks"].map(change),
    );
    expect(now.reads - sums.reads).toBeLessThan(0);
    const year = await page(`channels/${pusher.id}/stats?from=2025-01-01&to=2026-01-01`);
    expect(Buffer.byteLength(year)).toBeLessThan(90_000);
  });

  test("an invalid range shows the form again, with its field and the typed value", async () => {
    const pusher = await world.pusher();
    for (const path of [`channels/${pusher.id}/stats`, "stats"]) {
      const text = await page(`${path}?from=2026-11-20&to=2026-11-01`, 422);
      expect(text).toContain('name="to" value="2026-11-01"');
      expect(text).toMatch(/id="to"[^>]*aria-invalid="true"/);
      expect(text).toContain('name="from" value="2026-11-20"');
      const typed = await page(`${path}?from=${encodeURIComponent('"><b>')}&to=2026-11-01`, 422);
      expect(typed).not.toContain("<b>");
      expect((await owner.get(`${base}${path}.csv?from=x&to=y`)).status).toBe(422);
      for (const day of ["-271821-04-20", "+275760-09-13", "0000-01-01", "2026-02-30"]) {
        const query = new URLSearchParams({ from: day, to: day });
        await page(`${path}?${query}`, 422);
        expect([day, (await owner.get(`${base}${path}.csv?${query}`)).status]).toEqual([day, 422]);
      }
    }
    expect(await page("stats?days=constructor")).toContain('aria-current="true">30 days');
  });

  test("the workspace's statistics sum its channels, and its file runs nowhere", async () => {
    const { pusher } = await reported();
    await world.pusher({ name: "=HYPERLINK(1)" });
    const text = await page("stats?days=7");
    expect(text.match(/class="change">None in the previous \d+ days</g)).toHaveLength(3);
    expect(text).toMatch(/Compared with the previous 7 days\..*Today, \d+ \w+ \d{4}, is incomplete\./s);
    const { body } = await world.rest("get_account_stats", { period: "week" });
    for (const key of ["alerts_sent", "reads", "acks"])
      expect(plotOf(text, `plot-${key}`)!.total).toBe(body.totals[key]);
    expect(text).toContain(`channels/${pusher.id}/stats?days=7`);
    expect(text).toMatch(/data-label="Reads">3<.*<summary>\d+ channels without activity<\/summary>.*=HYPERLINK/s);
    const file = await owner.get(`${base}stats/channels.csv?days=7`);
    expect(file.text).toContain(`${pusher.handle},Ferries & piers,4,1,3,1\r\n`);
    expect(file.text).toContain(",'=HYPERLINK(1),0,0,0,0\r\n");
    expect((await owner.get(`${base}stats.csv?days=7`)).text.split("\r\n").length).toBe(9);
  });

  test("a sent alert shows its reports in time, and unrequested permissions of its channel", async () => {
    const { pusher, alert } = await reported();
    const path = `channels/${pusher.id}/alerts/${alert.id}`;
    await world.sql(
      `update report set reported_at = a.sent_at + interval '7 hours 10 minutes'
       from alert a where a.id = report.alert_id and kind = 2`,
    );
    const { body } = await world.rest("get_alert_stats", { pusher_id: pusher.id, alert_id: alert.id });
    const text = await page(path);
    for (const key of ["reads", "acks"]) {
      const shown = plotOf(text, `timeline-${key}`)!;
      const some = body.buckets.filter((bucket: any) => bucket[key] > 0);
      expect(shown.total).toBe(body.totals[key]);
      expect(shown.bars.map(({ value }) => value)).toEqual(some.map((bucket: any) => bucket[key]));
    }
    expect(plotOf(text, "timeline-reads")!.bars[0]!.words).toContain("for half an hour");
    expect(plotOf(text, "timeline-acks")!.bars[0]!.words).toContain("for an hour");
    expect(numbers(text).map(([, ...row]) => row)).toEqual(body.buckets.map(({ reads, acks }: any) => [reads, acks]));
    expect(text).toContain(body.note);
    expect(text).toMatch(/<li>Notify <span class="badge good">requested/);
    expect(text).toMatch(/<li>Read aloud <span class="badge warn">not requested/);
    expect(text).not.toMatch(/delivered|% of/i);
    // The page's script requests the part alone.
    const part = await page(`${path}/timeline?live=1`);
    expect(text).toContain(part);
    expect(part).not.toContain("<html");
    expect((await owner.get(`${base}${path}/timeline`)).headers.get("location")).toBe(base + path);
    expect(await page(`channels/${pusher.id}/alerts/${(await world.alert(pusher.id)).id}`)).not.toContain(
      "Device reports",
    );
  });

  test("a correction is a draft of its own, and opens", async () => {
    const { pusher, alert } = await reported();
    const path = `${base}channels/${pusher.id}/alerts/${alert.id}`;
    expect((await owner.post(`${path}/duplicate`, {}, { token: null })).status).toBe(403);
    const once = crypto.randomUUID();
    const answer = await owner.post(`${path}/duplicate`, { once }, { from: path });
    expect(answer.status).toBe(303);
    // Sent twice, the form makes one.
    const again = await owner.post(`${path}/duplicate`, { once }, { from: path });
    expect(again.headers.get("location")).toBe(answer.headers.get("location"));
    const made = answer.headers.get("location")!;
    const { body } = await world.rest("get_alert", { pusher_id: pusher.id, alert_id: made.split("/").at(-1) });
    expect(body).toMatchObject({ status: "draft", title: "Pier <3>", tts_text: "Pier" });
    const opened = await owner.get(made);
    expect(opened.text).toContain("The alert was copied to this draft");
    expect(opened.text).toContain("Pier &lt;3&gt;");
  });

  test("a cancelled alert shows its earlier reports, or that no phone could show it", async () => {
    const { pusher, alert } = await reported();
    await world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: alert.id });
    const text = await page(`channels/${pusher.id}/alerts/${alert.id}`);
    expect(text).toContain("<dt>Reported reads</dt><dd>3</dd>");
    const planned = await world.alert(pusher.id, { send: true, send_at: timeInSeconds(3600) });
    await world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: planned.id });
    const never = await page(`channels/${pusher.id}/alerts/${planned.id}`);
    expect(never).toContain("no device showed it");
    expect(plotOf(never, "timeline-reads")).toBeNull();
  });

  test("a channel's alerts are filtered by state and turned by pages, each once", async () => {
    const pusher = await world.pusher();
    const path = `channels/${pusher.id}`;
    expect(await page(path)).toContain("No alerts yet");
    expect(await page(`${path}?status=sent`)).toContain("No sent alerts");
    await world.alert(pusher.id, { title: "Later", priority: "urgent", send: true, send_at: timeInSeconds(3600) });
    for (let i = 0; i < 29; i++) await world.alert(pusher.id, { title: `Number ${i};`, send: i < 2 });
    const scheduled = await page(`${path}?status=scheduled`);
    expect(scheduled).toContain("Later");
    expect(scheduled).toContain("urgent");
    expect(scheduled).not.toContain("Number");
    const seen: string[] = [];
    let next: string | null = path;
    let pages = 0;
    while (next) {
      const text: string = await page(next);
      pages++;
      seen.push(...[...text.matchAll(/>(Later|Number \d+;)<\/a>/g)].map(([, title]) => title!));
      const older = /<a class="button plain" href="([^"]+)">Older</.exec(text)?.[1];
      next = older ? older.replaceAll("&amp;", "&").slice(base.length) : null;
    }
    expect(pages).toBe(2);
    expect(seen.length).toBe(30);
    expect(new Set(seen).size).toBe(30);
    expect((await owner.get(`${base}${path}?before=nonsense`)).status).toBe(422);
  });

  test("drafts of all channels are listed together, with their reason, and link to their review", async () => {
    const [one, other] = [await world.pusher({ name: "First <i>" }), await world.pusher({ name: "Second" })];
    const draft = await world.alert(one.id, { title: "From an assistant", review_note: "The <b>harbour</b> called." });
    await world.alert(other.id, { title: "From a script" });
    const sent = await world.alert(other.id, { title: "Gone already", send: true });
    const text = await page("drafts");
    expect(text).toContain(new URL(draft.review_url).pathname);
    for (const shown of ["First &lt;i&gt;", "The &lt;b&gt;harbour", "From a script"]) expect(text).toContain(shown);
    expect(text).not.toContain(sent.id);
    const alone = await page("drafts?live=1");
    expect(text).toContain(alone.replaceAll("&amp;live=1", ""));
  });

  test("subscribers are counted by what they run on, and none is known", async () => {
    const { pusher } = await reported();
    const path = `channels/${pusher.id}/subscribers`;
    const text = await page(path);
    const { body } = await world.rest("list_subscribers", { pusher_id: pusher.id });
    const row =
      /"row">(?:<span[^>]*>)?([^<]+)<.+?<rect\s+class="bar"\s+width="([\d.]+)%".+?<td>(\d+)<\/td>.+?"share">(\d+%)</gs;
    const ranked = [...text.matchAll(row)].map(([, name, wide, n, share]) => [name, Number(wide), Number(n), share]);
    expect(ranked.slice(0, 2)).toEqual([
      ["Android", 50, 2, "50%"],
      ["iOS", 50, 2, "50%"],
    ]);
    expect(ranked).toContainEqual([
      new Intl.DisplayNames("en", { type: "language" }).of(DEVICE_FACTS.locale),
      75,
      3,
      "75%",
    ]);
    expect(ranked).toContainEqual(["Portuguese (Portugal)", 25, 1, "25%"]);
    expect(headTotals(text)).toEqual({ Subscribers: 4, Active: 4, Muted: 0 });
    for (const { device } of body.data) expect(text).toContain(device);
    for (const { id } of await world.sql("select id::text from device")) expect(text).not.toContain(id);
    expect(await page(`${path}?status=muted`)).toContain("No subscribers match this filter");
    const file = await owner.get(`${base}${path}.csv`);
    expect(file.text).toContain("locale,pt-PT,1\r\n");
    expect(file.text).not.toContain(body.data[0].device);
    const none = await world.pusher();
    expect(await page(`channels/${none.id}/subscribers`)).toContain("No subscribers yet");
  });

  test("a page of subscribers shows their number, and reveals no grants of one of them", async () => {
    const many = await world.pusher({ name: "Many" });
    const devices = [];
    for (let i = 0; i < 28; i++) devices.push(await world.device(many.handle));
    const muted = await world.handset("PUT", `/subscriptions/${many.handle}`, devices[0]!, {
      muted: true,
      permissions: ["sound", "loc"],
    });
    expect(muted.status).toBe(200);
    const path = `channels/${many.id}/subscribers`;
    const first = await page(path);
    const listed = (text: string) => text.match(/<code class="whole">/g)!.length;
    expect(listed(first)).toBe(25);
    expect(first).toContain("Showing the newest 25 of 28. The counts above include all of them.");
    expect(first).toContain("Channels cannot see which permissions");
    // The page contains nothing of its grants but the text about them.
    expect(first.replace(/<section class="card" aria-labelledby="known">.*/s, "")).not.toMatch(/sound|\bloc\b/i);
    const older = /href="([^"]*before=[^"]+)#list"/.exec(first)![1]!.replaceAll("&amp;", "&");
    const rest = await page(older.slice(base.length));
    expect([listed(rest), rest.includes("Showing the older 3 of 28.")]).toEqual([3, true]);
    expect(await page(`${path}?status=active`)).toContain("Showing the newest 25 of 27.");
    expect(await page(`${path}?status=muted`)).not.toContain("Showing the");
  });

  test("others' channels and alerts are not there, and who may not write sees no way to", async () => {
    const { pusher, alert } = await reported();
    const missing = `psh_${"0".repeat(26)}`;
    for (const below of ["", "/stats", "/stats.csv", "/subscribers", "/subscribers.csv"])
      await page(`channels/${missing}${below}`, 404);
    await page(`channels/${missing}/alerts/${alert.id}/timeline?live=1`, 404);
    await world.sql("update member set role = 'viewer' where email = ?", [OWNER.email]);
    try {
      const path = `channels/${pusher.id}/alerts/${alert.id}`;
      expect(await page(path)).not.toContain(">Duplicate<");
      expect((await owner.post(`${base}${path}/duplicate`, {}, { from: base + path })).status).toBe(403);
      await page(`channels/${pusher.id}/stats`);
    } finally {
      await world.sql("update member set role = 'owner' where email = ?", [OWNER.email]);
    }
  });
});
