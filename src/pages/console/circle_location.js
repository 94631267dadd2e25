// Fills the middle of a circle from the position of the device, when its person requests it. The form receives the same
// events as for typing.
const here = document.getElementById("here");
const said = document.getElementById("here-said");

const position = () =>
  new Promise((resolve, reject) => {
    navigator.geolocation.getCurrentPosition(({ coords }) => resolve(coords), reject, {
      maximumAge: 60_000,
      timeout: 30_000,
    });
  });

if (here && navigator.geolocation) {
  here.hidden = false;
  here.addEventListener("click", async () => {
    const { lat, lon, radius_km: radius } = here.form.elements;
    here.disabled = true;
    said.textContent = "Getting your location…";
    try {
      const { latitude, longitude } = await position();
      // Four decimals are eleven metres.
      lat.value = latitude.toFixed(4);
      lon.value = longitude.toFixed(4);
      if (radius.value === "") radius.value = "5";
      said.textContent = "Location filled in but not saved yet.";
      radius.dispatchEvent(new Event("input", { bubbles: true }));
    } catch {
      said.textContent =
        "Your location is not available. Allow it in the browser’s settings, or enter the coordinates.";
    }
    here.disabled = false;
  });
}
