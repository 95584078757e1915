// A field that narrows a long list of checkboxes, a checkbox that chooses all, and a button that prints. The pages work
// without this file.
"use strict";

(() => {
  for (const list of document.querySelectorAll("[data-filter]")) {
    const entries = [...list.querySelectorAll("label")].map((label) => label.parentElement);
    if (entries.length < 8) continue;
    const field = document.createElement("input");
    Object.assign(field, { type: "search", placeholder: list.dataset.filter });
    field.setAttribute("aria-label", list.dataset.filter);
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase();
      for (const entry of entries) {
        entry.hidden = !entry.textContent.toLowerCase().includes(words) && !entry.querySelector("input").checked;
      }
    });
    list.before(field);
  }

  for (const button of document.querySelectorAll("[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => print());
  }

  for (const all of document.querySelectorAll("[data-choose-all]")) {
    all.closest("label").hidden = false;
    all.addEventListener("change", () => {
      for (const box of document.querySelectorAll(`[name="${all.dataset.chooseAll}"]`)) box.checked = all.checked;
    });
  }
})();
