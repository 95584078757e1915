// A page on the way to or from a learning platform: what is to be sent is sent by itself (data-send), and what waits for
// another window looks again when the person comes back (data-waits). Without scripts there are buttons.
"use strict";

(() => {
  document.querySelector("form[data-send]")?.submit();
  const waits = document.querySelector("form[data-waits]");
  if (waits) {
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") waits.submit();
    });
  }
})();
