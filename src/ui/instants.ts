// Instants in words that need no script and are the same for everybody: in UTC, and they say so.

/** Made with the first page: the calendars that stand behind them take a twentieth of a start to read. */
let formats: { day: Intl.DateTimeFormat; minute: Intl.DateTimeFormat } | undefined;

function made(): NonNullable<typeof formats> {
  formats ??= {
    day: new Intl.DateTimeFormat("en-GB", {
      day: "numeric",
      month: "short",
      year: "numeric",
      timeZone: "UTC",
    }),
    minute: new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" }),
  };
  return formats;
}

/** 22 Nov 2026 */
export const dayWords = (at: Date): string => made().day.format(at);

/** The same without the year where that is the present one: 22 Nov, 14:25 UTC */
export const nearWords = (at: Date, now: Date): string => {
  const words = minuteWords(at);
  return at.getUTCFullYear() === now.getUTCFullYear() ? words.replace(` ${at.getUTCFullYear()}`, "") : words;
};

/** 22 Nov 2026, 14:25 UTC */
export const minuteWords = (at: Date): string => `${dayWords(at)}, ${made().minute.format(at)} UTC`;
