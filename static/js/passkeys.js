// Passkeys: what the browser keeps and the server checks. A form marked data-passkey sends what the browser answers.
// And recovery codes, saved as a file.
"use strict";

(() => {
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const known = (list) => (list || []).map((one) => ({ ...one, id: bytes(one.id) }));

  const create = async ({ publicKey }) => {
    const { user, challenge, excludeCredentials, authenticatorSelection } = publicKey;
    const made = await navigator.credentials.create({
      publicKey: {
        ...publicKey,
        challenge: bytes(challenge),
        user: { ...user, id: bytes(user.id) },
        excludeCredentials: known(excludeCredentials),
        // One that signs in on its own, where the device can keep it.
        authenticatorSelection: { ...authenticatorSelection, residentKey: "preferred", requireResidentKey: false },
      },
    });
    const { clientDataJSON, attestationObject } = made.response;
    const transports = made.response.getTransports ? made.response.getTransports() : [];
    return answer(made, { clientDataJSON: text(clientDataJSON), attestationObject: text(attestationObject), transports });
  };

  const get = async ({ publicKey }) => {
    const { challenge, allowCredentials } = publicKey;
    const given = await navigator.credentials.get({
      publicKey: { ...publicKey, challenge: bytes(challenge), allowCredentials: known(allowCredentials) },
    });
    const { clientDataJSON, authenticatorData, signature, userHandle } = given.response;
    const response = { clientDataJSON, authenticatorData, signature };
    for (const name of Object.keys(response)) response[name] = text(response[name]);
    return answer(given, { ...response, userHandle: userHandle ? text(userHandle) : null });
  };

  const answer = (credential, response) => ({
    id: credential.id,
    rawId: text(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment,
    clientExtensionResults: credential.getClientExtensionResults(),
    response,
  });

  const optionsOf = async (form) => {
    const written = form.dataset.options && JSON.parse(document.getElementById(form.dataset.options).textContent);
    if (written) return written.creation_options || written.request_options;
    const response = await fetch(form.action, { headers: { Accept: "application/json" } });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return (await response.json()).request_options;
  };

  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("form[data-passkey]");
    if (!form) return;
    if (form.dataset.answered) {
      delete form.dataset.answered;
      return;
    }
    event.preventDefault();
    const told = form.querySelector("[role=status]");
    told.textContent = "";
    if (!window.PublicKeyCredential) {
      told.textContent = "This browser offers no passkeys at this address.";
      return;
    }
    try {
      const options = await optionsOf(form);
      const credential = await (form.dataset.passkey === "create" ? create : get)(options);
      form.elements.credential.value = JSON.stringify(credential);
      form.dataset.answered = "yes";
      form.requestSubmit();
    } catch (problem) {
      const refused = problem.name === "NotAllowedError";
      const there = problem.name === "InvalidStateError";
      told.textContent = there
        ? "This device has a passkey for your account already."
        : refused
          ? "No passkey was used. Try again when you are ready."
          : "That did not work. Reload the page and try again.";
    }
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-save]");
    if (!button) return;
    const lines = [...document.getElementById(button.dataset.save).querySelectorAll("code")].map((one) => one.textContent);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([`${[button.dataset.about, ...lines].join("\n")}\n`], { type: "text/plain" }));
    link.download = button.dataset.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
})();
