/** The page that a browser gets at the addresses where people begin. One file: no script, nothing from elsewhere. */
import { createHash } from 'node:crypto';
import { escapeMarkup } from '../../../shared/escape-markup.js';

/** What the page tells of the server. */
export interface WelcomeFacts {
  /** `application.title` */
  readonly name: string;
  readonly version: string;
  /** `application.instance.name`; empty: none was given. */
  readonly instance: string;
  /** `application.instance.stage`; may be empty. */
  readonly stage: string;
}

const STYLE = `
:root{color-scheme:light dark;--ground:#f4f5f7;--card:#fff;--text:#1c2330;--soft:#5a6475;--line:#dfe3ea;--accent:#2457d6;--on:#fff;--warn:#a3261b}
@media(prefers-color-scheme:dark){:root{--ground:#12151b;--card:#1b2029;--text:#e7eaf0;--soft:#9aa5b8;--line:#303846;--accent:#8ab0ff;--on:#10182a;--warn:#ff9d92}}
*{box-sizing:border-box}
body{margin:0;padding:6vh 1rem 3rem;background:var(--ground);color:var(--text);font:1rem/1.55 system-ui,sans-serif}
main{max-width:46rem;margin:auto}
h1{margin:0;font-size:2rem;letter-spacing:-.02em}
h2{margin:0 0 .6rem;font-size:1.1rem}
p{margin:.5rem 0}
a{color:var(--accent)}
code{font:.9em ui-monospace,monospace;white-space:nowrap}
dl{display:flex;flex-wrap:wrap;gap:.2rem 1.6rem;margin:.6rem 0 1.6rem;color:var(--soft)}
dl div{display:flex;gap:.4rem}
dd{margin:0;color:var(--text)}
.cards{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(19rem,100%),1fr))}
section{padding:1.2rem;background:var(--card);border:1px solid var(--line);border-radius:.7rem}
ul{margin:0;padding:0;list-style:none}
li+li{margin-top:.6rem}
li small,.soft{display:block;color:var(--soft);font-size:.9rem}
label{display:block;margin-bottom:.7rem;font-size:.9rem;color:var(--soft)}
input,button{display:block;width:100%;padding:.55rem .7rem;border-radius:.4rem;font:inherit}
input{margin-top:.2rem;border:1px solid var(--line);background:var(--ground);color:var(--text)}
button{border:0;background:var(--accent);color:var(--on);font-weight:600;cursor:pointer}
input:focus-visible,button:focus-visible,a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.problem{margin:0 0 1rem;padding:.7rem 1rem;border:1px solid var(--warn);border-radius:.5rem;color:var(--warn)}
`;

/** The style is named by its hash, so that nothing else in the page may style it, and nothing at all may run. */
export const WELCOME_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const LINKS: readonly (readonly [href: string, text: string, more: string])[] = [
  ['/svc/', 'Admin UI', 'Shows what the server does, and the objects in it.'],
  ['/svc/openapi/ui/', 'API page', 'Shows the REST interface of your types and lets you try it.'],
  ['/svc/openapi/schema.json', 'OpenAPI document', 'The same for programs. Both need a login.'],
];

/** Texts for what forms send people here with (`/?status=`). */
const PROBLEMS: Readonly<Record<string, string>> = {
  '202': 'This user needs a second step to log in. The <a href="/svc/">Admin UI</a> has it.',
  '401': 'The login was refused. The name or the password is wrong, or the log of the server says why.',
  '403': 'The login was refused: it came from a page of another site.',
  '429': 'Too many attempts to log in. Wait for a minute.',
  '503': 'The server is busy. Try again in a moment.',
};

/** The page as HTML. `status` is that of a form that failed (three digits), or undefined. */
export function welcomePage(facts: WelcomeFacts, status: string | undefined): string {
  const name = escapeMarkup(facts.name);
  const links = LINKS.map(([href, text, more]) => `<li><a href="${href}">${text}</a><small>${more}</small></li>`).join(
    '\n',
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${name}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${name}</h1>
<dl>
<div><dt>Version</dt><dd>${escapeMarkup(facts.version)}</dd></div>
<div><dt>Instance</dt><dd>${instanceOf(facts)}</dd></div>
</dl>
${status === undefined ? '' : `<p class="problem" role="alert">${PROBLEMS[status] ?? `The request failed with status ${status}.`}</p>`}
<div class="cards">
<section>
<h2>Log in</h2>
<form method="post" action="/svc/login">
<input type="hidden" name="target" value="/svc/">
<label>Name <input name="name" autocomplete="username" autocapitalize="none" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Log in and open the Admin UI</button>
</form>
<p class="soft">A new server says in its log, at the start, who can log in first. Forgotten? <code>svc user passwd NAME</code></p>
</section>
<section>
<h2>Go on</h2>
<ul>
${links}
<li>Guide<small><code>README.md</code> and the folder <code>docs</code> of the program. The server does not serve them.</small></li>
</ul>
<p class="soft">Programs send the headers <code>X-User</code> and <code>X-Password</code>, or log in at <code>/svc/rest/login</code>.</p>
<p class="soft">A page with a <code>position</code>, or a file <code>index.html</code> in the top folder, replaces this one at <code>/</code> (<code>docs/pages.md</code>). It stays at <code>/svc</code>.</p>
</section>
</div>
</main>
</body>
</html>
`;
}

function instanceOf({ instance, stage }: WelcomeFacts): string {
  const name = instance === '' ? 'without a name' : escapeMarkup(instance);
  return stage === '' ? name : `${name} (${escapeMarkup(stage)})`;
}
