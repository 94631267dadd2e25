// Handles that would collide with the service's own addresses or mislead about who speaks.

export const RESERVED_HANDLES: ReadonlySet<string> = new Set(
  (
    "admin api app c console docs handset healthz help login mcp me metrics oauth readyz security static status support " +
    "well-known www"
  ).split(" "),
);
