// Where a conversation stands in the window: the exchange just asked comes to the top, and the page follows the answer
// that is being written until its reader scrolls up. "Back" leads to the very spot that was left.
"use strict";

(() => {
  const turns = document.getElementById("turns");
  if (!turns) return;
  const root = document.documentElement;
  const last = () => turns.querySelector(":scope > .turn:last-of-type");
  const answer = () => last()?.querySelector(".answer");
  const isWriting = () => Boolean(last()?.querySelector(".answer.writing"));
  const composer = () => document.querySelector("#composer form");
  const jump = () => document.querySelector("[data-jump]");

  const ROOM = 56; // pixels kept free below what is being written, for its Stop button
  const SETTLED = 1000; // milliseconds without growth after which a finished answer is followed no longer
  let following = false;
  let ending;
  let awaited = false; // an answer was being written here that its reader has not gone to yet
  let at = scrollY;
  let height = root.scrollHeight;

  const bottom = () => (composer() ? composer().getBoundingClientRect().top : innerHeight) - ROOM;
  const below = () => (answer() ? answer().getBoundingClientRect().bottom - bottom() : 0);
  const scrollTo = (top) => {
    window.scrollTo({ top, behavior: "instant" });
    note();
  };
  const note = () => {
    at = scrollY;
    height = root.scrollHeight;
  };

  const showJump = () => {
    if (!jump()) return;
    const away = isWriting() ? below() > 0 : answer()?.getBoundingClientRect().top > bottom();
    if (!isWriting() && !away) awaited = false;
    jump().hidden = following || !awaited || !away;
  };
  const follow = () => {
    if (following && below() > 0) scrollTo(scrollY + below());
    else note();
    clearTimeout(ending);
    if (following && !isWriting()) ending = setTimeout(rest, SETTLED); // its notes are on their way
    showJump();
  };
  const rest = () => {
    following &&= isWriting();
    showJump();
  };

  // The exchange at the top of the window.
  const show = () => last()?.scrollIntoView({ block: "start", behavior: "instant" });
  const begin = () => {
    following = awaited = isWriting();
    show();
    follow();
  };

  const growth = new ResizeObserver(follow);
  const watch = () => {
    growth.disconnect();
    if (answer()) growth.observe(answer());
  };
  new MutationObserver(watch).observe(turns, { childList: true });
  watch();

  // Scrolling up ends the following, unless the page has become shorter; coming back to its end begins it again.
  addEventListener(
    "scroll",
    () => {
      if (scrollY < at - 1 && root.scrollHeight >= height) following = false;
      else if (scrollY > at && isWriting() && below() <= 0) following = true;
      note();
      showJump();
    },
    { passive: true },
  );
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-jump]")) return;
    following = isWriting();
    if (following) follow();
    else show();
    awaited = following;
    answer()?.focus({ preventScroll: true });
    showJump();
  });

  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id === "turns") begin();
  });

  // Where the reader was, and which earlier exchanges were open.
  const KEY = `spot:${location.pathname}`;
  let storage;
  try {
    storage = sessionStorage;
  } catch {
    storage = null; // browsers refuse it to frames of another site
  }
  const folds = () => [...turns.querySelectorAll("details:not(.earlier details)")];
  addEventListener("pagehide", () => {
    const open = folds().map((one) => one.open);
    storage?.setItem(KEY, JSON.stringify({ open, top: scrollY }));
  });
  const returnTo = ({ open, top }) => {
    if (open.length === folds().length) folds().forEach((one, index) => (one.open = open[index]));
    for (const one of turns.querySelectorAll(".earlier[open]")) {
      one.addEventListener("htmx:afterSettle", () => scrollTo(top), { once: true }); // what it holds is on its way
    }
    scrollTo(top);
    following = awaited = isWriting() && below() <= 0;
  };
  document.addEventListener("DOMContentLoaded", () => {
    const [visit] = performance.getEntriesByType("navigation");
    const spot = ["back_forward", "reload"].includes(visit?.type) && storage?.getItem(KEY);
    if (spot) {
      returnTo(JSON.parse(spot));
      addEventListener("load", () => returnTo(JSON.parse(spot)));
    } else if (location.hash) following = awaited = isWriting();
    else if (isWriting() || turns.querySelectorAll(".turn").length > 1) begin();
  });
})();
