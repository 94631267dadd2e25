// Pages of the console store in this browser that a session exists, and public pages read it. Public pages are the same
// for all readers, so caches can share them. The hint grants nothing.
{
  const name = "belfry-console";
  const link = document.querySelector("a[data-sign-in]");
  try {
    if (link) {
      if (localStorage.getItem(name) === "signed-in") link.textContent = "Console";
    } else if (document.querySelector('form[action="/console/sign-out"]')) localStorage.setItem(name, "signed-in");
    else localStorage.removeItem(name);
  } catch {
    // Storage is blocked: public pages keep "Sign in".
  }
}
