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

  // A message about a request that failed stays in view, wherever the page is scrolled; an open dialog would cover it.
  const signedOut = "You have been signed out. Sign in again in a new tab, then send this once more.";
  const box = document.createElement("div");
  box.id = "told";
  box.setAttribute("role", "alert");
  const tell = (words) => {
    (dialog().open ? dialog() : document.body).append(box);
    if (box.dataset.words === words) return;
    box.dataset.words = words;
    const text = document.createElement("p");
    text.textContent = words;
    const close = document.createElement("button");
    Object.assign(close, { type: "button", className: "link-button", textContent: "Close" });
    close.addEventListener("click", untell);
    box.replaceChildren(text, close);
    if (words !== signedOut) return;
    const link = document.createElement("a");
    Object.assign(link, { href: "/accounts/login/", target: "_blank", rel: "noopener", textContent: "Sign in" });
    text.append(" ", link);
  };
  const untell = () => {
    delete box.dataset.words;
    box.replaceChildren();
  };
  const quiet = (event) => event.detail.elt.closest("[data-quiet]");
  const failed = (words) => (event) => {
    if (!quiet(event)) tell(words); // unless it was only asking how far something is
  };
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (!quiet(event)) untell();
  });

  document.addEventListener("htmx:beforeSwap", (event) => {
    // A form that was not accepted comes back with its reasons and all that was typed.
    if (event.detail.xhr.status === 422 || event.detail.xhr.getResponseHeader("HX-Retarget")) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    }
    // A session that has ended: never the sign-in page inside a fragment, nor in the place of what was typed.
    if (new URL(event.detail.xhr.responseURL, location.href).pathname.startsWith("/accounts/login")) {
      event.detail.shouldSwap = false;
      tell(signedOut);
    }
  });
  document.addEventListener("htmx:sendError", failed("The server could not be reached. Check the connection and try again."));
  document.addEventListener("htmx:responseError", (event) => {
    const { status, responseText } = event.detail.xhr;
    const row = quiet(event) && event.detail.elt.closest(".row");
    if (status === 404 && row) row.remove(); // deleted meanwhile in another window
    const words = {
      403: responseText.includes("data-stale-form") ? signedOut : "You are not allowed to do this.",
      404: "This is not there any more. Reload the page.",
      408: "That took too long to arrive, so it was not stored. Check the connection and send it again.",
      409: "It was changed or deleted at the same moment, so nothing was saved. Reload the page and look again.",
      413: "That is too large to send.",
      503: "The server cannot do this just now: its database or a file cannot be reached, or its disk is full. " +
        "Nothing that was saved is lost. Please try again in a minute; if that does not help, tell whoever runs it.",
    };
    const isInWords = event.detail.xhr.getResponseHeader("Content-Type")?.startsWith("text/plain");
    failed((isInWords && responseText) || words[status] || "Something went wrong on the server. Please try again.")(event);
  });

  // Signing in, in whatever tab, changes the token that forms are sent with; the cookie has the one that counts.
  // Not so a switch of schools: a page of the former school keeps its old token, and what it sends is refused.
  const school = document.body.dataset.school;
  let tabs;
  try {
    tabs = localStorage;
  } catch {
    tabs = null; // browsers refuse it to frames of another site
  }
  if (school) tabs?.setItem("school", school);
  const isOfFormerSchool = () => school && tabs && tabs.getItem("school") !== school;
  const token = () => (isOfFormerSchool() ? undefined : (document.cookie.match(/(?:^|; )csrftoken=([^;]+)/) || [])[1]);
  document.addEventListener("htmx:configRequest", (event) => {
    if (!token()) return;
    event.detail.headers["X-CSRFToken"] = token();
    if (event.detail.parameters.csrfmiddlewaretoken) event.detail.parameters.csrfmiddlewaretoken = token();
  });
  document.addEventListener("submit", (event) => {
    const field = event.target.querySelector("input[name=csrfmiddlewaretoken]");
    if (field && token()) field.value = token();
  });

  // A text that is too long is never cut: its field says so and keeps all of it (data-max-length), and is not sent.
  const mark = (field, id, isTooLong) => {
    const ids = (field.getAttribute("aria-describedby") || "").split(" ").filter(Boolean);
    if (ids.includes(id) === isTooLong) return;
    field.setAttribute("aria-invalid", isTooLong);
    field.setAttribute("aria-describedby", (isTooLong ? [...ids, id] : ids.filter((one) => one !== id)).join(" "));
  };
  const count = (field) => {
    const most = Number(field.dataset.maxLength);
    const length = [...field.value].length;
    const excess = length - most;
    const number = (one) => one.toLocaleString("en");
    const words = excess > 0 ? `At most ${number(most)} characters are possible. Please shorten it.` : "";
    field.setCustomValidity(words);
    mark(field, `count-${field.id}`, Boolean(words));
    let counter = document.getElementById(`count-${field.id}`);
    if (length < most * 0.8 || most < 100 && !words) return counter?.remove();
    if (!counter) {
      counter = document.createElement("p");
      Object.assign(counter, { id: `count-${field.id}`, className: "counter" });
      counter.append(document.createElement("span"), " ", document.createElement("span"));
      counter.firstChild.setAttribute("aria-hidden", "true"); // it would be read with each letter
      counter.lastChild.setAttribute("role", "status");
      (field.closest(".composer form") || field).after(counter);
    }
    counter.classList.toggle("weak", excess > 0);
    counter.firstChild.textContent = `${number(length)} of ${number(most)} characters.`;
    if (counter.lastChild.textContent !== words) counter.lastChild.textContent = words;
  };
  const countAll = () => document.querySelectorAll("[data-max-length]").forEach(count);
  countAll();
  document.addEventListener("input", ({ target }) => {
    if (target.matches("form")) countAll();
    else if (target.dataset.maxLength) count(target);
  });
  document.addEventListener("htmx:afterSettle", countAll);

  // A formula that is wider than the page scrolls, so the keyboard must reach it.
  const reach = () => {
    for (const formula of document.querySelectorAll("math")) {
      if (formula.scrollWidth > formula.clientWidth + 1) formula.setAttribute("tabindex", "0");
      else formula.removeAttribute("tabindex");
    }
  };
  reach();
  addEventListener("resize", reach);
  document.addEventListener("htmx:afterSettle", reach);
})();
