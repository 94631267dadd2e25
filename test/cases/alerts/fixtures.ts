// Fixtures that several of the tables about alerts share.

export const longText = (n: number) => "x".repeat(n);

export const longUrl = (n: number) => `https://example.org/${longText(n - 20)}`;

export const QUESTION = { type: "reply", label: "Who goes?", url: "", choices: ["I go", "Not me", longText(40)] };
export const LINK_BUTTON = { type: "open_url", label: "Open", url: "https://example.org/" };

export const ALERT_CIRCLE = { lat: 38.7, lon: -9.1, radius_km: 0.5 };

export type Fields = Record<string, unknown>;
