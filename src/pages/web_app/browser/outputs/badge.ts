// The number of waiting alerts on the app's icon and in the title of its tab.

/** @param title of the page without a count */
export function showUnreadCount(count: number, title: string): void {
  document.title = count > 0 ? `(${count}) ${title}` : title;
  // Not every browser has it, and some have it for installed apps alone.
  if (typeof navigator.setAppBadge !== "function") return;
  const shown = count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge();
  shown.catch(() => {});
}
