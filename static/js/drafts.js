// What was typed into a form (data-draft) is kept in this tab, for this person in this school, and filled in again when
// its page is back: a question with each letter (data-draft="typed", one for each conversation) until it is sent, any
// other form when it is sent, in case that one has been signed out meanwhile.
"use strict";

(() => {
  let storage;
  try {
    storage = sessionStorage;
  } catch {
    return; // browsers refuse it to frames of another site
  }
  const PREFIX = "draft:";
  const member = document.body.dataset.member;
  const key = (form) => PREFIX + new URL(form.getAttribute("action") || "", location.href).pathname;
  const keys = () => Object.keys(storage).filter((one) => one.startsWith(PREFIX));
  const forget = (one) => storage.removeItem(one);
  const write = (one, draft) => storage.setItem(one, JSON.stringify(draft));
  const read = (one) => {
    try {
      return JSON.parse(storage.getItem(one));
    } catch {
      return null;
    }
  };
  const hidden = (form, name) => form.elements[name]?.type === "hidden";
  const values = (form) => [...new FormData(form)].filter(([name, value]) => typeof value === "string" && !hidden(form, name));
  const keep = (form, state) => {
    if (!member) return;
    const typed = values(form);
    if (typed.some(([, value]) => value.trim())) write(key(form), { member, values: typed, state });
    else forget(key(form));
  };

  document.addEventListener("submit", (event) => {
    const form = event.target;
    const draft = read(key(form));
    if (form.matches("[action$='/accounts/logout/']")) keys().forEach(forget);
    else if (form.matches("[hx-post]")) return; // it stays on this page until it has arrived
    else if (form.matches("[data-draft]")) keep(form, "sent");
    else if (draft && !form.closest(".suggested")) write(key(form), { ...draft, state: "sent" });
  });
  document.addEventListener("input", ({ target }) => target.form?.matches("[data-draft=typed]") && keep(target.form, "typed"));
  document.addEventListener("htmx:afterSettle", () => {
    // It comes back empty when the question has arrived.
    for (const form of document.querySelectorAll("[data-draft=typed][hx-post]")) keep(form, "typed");
  });

  const fill = (form, draft) => {
    for (const field of form.elements) {
      if (!field.name || field.type === "hidden") continue;
      const kept = draft.values.filter(([name]) => name === field.name).map(([, value]) => value);
      if (field.type === "checkbox" || field.type === "radio") field.checked = kept.includes(field.value);
      else if (kept.length) field.value = kept[0];
    }
    form.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const tell = (form) => {
    const told = document.createElement("p");
    told.className = "notice";
    told.setAttribute("role", "status");
    form.before(told);
    told.append("This has not been sent yet. What you had typed is here again.");
  };
  // Of a question that was just sent when its page was loaded again.
  const hasArrived = (draft) => {
    const asked = [...document.querySelectorAll(".turn .question")].at(-1)?.textContent.trim();
    return draft.values.some(([name, value]) => name === "question" && value.trim() === asked);
  };
  const restore = (form, draft) => {
    const isTyped = form.matches("[data-draft=typed]");
    const isFilled = isTyped && [...form.elements].some((field) => field.type === "textarea" && field.defaultValue);
    if (isTyped && hasArrived(draft)) forget(key(form));
    else if (isFilled && draft.state === "sent") keep(form, "typed"); // it was refused
    else if (!isFilled && JSON.stringify(values(form)) !== JSON.stringify(draft.values)) {
      fill(form, draft);
      if (draft.state !== "typed") tell(form);
    }
    if (!isTyped) forget(key(form));
  };

  if (document.querySelector("[data-forgets]")) keys().forEach(forget); // a pupil has left
  // Without a member this is the page for signing in, or one that says what went wrong: the form has not arrived.
  for (const one of keys()) {
    const draft = read(one);
    const form = [...document.querySelectorAll("form[data-draft]")].find((form) => key(form) === one);
    if (!draft || (member && draft.member !== member)) forget(one); // somebody else's, or of another school
    else if (!member) write(one, draft.state === "sent" ? { ...draft, state: "failed" } : draft);
    else if (form) restore(form, draft);
    else if (draft.state === "sent") forget(one); // it has arrived
  }
})();
