// Alerts that repeat, as a person makes, reviews, sees and ends them: the form and the month without a script, then
// both in a browser. Covers rules#recurrence and #recurrence-rules.

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import { HttpVisitor, signInOwner } from "../support/console_site.ts";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";
import { checkAccessibility, MAX_PAGE_BYTES, measurePageBytes } from "../support/page_checks.ts";
import { timeInSeconds, World } from "../support/world.ts";

/** The folder for pictures of the pages, for a reader who needs them. */
const PICTURES = process.env.PICTURES;
const DAY = 86_400;
const TOMORROW = timeInSeconds(DAY).slice(0, 16);

describe("without a script", () => {
  let world: World;
  let owner: HttpVisitor;
  let pusher: any;
  let base: string;
  beforeAll(async () => {
    world = await World.open();
    owner = await signInOwner(world);
    pusher = await world.pusher({ name: "Harbour" });
    base = `/console/${world.workspace.id}`;
  });
  afterAll(() => world?.close());

  const alerts = () => `${base}/channels/${pusher.id}/alerts`;
  const form = {
    ...{ title: "Tide", layout: "text", priority: "normal", when: "later", send_at: TOMORROW },
    ...{ repeat: "FREQ=DAILY", zone: "Europe/Lisbon", until: "", recurrence: "" },
  };
  const send = (fields: Record<string, string>) =>
    owner.send(`${alerts()}/new?once=${randomUUID()}`, { ...form, ...fields });
  const idOf = ({ headers }: { headers: Headers }) => /alr_\w+/.exec(headers.get("location") ?? "")?.[0] ?? "";
  const now = async (alert_id: string) => (await world.rest("get_alert", { pusher_id: pusher.id, alert_id })).body;
  const count = async () => (await world.sql("select count(*)::int as n from alert"))[0].n;

  test("each choice of the form is the rule that it names, and opens again as it was typed", async () => {
    for (const [fields, recurrence] of [
      [{}, "FREQ=DAILY Europe/Lisbon"],
      [{ zone: "" }, "FREQ=DAILY UTC"],
      [{ until: "2030-03-31" }, "FREQ=DAILY;UNTIL=20300331 Europe/Lisbon"],
      [{ repeat: "days", day: "TU" }, "FREQ=WEEKLY;BYDAY=TU Europe/Lisbon"],
      [{ repeat: "own", recurrence: " FREQ=MONTHLY;BYDAY=-1FR " }, "FREQ=MONTHLY;BYDAY=-1FR Europe/Lisbon"],
      [{ repeat: "" }, null],
    ] as [Record<string, string>, string | null][]) {
      const saved = await send({ ...fields, act: "save" });
      expect([fields, saved.status]).toEqual([fields, 303]);
      const alert = await now(idOf(saved));
      expect(alert).toMatchObject({ status: "draft", recurrence });
      const { text } = await owner.get(`${alerts()}/${alert.id}/edit`);
      const chosen = /<select id="repeat".*?<option value="([^"]*)" selected/s.exec(text)?.[1] ?? "";
      expect(chosen).toBe(fields.repeat ?? "FREQ=DAILY");
      if (fields.day) expect(text).toMatch(/value="TU" checked/);
      if (fields.until) expect(text).toContain('value="2030-03-31"');
    }
  });

  test("scheduled from a new form it repeats, once for each form", async () => {
    const once = randomUUID();
    const before = await count();
    const ids = [];
    for (let i = 0; i < 2; i++) ids.push(idOf(await send({ once, act: "schedule" })));
    expect(ids[0]).toBe(ids[1]);
    expect(await now(ids[0]!)).toMatchObject({ status: "repeating", recurrence: "FREQ=DAILY Europe/Lisbon" });
    expect(await count()).toBe(before + 1 + LIMITS.occurrences_ahead);
  });

  test.each<[string, Record<string, string>, string, RegExp]>([
    ["sent now", { act: "send" }, "repeat", /needs a start time/],
    ["kept without a time", { when: "now", act: "save" }, "repeat", /needs a start time/],
    ["no day", { repeat: "days", act: "save" }, "day", /Choose the days/],
    ["no zone that there is", { zone: "Lisbon <b>", act: "save" }, "zone", /Enter a time zone/],
    ["no day as its end", { until: "31.3.2030", act: "save" }, "until", /Enter a date/],
    ["no rule", { repeat: "own", recurrence: "every day", act: "save" }, "recurrence", /must be a rule/],
    ["over before it begins", { until: "2026-01-01", act: "schedule" }, "repeat", /no future occurrence/],
    ["too often", { repeat: "own", recurrence: "FREQ=MINUTELY", act: "schedule" }, "recurrence", /5 minutes apart/],
  ])("%s: refused at the control, with all that was typed", async (_what, fields, control, says) => {
    const { status, text } = await send({ ...fields, body: "Stays" });
    expect(status).toBe(422);
    const wrong = new RegExp(`id="${control}-wrong">([^<]*)`).exec(text)?.[1];
    expect(wrong).toMatch(says);
    expect(text).toContain("Stays");
    // It is seen although what belongs to a time is not.
    expect(text).not.toMatch(/<div class="when-later">\s*<div class="field"><label for="repeat"/);
    expect(text).not.toContain("<b>");
    if (fields.act === "schedule") {
      // The draft is there by now, and the form is its own.
      const { status: after } = (await world.rest("list_alerts", { pusher_id: pusher.id, limit: 1 })).body.data[0];
      expect(after).toBe("draft");
      expect(text).toMatch(/alerts\/alr_\w+\/edit"/);
    }
  });

  test("two edits at once take over all of the recurrence", async () => {
    const id = idOf(await send({ act: "save" }));
    const { text } = await owner.get(`${alerts()}/${id}/edit`);
    const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)![1]!;
    const recurrence = "FREQ=WEEKLY;BYDAY=MO,TH Europe/Lisbon";
    await world.rest("update_alert", { pusher_id: pusher.id, alert_id: id, recurrence });
    const marks = { version: hidden("version"), base: hidden("base") };
    const both = await owner.send(`${alerts()}/${id}/edit`, { ...form, ...marks, body: "Mine", act: "save" });
    expect(both.status).toBe(409);
    for (const day of ["MO", "TH"]) expect(both.text).toMatch(new RegExp(`value="${day}" checked`));
    expect(both.text).toContain("Mine");
  });

  // rules#recurrence
  test("the review of a draft that repeats offers to begin it, and sends nothing", async () => {
    const id = idOf(await send({ act: "save" }));
    const { text } = await owner.get(`${alerts()}/${id}`);
    expect(text).toContain("Every day (Europe/Lisbon)");
    expect(text).not.toContain('value="send"');
    const { updated_at: version } = await now(id);
    const sent = await owner.post(`${alerts()}/${id}`, { version, act: "send" });
    expect([sent.status, (await now(id)).status]).toEqual([422, "draft"]);
    expect(sent.text).toContain("must be scheduled");
    const begun = await owner.post(`${alerts()}/${id}`, { version, act: "schedule", send_at: TOMORROW });
    expect([begun.status, (await now(id)).status]).toEqual([303, "repeating"]);
  });

  test("a person who was signed out gets the typed text back", async () => {
    const stranger = new HttpVisitor(world, owner.url);
    const answer = await stranger.send(`${alerts()}/new?once=${randomUUID()}`, { ...form, act: "schedule" });
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).not.toContain("alr_");
    expect((await stranger.get(`${base}/month`)).headers.get("location")).toContain("/console/sign-in");
  });

  describe("the month", () => {
    const month = (query: string) => owner.get(`${base}/month${query}`);

    test("it has what is written and what rules name, by the days of the zone", async () => {
      const { id } = await world.pusher({ name: "Lighthouse" });
      const send_at = "2031-03-01T23:30:00Z";
      const lamp = await world.alert(id, { title: "Lamp", send_at, recurrence: "FREQ=DAILY Europe/Lisbon" });
      await world.rest("schedule_alert", { pusher_id: id, alert_id: lamp.id });
      const days = (text: string) =>
        [...text.matchAll(/datetime="(\d{4}-\d\d-\d\d)".*?<\/td>/gs)].flatMap(([cell, day]) =>
          cell.includes("Lamp") ? [`${day} ${/data-clock="time">([\d:]+)/.exec(cell)![1]}`] : [],
        );
      // The clocks of Lisbon change on the 30th, and keep the time of day.
      const lisbon = days((await month(`?month=2031-03&channel=${id}&zone=Europe/Lisbon`)).text);
      const march = [...Array(31).keys()].map((i) => `2031-03-${String(i + 1).padStart(2, "0")} 23:30`);
      // The last week has days of the next month.
      expect(lisbon).toEqual([...march, ...[1, 2, 3, 4, 5, 6].map((i) => `2031-04-0${i} 23:30`)]);
      expect((await month(`?zone=Asia/Tokyo`)).text).toContain('<option value="Asia/Tokyo" selected>');
      const tokyo = days((await month(`?month=2031-03&channel=${id}&zone=Asia/Tokyo`)).text);
      expect([tokyo.length, tokyo[0], tokyo[29]]).toEqual([36, "2031-03-02 08:30", "2031-03-31 07:30"]);
    });

    test("a sent alert is on the day of its sending", async () => {
      const { id } = await world.pusher({ name: "Pier" });
      const sent = await world.alert(id, { title: "Bell" });
      const { body } = await world.rest("send_alert", { pusher_id: id, alert_id: sent.id });
      await world.alert(id, { title: "Unsent" });
      const day = body.sent_at.slice(0, 10);
      const { text } = await month(`?day=${day}&channel=${id}`);
      expect(text).toMatch(/<li class="sent"><a[^>]+><time[^>]+>[\d:]+<\/time> Bell/);
      expect(text).not.toContain("Unsent");
      expect((await month(`?month=2031-03&channel=${id}`)).text).toContain("No alerts in this month.");
    });

    test("a cancelled occurrence does not appear there again", async () => {
      const { id } = await world.pusher({ name: "Ferry" });
      const draft = await world.alert(id, { send_at: timeInSeconds(DAY), recurrence: "FREQ=DAILY UTC" });
      await world.rest("schedule_alert", { pusher_id: id, alert_id: draft.id });
      const days = async () => {
        const found: string[] = [];
        for (const ahead of [0, 15, 31, 46, 62]) {
          const { text } = await month(`?channel=${id}&month=${timeInSeconds(ahead * DAY).slice(0, 7)}`);
          for (const [, day] of text.matchAll(/class="busy".*?datetime="([\d-]+)"/gs)) found.push(day!);
        }
        return [...new Set(found)].sort();
      };
      const before = await days();
      const { data } = (await world.rest("list_alerts", { pusher_id: id, status: "scheduled", order: "oldest" })).body;
      await world.rest("cancel_alert", { pusher_id: id, alert_id: data[3].id });
      expect(await days()).toEqual(before.filter((day) => day !== data[3].send_at.slice(0, 10)));
      expect(before).toContain(data[3].send_at.slice(0, 10));
      // The rule names only what comes after the last that has a row, also where all rows of the month are cancelled.
      const rows: { id: string; send_at: string }[] = data;
      for (const row of rows)
        if (row !== data[3]) await world.rest("cancel_alert", { pusher_id: id, alert_id: row.id });
      const cancelled = rows.map(({ send_at }) => send_at.slice(0, 10));
      expect(cancelled.length).toBe(LIMITS.occurrences_ahead);
      expect(await days()).toEqual(before.filter((day) => !cancelled.includes(day)));
    });

    // rules#console-calendar
    test("weeks begin on the first day of the reader's week, and today is marked", async () => {
      const heads = (text: string) => [...text.matchAll(/<abbr title="(\w+)"/g)].map(([, name]) => name);
      const rows = (text: string) => [...text.matchAll(/<tr>(?!<th)(.*?)<\/tr>/gs)].map(([, row]) => row!);
      for (const [languages, first, numbers] of [
        ["en-US,en;q=0.9", "Sunday", [23, 1]],
        ["de, en-US;q=0.5", "Monday", [24, 1]],
        ["ar-EG", "Saturday", [1, 1]],
        ["en-u-fw-mon", "Monday", [24, 1]],
        ["*", "Monday", [24, 1]],
        ["%%%, en-US", "Monday", [24, 1]],
        [undefined, "Monday", [24, 1]],
      ] as const) {
        const headers: Record<string, string> = languages === undefined ? {} : { "accept-language": languages };
        const { text } = await owner.get(`${base}/month?month=2031-03`, headers);
        expect([languages, heads(text)[0], heads(text).length]).toEqual([languages, first, 7]);
        const cells = [...rows(text)[0]!.matchAll(/<td class="outside">(\d+)<|class="number">(\d+)</g)];
        const drawn = cells.map(([, outside, inside]) => Number(outside ?? inside));
        expect([languages, drawn[0], drawn.find((number) => number < 8)]).toEqual([languages, ...numbers]);
        // Each week is complete, and each day is below the name of its weekday.
        for (const row of rows(text)) expect(row.match(/<td/g)).toHaveLength(7);
        for (const row of rows(text))
          for (const [i, cell] of row.split("<td").slice(1).entries()) {
            const day = /datetime="([\d-]+)"/.exec(cell)?.[1];
            const weekday = day && new Date(day).toLocaleDateString("en", { weekday: "long", timeZone: "UTC" });
            expect(weekday ?? heads(text)[i]).toBe(heads(text)[i]);
          }
      }
      const marked = (await month("")).text.match(/aria-current="date"><time datetime="[\d-]+"/g);
      expect(marked?.length).toBe(1);
      expect([timeInSeconds(-60), timeInSeconds(0)].map((at) => at.slice(0, 10))).toContain(marked![0].slice(-11, -1));
      expect((await month("?month=2031-03")).text).not.toContain('aria-current="date"');
    });

    // rules#console-calendar
    test("a day with many alerts shows some, and links to the list of all", async () => {
      const { id } = await world.pusher({ name: "Busy" });
      for (const [day, count] of [
        ["02", 4],
        ["03", 5],
      ] as const)
        for (let i = 0; i < count; i++) {
          const alert = await world.alert(id, { title: `Boat ${i}`, send_at: `2031-06-${day}T0${i}:30:00Z` });
          await world.rest("schedule_alert", { pusher_id: id, alert_id: alert.id });
        }
      const { text } = await month(`?month=2031-06&channel=${id}&zone=UTC`);
      const cell = (day: string) => new RegExp(`datetime="2031-06-${day}".*?</td>`, "s").exec(text)![0];
      expect(cell("02").match(/<\/time> Boat/g)).toHaveLength(4);
      expect(cell("02")).not.toContain("more");
      expect(cell("03").match(/<\/time> Boat/g)).toHaveLength(3);
      expect(cell("03")).toMatch(/\+2 more<span\s+class="unseen"> on Tuesday 3 June<\/span>/);
      const href = /class="further"><a href="([^"]+)"/.exec(text)![1]!.replaceAll("&amp;", "&");
      const day = (await owner.get(href)).text;
      expect(day).toContain("<h1>3 June 2031</h1>");
      expect([...day.matchAll(/<\/time> Boat (\d)/g)].map(([, i]) => Number(i))).toEqual([0, 1, 2, 3, 4]);
      expect(day).toContain(`href="${base}/month?month=2031-06&amp;channel=${id}&amp;zone=UTC"`);
      // A day of another zone, and one without alerts.
      const earlier = (await month(`?day=2031-06-03&channel=${id}&zone=America/New_York`)).text;
      expect(earlier.match(/<\/time> Boat/g)).toHaveLength(1);
      expect((await month(`?day=2031-06-05&channel=${id}`)).text).toContain("No alerts on this day.");
      // A day that does not exist is the present month.
      for (const wrong of ["2031-02-30", "2031-6-3", "x", "9999-99-99"])
        expect((await month(`?day=${wrong}`)).text).toContain("Previous month");
    });

    test.each([
      ["?zone=Nowhere/Land", 422, "Enter a time zone"],
      ["?month=2026-13", 200, "Previous month"],
      ["?month=9999-12&zone=UTC", 200, "Previous month"],
      ["?month=%3Cb%3E&zone=%3Cb%3E", 422, "Enter a time zone"],
      ["?channel=psh_01h455vb4pex5vsknk084sn02q", 404, ""],
      ["?channel=%00", 404, ""],
    ])("%s answers %i", async (query, status, says) => {
      const answer = await month(query);
      expect(answer.status).toBe(status);
      expect(answer.text).toContain(says);
      expect(answer.text).not.toContain("<b>");
    });
  });
});

describeInBrowser("in a browser", () => {
  const its = openSiteAsOwner();
  let pusher: any;
  beforeAll(async () => {
    pusher = await its.site.world.pusher({ name: "Harbour", requested_perms: ["notify"] });
  });

  async function look(page: Awaited<ReturnType<typeof its.visit>>["page"], name: string): Promise<void> {
    await checkAccessibility(page, name);
    for (const width of PICTURES ? [390, 1280] : [])
      for (const colorScheme of ["dark", "light"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 844 });
        await page.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}.png`, fullPage: true });
      }
  }

  test("a person chooses days, sees the next times, is refused, goes back, and sees the month", async () => {
    const { page, faults } = await its.visit({ timezoneId: "America/New_York", locale: "en-GB" });
    await page.goto(`${its.base}channels/${pusher.id}/alerts/new`);
    await page.getByLabel("Title", { exact: true }).fill("Tide");
    await page.locator("label:has([name=when][value=later])").click();
    const [days, zone, own] = [page.getByLabel("Monday"), page.getByLabel("Time zone"), page.locator("#recurrence")];
    expect([await days.isVisible(), await zone.isVisible(), await own.isVisible()]).toEqual([false, false, false]);
    await page.getByLabel("Repeat", { exact: true }).selectOption("days");
    expect([await days.isVisible(), await zone.isVisible(), await own.isVisible()]).toEqual([true, true, false]);
    expect(await zone.inputValue()).toBe("America/New_York");
    await page.getByLabel("Thursday").check();
    // The first Thursday after the start of daylight saving time; the person types their own time.
    await page.getByLabel("Time", { exact: true }).fill("2031-03-06T07:30");
    const next = page.locator("#next-ones li");
    await next.nth(4).waitFor();
    expect(await next.allTextContents()).toEqual(
      ["6 Mar", "13 Mar", "20 Mar", "27 Mar", "3 Apr"].map((day) => `${day} 2031, 07:30`),
    );
    await look(page, "repeats");
    // Chosen and then forgotten: it is reported in a visible place.
    await page.locator("label:has([name=when][value=now])").click();
    expect(await days.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Send to" }).click();
    await page.locator("#repeat-wrong").waitFor();
    expect(await page.getByLabel("Thursday").isChecked()).toBe(true);
    await look(page, "repeats-refused");
    await page.locator("label:has([name=when][value=later])").click();
    await page.getByRole("button", { name: "Schedule for" }).click();
    await page.getByText("Every week on Thursday (America/New_York)").waitFor();
    await look(page, "repeats-series");
    await page.getByRole("link", { name: "Month view" }).click();
    await page.waitForURL(/zone=America%2FNew_York/);
    expect(await page.locator("h1").textContent()).toMatch(/^\w+ 20\d\d$/);
    await page.goto(`${its.base}month?channel=${pusher.id}&month=2031-03`);
    await page.waitForURL(/zone=/);
    expect(await page.locator(".month .at").allTextContents()).toEqual(Array(5).fill("07:30"));
    await look(page, "month");
    await page.getByRole("link", { name: "Next month" }).click();
    await page.getByRole("heading", { name: "April 2031" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "March 2031" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("a month of very many alerts stays readable, and shows the number that it leaves out", async () => {
    const { world } = its.site;
    const RULES = ["FREQ=DAILY", "FREQ=HOURLY", "FREQ=MINUTELY;INTERVAL=5", "FREQ=WEEKLY;BYDAY=MO,FR"];
    for (let i = 0; i < 16; i++) {
      const draft = await world.alert(pusher.id, {
        title: `Number ${i} leaves from the other side of the station all of this month`,
        send_at: timeInSeconds(3600 + i * 60),
        recurrence: `${RULES[i % 4]} Europe/Lisbon`,
      });
      await world.rest("schedule_alert", { pusher_id: pusher.id, alert_id: draft.id });
    }
    await world.sql(
      `insert into alert (id, pusher_id, status, title, send_at) select gen_random_uuid(), id, 'scheduled', 'Planned '
        || n,
         '2031-05-01'::timestamptz + n * interval '70 minutes' from pusher, generate_series(1, 600) n where name =
           'Harbour'`,
    );
    const { page, faults } = await its.visit({ viewport: { width: 390, height: 844 } });
    await page.goto(`${its.base}month?month=2031-05&zone=UTC`);
    expect(await measurePageBytes(page)).toBeLessThan(MAX_PAGE_BYTES);
    expect(await page.evaluate<number>("document.documentElement.scrollHeight")).toBeLessThan(14 * 844);
    await page.getByText("This list is incomplete").waitFor();
    // A rule with many times on a day has one line there.
    expect(await page.locator(".month td.busy").count()).toBe(31);
    const { recurrence } = (await world.rest("list_alerts", { pusher_id: pusher.id, status: "repeating", limit: 2 }))
      .body.data[1];
    expect(recurrence).toContain("INTERVAL=5");
    await look(page, "month-many");
    await page.getByRole("link", { name: "more on Wednesday 14 May" }).click();
    await page.getByRole("heading", { name: "14 May 2031" }).waitFor();
    expect(await page.locator(".day li", { hasText: "Number 14 leaves" }).count()).toBe(1);
    expect(await measurePageBytes(page)).toBeLessThan(MAX_PAGE_BYTES);
    await look(page, "month-day");
    expect(faults).toEqual([]);
  });
});
