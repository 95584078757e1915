"use strict";

// The text of an answer as it comes: "text" is all of it so far, "token" what is added. Plain text, never HTML; the
// finished answer arrives rendered. (Swapping by htmx would lose tokens that come before it has settled.)
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
  if (message.type === "text") event.target.parentElement.querySelector("[sse-swap^=away]")?.replaceChildren(); // it is back
  if (message.type === "text" && (message.data || !event.target.querySelector(".answer-state"))) {
    event.target.textContent = message.data;
  } else if (message.type === "token") {
    event.target.querySelector(".answer-state")?.remove();
    event.target.append(message.data);
  }
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

// The question's field: Enter asks, Shift+Enter starts a new line.

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  if (!event.target.matches("[data-submit-on-enter]")) return;
  event.preventDefault();
  event.target.form.requestSubmit();
});

