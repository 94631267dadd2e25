// What several of the tables about alerts begin with.

export const long = (n: number) => "x".repeat(n);

export const url = (n: number) => `https://example.org/${long(n - 20)}`;

export const question = {
  type: "reply",
  label: "Who goes?",
  url: "",
  choices: ["I go", "Not me", long(40)],
};
export const button = { type: "open_url", label: "Open", url: "https://example.org/" };

export const FENCE = { lat: 38.7, lon: -9.1, radius_km: 0.5 };

export type Fields = Record<string, unknown>;
