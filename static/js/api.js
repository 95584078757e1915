// The browsable description of the API: Swagger UI on our page, with the session of whoever reads it.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const box = document.getElementById("api");
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
    requestInterceptor: (request) => {
      if (new URL(request.url, location.href).origin === location.origin) request.headers["X-CSRFToken"] = token();
      return request;
    },
  });
});
