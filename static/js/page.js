// What HTML alone cannot do, the same on every page. Each part can fail without breaking a page.
"use strict";

(() => {
  const dialog = () => document.getElementById("dialog");

  // A fragment fetched into #dialog opens it; a link or button marked data-close inside closes it instead of leading on.
  // The focus then returns to what opened it, or to its menu, which has closed meanwhile.
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.target.id !== "dialog" || dialog().open) return;
    const opener = event.detail.requestConfig.elt;
    const menu = opener.closest("details[data-menu]");
    if (menu) menu.open = false;
    dialog().addEventListener("close", () => (menu ? menu.querySelector("summary") : opener).focus(), { once: true });
    dialog().showModal();
  });
  document.addEventListener("click", (event) => {
    const close = event.target.closest("[data-close]");
    if (close && dialog().open && dialog().contains(close)) {
      event.preventDefault();
      dialog().close();
    }
    if (event.target === dialog()) dialog().close();
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });

  // Escape closes an open menu and gives the focus back to what opened it.
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && document.querySelector("details[data-menu][open]");
    if (menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });

  // A session that has ended: show the sign-in page itself, never inside a fragment.
  document.addEventListener("htmx:beforeSwap", (event) => {
    // A form that was not accepted comes back with its reasons and all that was typed.
    if (event.detail.xhr.status === 422) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    }
    if (new URL(event.detail.xhr.responseURL, location.href).pathname.startsWith("/accounts/login")) {
      event.detail.shouldSwap = false;
      location.reload();
    }
  });

  // A request that failed says so, unless it was only asking how far something is.
  const tell = (words) => {
    const list = document.getElementById("messages");
    if (!list) return;
    const item = document.createElement("li");
    item.className = "message error";
    item.textContent = words;
    list.replaceChildren(item);
    item.scrollIntoView({ block: "nearest" });
  };
  const failed = (words) => (event) => {
    if (!event.detail.elt.closest("[data-quiet]")) tell(words);
  };
  document.addEventListener("htmx:sendError", failed("The server could not be reached. Check the connection and try again."));
  document.addEventListener("htmx:responseError", (event) => {
    const status = event.detail.xhr.status;
    const row = event.detail.elt.closest("[data-quiet]") && event.detail.elt.closest(".row");
    if (status === 404 && row) row.remove(); // deleted meanwhile in another window
    const words = { 403: "You may not do this.", 404: "This is not there any more. Reload the page.", 413: "That is too large to send." };
    failed(words[status] || "Something went wrong on the server. Please try again.")(event);
  });
})();
