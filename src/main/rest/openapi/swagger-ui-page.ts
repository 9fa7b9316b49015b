/** The page around Swagger UI. Script and style are files of their own, so that the page needs no inline script. */

export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>REST interface</title>
<link rel="icon" type="image/png" href="favicon-32x32.png" sizes="32x32">
<link rel="icon" type="image/png" href="favicon-16x16.png" sizes="16x16">
<link rel="stylesheet" href="swagger-ui.css">
<link rel="stylesheet" href="page.css">
</head>
<body>
<form id="sign-in" hidden>
<p id="problem" role="alert"></p>
<label>User name <input id="name" autocomplete="username" required></label>
<label>Password <input id="password" type="password" autocomplete="current-password" required></label>
<button>Show the interface</button>
</form>
<div id="swagger-ui"></div>
<noscript>This page needs JavaScript. The document itself is <a href="../schema.json">schema.json</a>.</noscript>
<script src="swagger-ui-bundle.js"></script>
<script src="start.js"></script>
</body>
</html>
`;

export const STYLE = `body { margin: 0; }
#sign-in { max-width: 20rem; margin: 4rem auto; font-family: sans-serif; }
#sign-in[hidden] { display: none; }
#sign-in label { display: block; margin-bottom: 1rem; }
#sign-in input { display: block; box-sizing: border-box; width: 100%; padding: 0.4rem; }
#problem { color: #b00020; min-height: 1.2em; }
`;

/**
 * Fetches the document and shows it. Where that is refused it asks for a name and a password, which stay in the memory of
 * the page and go to this server only.
 */
export const SCRIPT = `'use strict';
(() => {
  const source = '../schema.json';
  const element = (id) => document.getElementById(id);
  let credentials = {};

  const show = (spec) => {
    element('sign-in').hidden = true;
    SwaggerUIBundle({
      spec,
      dom_id: '#swagger-ui',
      deepLinking: true,
      docExpansion: 'none',
      defaultModelsExpandDepth: 0,
      validatorUrl: null,
      requestInterceptor: (request) => {
        if (new URL(request.url, location.href).origin === location.origin) {
          request.headers = { ...credentials, ...request.headers };
        }
        return request;
      },
    });
  };

  const load = async () => {
    const answer = await fetch(source, { headers: credentials });
    if (answer.ok) {
      show(await answer.json());
      return;
    }
    const asked = Object.keys(credentials).length > 0;
    element('problem').textContent =
      answer.status !== 401 ? 'The server answered ' + answer.status + '.' : asked ? 'Wrong name or password, or no permission.' : '';
    element('sign-in').hidden = false;
  };

  const start = () => {
    load().catch((error) => {
      element('problem').textContent = String(error);
      element('sign-in').hidden = false;
    });
  };

  element('sign-in').addEventListener('submit', (event) => {
    event.preventDefault();
    credentials = { 'X-User': element('name').value, 'X-Password': element('password').value };
    start();
  });
  start();
})();
`;
