/**
 * Loads the page again if the network lost one of its files: Chromium closes all connections when a network interface
 * appears, as with every start of a container. A classic script, because it must not depend on other files.
 */
addEventListener(
  "error",
  (event) => {
    if (!(event.target instanceof HTMLElement)) {
      return;
    }
    const reloads = Number(sessionStorage.getItem("mooring.reloads") || 0);
    if (reloads < 5) {
      sessionStorage.setItem("mooring.reloads", String(reloads + 1));
      setTimeout(() => location.reload(), 500);
    } else {
      document.getElementById("app").textContent = "Failed to load the files of this page. Reload it to try again.";
    }
  },
  true,
);
