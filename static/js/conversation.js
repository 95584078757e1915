// A conversation on the screen and on paper: printing, copying an answer, and opening what is folded around a note.
"use strict";

(() => {
  document.addEventListener("click", async (event) => {
    if (event.target.closest("[data-print]")) print();
    const button = event.target.closest("[data-copy]");
    if (button) copy(button, document.getElementById(button.dataset.copy));
    const link = event.target.closest('a[href^="#note-"]');
    if (link) unfold(link.hash);
  });

  // The text comes from the server. Where the browser lends no clipboard (without HTTPS), it is shown and selected.
  const copy = async (button, field) => {
    const told = button.parentElement.querySelector("[role=status]");
    const tell = (words) => {
      told.textContent = "";
      setTimeout(() => (told.textContent = words), 50); // said again when it is copied again
    };
    try {
      await navigator.clipboard.writeText(field.value);
      field.hidden = !("stays" in field.dataset);
      tell("Copied");
    } catch {
      field.hidden = false;
      field.focus();
      field.select();
      tell("Press Ctrl + C or ⌘ + C to copy it");
    }
  };

  // Earlier exchanges are fetched when they are opened. Paper, and whoever looks for a note, needs all of them at once:
  // nothing else waits before a page is printed.
  const fetchEarlier = () => {
    for (const one of document.querySelectorAll(".earlier > [data-lazy]")) {
      const request = new XMLHttpRequest();
      request.open("GET", one.getAttribute("hx-get"), false);
      request.setRequestHeader("HX-Request", "true");
      request.send();
      const isElsewhere = new URL(request.responseURL).pathname !== one.getAttribute("hx-get"); // as after signing out
      if (request.status !== 200 || isElsewhere) continue;
      const fold = one.parentElement;
      one.outerHTML = request.responseText;
      htmx.process(fold);
    }
  };

  // A note may be folded away under "Also searched", and that in an earlier exchange.
  const unfold = (hash) => {
    const find = () => hash.length > 1 && document.getElementById(decodeURIComponent(hash.slice(1)));
    if (hash.startsWith("#note-") && !find()) fetchEarlier();
    const sought = find();
    let folded = sought && sought.closest("details:not([open])");
    if (!folded) return;
    for (; folded; folded = folded.parentElement.closest("details:not([open])")) folded.open = true;
    sought.scrollIntoView();
  };
  addEventListener("hashchange", () => unfold(location.hash));
  document.addEventListener("DOMContentLoaded", () => unfold(location.hash));

  // Paper shows the earlier exchanges as well.
  let opened = [];
  addEventListener("beforeprint", () => {
    fetchEarlier();
    opened = [...document.querySelectorAll("details.earlier:not([open])")];
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
  });

  // The question why an answer did not help comes under the thumbs, where the field for questions may cover it.
  document.addEventListener("htmx:afterSettle", (event) => {
    if (!event.target.id?.startsWith("feedback-")) return;
    const menu = event.target.closest(".turn")?.querySelector(".after > .menu");
    if (menu?.open) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
    event.target.querySelector("details[open]")?.scrollIntoView({ block: "nearest" });
  });

  // The menu of an answer opens upwards where there is no room below it.
  document.addEventListener(
    "toggle",
    (event) => {
      const body = event.target.matches(".after > .menu[open]") && event.target.querySelector(".menu-body");
      if (!body) return;
      body.classList.remove("up");
      body.classList.toggle("up", body.getBoundingClientRect().bottom > innerHeight);
    },
    true,
  );

  // A button that is pressed goes with its turn, as that is replaced: then one goes on from the answer, not from the top.
  let held = null;
  const hold = (event) => (held = event.target.closest?.(".turn")?.id);
  document.addEventListener("focusin", hold);
  document.addEventListener("pointerdown", hold);
  document.addEventListener("htmx:afterSettle", () => {
    if (document.activeElement !== document.body || !held) return;
    document.getElementById(held)?.querySelector(".answer").focus({ preventScroll: true });
  });

  // A page asks for news by itself only while somebody looks at it and it waits for some.
  document.addEventListener("htmx:confirm", (event) => {
    const sought = event.target.dataset?.asksFor;
    if (sought && (document.hidden || !document.querySelector(sought))) event.preventDefault();
  });

  // What hovering or focusing [n] shows stays inside the window.
  const keepInside = (event) => {
    const tip = event.target.closest?.(".cite-wrap")?.querySelector(".cite-tip");
    if (!tip) return;
    tip.style.translate = "";
    const beyond = tip.getBoundingClientRect().right - (document.documentElement.clientWidth - 16);
    if (beyond > 0) tip.style.translate = `${-beyond}px`;
  };
  document.addEventListener("mouseover", keepInside);
  document.addEventListener("focusin", keepInside);

  // What hovering or focusing [n] shows goes away on Escape, as it may cover what one reads.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const wrap = document.activeElement.closest(".cite-wrap");
    for (const one of document.querySelectorAll(".cite-wrap:hover")) one.classList.add("dismissed");
    if (wrap) wrap.classList.add("dismissed");
  });
  const forget = (event) => event.target.closest?.(".cite-wrap.dismissed")?.classList.remove("dismissed");
  document.addEventListener("focusout", forget);
  document.addEventListener("mouseout", forget);
})();
