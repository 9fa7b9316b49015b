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
<details id="hint" hidden>
<summary>How to add types to this page</summary>
<p>A type is here when its <code>includeInOpenAPI</code> is true. Set it when you define the type, or later:</p>
<pre>POST /svc/rest/SchemaNode {"name": "Task", "includeInOpenAPI": true}
PATCH /svc/rest/SchemaNode [{"id": "&lt;id of the type&gt;", "includeInOpenAPI": true}]</pre>
<p>Methods and functions have the same property. <code>tags</code> name the groups in which they are shown. Load this page again to see them.</p>
<p>A list that is tried here without <code id="size-name">_pageSize</code> has <span id="size"></span> objects at most. Other clients get all of them.</p>
</details>
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
#hint { max-width: 1420px; margin: 1rem auto; padding: 0.8rem 1.2rem; box-sizing: border-box; border: 1px solid #ccd; border-radius: 6px; background: #f7f9ff; font: 1rem/1.5 sans-serif; }
#hint[hidden] { display: none; }
#hint summary { cursor: pointer; font-weight: bold; }
#hint pre { overflow-x: auto; padding: 0.6rem; background: #fff; }
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
  // Of a list nobody asked a number of: a page can show no more, and all of it could be millions.
  const MOST = 100;
  const ALWAYS_THERE = ['session', 'maintenance'];
  let credentials = {};

  // The paths of lists, as the document describes them.
  const listsOf = (spec) => {
    const takesPages = (operation) =>
      operation?.parameters?.some(({ $ref }) => $ref === '#/components/parameters/pageSize') === true;
    return Object.entries(spec.paths)
      .filter(([, item]) => takesPages(item.get))
      .map(([path]) => path);
  };

  const limited = (url, lists, name) => {
    const asked = new URL(url, location.href);
    const path = decodeURIComponent(asked.pathname);
    if (asked.searchParams.has(name) || !lists.some((list) => path.endsWith('/svc/rest' + list))) return url;
    asked.searchParams.set(name, String(MOST));
    return asked.href;
  };

  const show = (spec) => {
    const lists = listsOf(spec);
    const sizeName = spec.components.parameters.pageSize.name;
    element('sign-in').hidden = true;
    element('size').textContent = String(MOST);
    element('size-name').textContent = sizeName;
    element('hint').hidden = false;
    element('hint').open = !spec.tags.some(({ name }) => !ALWAYS_THERE.includes(name));
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
          if ((request.method ?? 'GET') === 'GET') request.url = limited(request.url, lists, sizeName);
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
