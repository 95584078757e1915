// Files dropped on an upload form, how far sending them is, and choosing all documents of a list. Without this file the
// forms work by their picker and their checkboxes.
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

  // How far sending is, and about how long the rest takes, in the words of corpus/progress.py. A small file is sent
  // before there is a pace to tell.
  const began = new WeakMap();
  const inWords = (seconds) => {
    if (seconds < 15) return "a few seconds left";
    if (seconds < 45) return "less than a minute left";
    const minutes = Math.max(Math.round(seconds / 60), 1);
    return `about ${minutes} minute${minutes === 1 ? "" : "s"} left`;
  };
  const sending = (form, share, words) => {
    const bar = form.querySelector("[data-sending] progress");
    bar.parentElement.hidden = share === null;
    if (share === 1) bar.removeAttribute("value"); // everything is sent, and the server stores it
    else bar.value = share || 0;
    bar.previousElementSibling.textContent = words;
  };
  const drop = (event) => event.target.matches("[data-drop]") && event.target;
  document.addEventListener("htmx:xhr:loadstart", (event) => {
    if (drop(event)) began.set(event.target, performance.now());
  });
  document.addEventListener("htmx:xhr:progress", (event) => {
    const form = drop(event);
    if (!form || !event.detail.lengthComputable || !event.detail.total) return;
    const share = event.detail.loaded / event.detail.total;
    const passed = (performance.now() - began.get(form)) / 1000;
    const left = passed < 3 || !share ? "" : `, ${inWords((passed * (1 - share)) / share)}`;
    sending(form, share, share === 1 ? "Sent. Your files are being stored" : `Sending: ${Math.floor(100 * share)}%${left}`);
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (drop(event)) sending(event.target, null, "");
  });

  // The checkbox of all, and how many are chosen.
  const boxes = () => [...document.querySelectorAll('.selectable input[name="documents"]')];
  const all = () => document.querySelector("[data-select-all]");
  const count = () => {
    const told = document.querySelector("[data-selected-count]");
    if (!all() || !told) return;
    const chosen = boxes().filter((box) => box.checked).length;
    const box = all().querySelector("input");
    all().hidden = false;
    box.checked = chosen > 0 && chosen === boxes().length;
    box.indeterminate = chosen > 0 && !box.checked;
    told.textContent = `${chosen} document${chosen === 1 ? "" : "s"} chosen`;
  };
  count();
  document.addEventListener("htmx:afterSettle", count);
  document.addEventListener("change", (event) => {
    if (event.target.closest("[data-select-all]")) for (const box of boxes()) box.checked = event.target.checked;
    if (event.target.closest("[data-select-all], .selectable")) count();
  });
})();
