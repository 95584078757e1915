// The question's field: Enter asks, Shift+Enter starts a new line.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  if (!event.target.matches("[data-submit-on-enter]")) return;
  event.preventDefault();
  event.target.form.requestSubmit();
});
