// What a system is told when the app is installed.

import { GROUNDS } from "../../ui/head.ts";

/** @param place where a picture of this version lies. */
export function manifest(place: (name: string) => string): string {
  const icon = (name: string, size: number, purpose: string) => ({
    src: place(name),
    sizes: `${size}x${size}`,
    type: "image/png",
    purpose,
  });
  return JSON.stringify({
    id: "/app/",
    name: "Belfry",
    short_name: "Belfry",
    description: "Alerts of the channels that you follow, on this device.",
    start_url: "/app/",
    scope: "/app",
    display: "standalone",
    background_color: GROUNDS.light,
    theme_color: "#3d4fc7",
    categories: ["news", "utilities"],
    icons: [
      { src: "/static/icon.svg", sizes: "any", type: "image/svg+xml", purpose: "any" },
      icon("icon-192.png", 192, "any"),
      icon("icon-512.png", 512, "any"),
      icon("icon-maskable-512.png", 512, "maskable"),
    ],
    shortcuts: [{ name: "Channels", url: "/app/#channels" }],
  });
}
