"use strict";

// The text of an answer as it comes, rendered by the server: finished blocks, which stay, and after them the one that is
// being written. Reasoning is plain text. (Swapping by htmx would lose pieces that come before it has settled.)
document.addEventListener("htmx:sseBeforeMessage", (event) => {
  if (!event.target.matches("[data-stream]")) return;
  event.preventDefault();
  const message = event.detail;
  if (message.type.startsWith("reasoning")) {
    if (message.type === "reasoning") event.target.replaceChildren();
    event.target.append(message.data);
    event.target.parentElement.hidden = false;
    return;
  }
  event.target.parentElement.querySelector("[sse-swap^=away]")?.replaceChildren(); // it is back
  const { anew, finished, unfinished } = JSON.parse(message.data);
  const [blocks, last] = event.target.querySelectorAll(".blocks, .last-block");
  if (anew) blocks.replaceChildren();
  if (finished || unfinished) event.target.querySelector(".answer-state")?.remove();
  blocks.insertAdjacentHTML("beforeend", finished);
  const fresh = last.cloneNode(); // an element that moved would count as a shift of the page
  fresh.innerHTML = unfinished;
  last.replaceWith(fresh);
});

// Where there is no room for the sources beside it, the answer that is awaited tells that they have been found.
document.addEventListener("htmx:sseMessage", (event) => {
  const state = event.detail.type === "sources" && event.target.closest(".turn")?.querySelector(".answer-state");
  const found = state && event.target.querySelectorAll(".note").length;
  if (found) state.textContent = `Reading ${found} passage${found > 1 ? "s" : ""}…`;
});

// Many ask at once: how many others come first.
document.addEventListener("htmx:sseBeforeMessage", (event) => {
  if (event.detail.type !== "queued") return;
  event.preventDefault();
  const state = event.target.closest(".answer").querySelector(".answer-state");
  if (state) state.textContent = event.detail.data;
});

// After a fault of the server the browser would connect again and again: the words that came say what to do instead.
document.addEventListener("htmx:sseMessage", (event) => {
  if (event.detail.type !== "fault") return;
  event.detail.target.close();
  const answer = event.target.closest(".answer");
  answer.querySelector(".answer-state")?.remove();
  answer.classList.remove("writing");
  answer.removeAttribute("aria-busy");
});

// The question's field: Enter asks, Shift+Enter starts a new line. An Enter that confirms a word of an input method does
// neither; in Safari it comes after the end of the composition, and only its key code (229) tells.

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  if (!event.target.matches("[data-submit-on-enter]")) return;
  event.preventDefault();
  event.target.form.requestSubmit();
});

