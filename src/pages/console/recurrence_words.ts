// What a recurrence says, in words where it is one that the form offers, else as it is written.

export const DAYS: Record<string, string> = {
  MO: "Monday",
  TU: "Tuesday",
  WE: "Wednesday",
  TH: "Thursday",
  FR: "Friday",
  SA: "Saturday",
  SU: "Sunday",
};

const EVERY: Record<string, string> = {
  "FREQ=DAILY": "Every day",
  "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR": "On weekdays",
  "FREQ=WEEKLY": "Every week",
  "FREQ=MONTHLY": "Every month",
};

/** `Every day until 1 March 2027, by the clocks of Europe/Lisbon`. */
export function recurrenceWords(recurrence: string | null): string {
  const [rule = "", zone = ""] = (recurrence ?? "").split(" ");
  const parts = rule.split(";");
  const end = (name: string) => parts.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
  const bare = parts.filter((part) => !/^(COUNT|UNTIL)=/.test(part)).join(";");
  const days = /^FREQ=WEEKLY;BYDAY=([A-Z,]+)$/.exec(bare)?.[1]?.split(",") ?? [];
  const weekly = days.length > 0 && `Every week on ${days.map((day) => DAYS[day] ?? day).join(", ")}`;
  const said = EVERY[bare] ?? (weekly || bare);
  const until = end("UNTIL")?.replace(/^(....)(..)(..).*$/, " until $1-$2-$3") ?? "";
  const count = end("COUNT") ? `, ${end("COUNT")} times` : "";
  return `${said}${until}${count}, by the clocks of ${zone}`;
}
