// The browsable description of the API: Swagger UI on our page, with the session of whoever reads it.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const box = document.getElementById("api");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const dress = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", dress);
  dress();
  const token = () => (document.cookie.match(/(?:^|; )csrftoken=([^;]+)/) || [])[1] || "";
  SwaggerUIBundle({
    url: box.dataset.schema,
    domNode: box,
    presets: [SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    showMutatedRequest: false, // the shown curl command is for programs, without the token of this page
    requestInterceptor: (request) => {
      if (new URL(request.url, location.href).origin === location.origin) request.headers["X-CSRFToken"] = token();
      return request;
    },
  });
});
