// Files dropped on an upload form, and how far sending them is. Without this file the forms work by their picker.
"use strict";

(() => {
  const zone = (event) => event.target.closest && event.target.closest("[data-drop]");
  const holdsFiles = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
  const input = (form) => form.querySelector("input[type=file]");

  const showHints = () => {
    for (const hint of document.querySelectorAll("[data-drop-hint]")) hint.hidden = false;
  };
  showHints();
  document.addEventListener("htmx:afterSettle", showHints);

  document.addEventListener("dragover", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault(); // also beside the form: a file dropped there must not replace the page
    const form = zone(event);
    if (form) form.classList.add("over");
    else event.dataTransfer.dropEffect = "none";
  });
  document.addEventListener("dragleave", (event) => {
    const form = zone(event);
    if (form && !form.contains(event.relatedTarget)) form.classList.remove("over");
  });
  document.addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    const form = zone(event);
    if (!form) return;
    form.classList.remove("over");
    input(form).files = event.dataTransfer.files;
    input(form).dispatchEvent(new Event("change", { bubbles: true }));
    if (form.dataset.drop === "send") form.requestSubmit();
  });

  // More files than the server takes at once are refused before they are sent.
  document.addEventListener("change", (event) => {
    const form = event.target.matches("[data-drop] input[type=file]") && zone(event);
    if (!form) return;
    const most = Number(event.target.dataset.most);
    const count = event.target.files.length;
    event.target.setCustomValidity(count > most ? `These are ${count} files; at most ${most} can be sent at once.` : "");
  });

  document.addEventListener("htmx:xhr:progress", (event) => {
    const bar = event.target.matches("[data-drop]") && event.target.querySelector("progress");
    if (!bar || !event.detail.lengthComputable) return;
    bar.hidden = false;
    bar.value = event.detail.loaded / event.detail.total;
  });
})();
