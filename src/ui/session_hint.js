// Pages of the console store in this browser that a session exists, and public pages read it. Public pages are the same
// for all readers, so caches can share them. The hint grants nothing.
{
  const name = "belfry-console";
  const link = document.querySelector("a[data-sign-in]");
  try {
    if (link) {
      if (localStorage.getItem(name) === "signed-in") link.textContent = "Console";
    } else {
      const signOut = document.querySelector('form[action="/console/sign-out"]');
      if (signOut) localStorage.setItem(name, "signed-in");
      else localStorage.removeItem(name);
      const drop = (isDropped) => {
        for (const key of Object.keys(localStorage))
          if (key.startsWith("belfry-text:") && isDropped(localStorage.getItem(key))) localStorage.removeItem(key);
      };
      // A page that reports success follows the form whose text was submitted.
      if (document.querySelector(".flash.done")) drop((text) => JSON.parse(text).submitted);
      // Unsent text of alerts leaves the browser with its user (rules#console-unsent-text).
      signOut?.addEventListener("submit", () => drop(() => true));
    }
  } catch {
    // Storage is blocked: public pages keep "Sign in".
  }
}
