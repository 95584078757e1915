// Files and folders dropped on an upload form, how far sending them is, and choosing all documents of a list. Without this
// file the forms work by their picker and their checkboxes.
"use strict";

(() => {
  const zone = (event) => event.target.closest && event.target.closest("[data-drop]");
  const holdsFiles = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
  // A form that sends what is chosen, without a press on its button, unless a textbook's title is to be written first.
  const isSentAtOnce = (form) => "atOnce" in form.dataset && !form.querySelector(".as-textbook").open;
  const input = (form) => form.querySelector("input[type=file][name]");

  // Of a folder only those files are taken that can be read; which others it has is told, here and after sending.
  const mostEntries = 5000;
  const mostNamed = 8;
  const isHidden = (path) => path.split("/").some((name) => /^(\.|~\$|__MACOSX$|Thumbs\.db$|desktop\.ini$)/i.test(name));
  const canBeRead = (form, name) => input(form).accept.split(",").some((ending) => name.toLowerCase().endsWith(ending));

  const filesIn = async (entry, found) => {
    if (found.length >= mostEntries || isHidden(entry.name)) {
      found.hidden += isHidden(entry.name);
      return;
    }
    if (entry.isFile) {
      found.push(await new Promise((resolve, reject) => entry.file(resolve, reject)));
      return;
    }
    const reader = entry.createReader();
    let some;
    do {
      some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject)); // at most 100 at once
      for (const inner of some) await filesIn(inner, found);
    } while (some.length && found.length < mostEntries);
  };

  const tellLeftOut = (form, words) => {
    form.querySelector("[data-left-out]").textContent = words;
    form.querySelector("input[name=left_out]").value = words;
  };

  const leftOut = (names, hidden) => {
    const named = names.slice(0, mostNamed).map((name) => `“${name}”`);
    const more = names.length - named.length;
    const parts = [...named, ...(more ? [`${more} more`] : []), ...(hidden ? [`${hidden} hidden`] : [])];
    return parts.length ? `Left out of the folder, because they cannot be read or are hidden: ${parts.join(", ")}.` : "";
  };

  const choose = (form, files) => {
    input(form).files = files;
    input(form).dispatchEvent(new Event("change", { bubbles: true }));
  };

  // Puts the files of a folder into the picker. Whether there are any.
  const take = (form, files, hidden) => {
    const taken = new DataTransfer();
    const others = [];
    for (const file of files) {
      if (canBeRead(form, file.name)) taken.items.add(file);
      else others.push(file.name);
    }
    const words = leftOut(others.sort(), hidden);
    tellLeftOut(form, taken.files.length ? words : `There is no file in this folder that can be read. ${words}`);
    choose(form, taken.files);
    return taken.files.length > 0;
  };

  const takeEntries = async (form, entries) => {
    const found = Object.assign([], { hidden: 0 });
    try {
      for (const entry of entries) await filesIn(entry, found);
    } catch {
      tellLeftOut(form, "The folder could not be read. Choose its files instead.");
      return false;
    }
    return take(form, found, found.hidden);
  };

  const showHints = () => {
    for (const hint of document.querySelectorAll("[data-drop-hint], [data-folder]")) hint.hidden = false;
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
    const send = () => form.dataset.drop === "send" && !isSentAtOnce(form) && form.requestSubmit();
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry && item.webkitGetAsEntry());
    if (entries.some((entry) => entry && entry.isDirectory)) {
      takeEntries(form, entries.filter(Boolean)).then((has) => has && send());
      return;
    }
    tellLeftOut(form, "");
    choose(form, event.dataTransfer.files);
    send();
  });

  // A folder that is chosen: its files go to the picker, which has a name and is sent.
  document.addEventListener("change", (event) => {
    const form = event.target.matches("[data-drop] [data-folder] input") && zone(event);
    if (!form) return;
    const files = [...event.target.files];
    const shown = files.filter((file) => !isHidden(file.webkitRelativePath));
    if (files.length) take(form, shown, files.length - shown.length);
    event.target.value = "";
  });

  // More files than the server takes at once are refused before they are sent. Some forms send what was chosen.
  document.addEventListener("change", (event) => {
    const form = event.target.matches("[data-drop] input[type=file][name]") && zone(event);
    if (!form) return;
    const most = Number(event.target.dataset.most);
    const count = event.target.files.length;
    event.target.setCustomValidity(count > most ? `These are ${count} files; at most ${most} can be sent at once.` : "");
    if (count && isSentAtOnce(form)) form.requestSubmit();
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
