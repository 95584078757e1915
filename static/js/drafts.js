// What was typed into a plain form (data-draft) outlives the session: a form that is sent when one has been signed out
// meanwhile is kept in this tab, for this person in this school, and filled in again when its page is back.
"use strict";

(() => {
  const KEY = "draft";
  const member = document.body.dataset.member;
  const read = () => {
    try {
      return JSON.parse(sessionStorage.getItem(KEY));
    } catch {
      return null;
    }
  };
  const forget = () => sessionStorage.removeItem(KEY);
  const address = (form) => new URL(form.action, location.href).pathname;
  const values = (form) => [...new FormData(form)].filter(([name, value]) => typeof value === "string" && !hidden(form, name));
  const hidden = (form, name) => form.elements[name]?.type === "hidden";

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.matches("[action$='/accounts/logout/']")) forget();
    if (!form.matches("[data-draft]") || !member) return;
    sessionStorage.setItem(KEY, JSON.stringify({ member, address: address(form), values: values(form), sent: true }));
  });

  const restore = (form, draft) => {
    for (const field of form.elements) {
      if (!field.name || field.type === "hidden") continue;
      const kept = draft.values.filter(([name]) => name === field.name).map(([, value]) => value);
      if (field.type === "checkbox" || field.type === "radio") field.checked = kept.includes(field.value);
      else if (kept.length) field.value = kept[0];
    }
    form.dispatchEvent(new Event("input", { bubbles: true }));
    const told = document.createElement("p");
    told.className = "notice";
    told.setAttribute("role", "status");
    form.before(told);
    told.append("This has not been sent yet. What you had typed is here again.");
  };

  const draft = read();
  if (!draft) return;
  // Without a member this is the page for signing in, or one that says what went wrong: the form has not arrived.
  if (!member) {
    sessionStorage.setItem(KEY, JSON.stringify({ ...draft, sent: false }));
    return;
  }
  const form = [...document.querySelectorAll("form[data-draft]")].find((one) => address(one) === draft.address);
  if (draft.member !== member) forget(); // somebody else's, or of another school
  else if (form) {
    if (JSON.stringify(values(form)) !== JSON.stringify(draft.values)) restore(form, draft);
    forget();
  } else if (draft.sent) forget(); // it has arrived
})();
