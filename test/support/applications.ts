/** Two applications that are alike and say which they are in all they answer: whoever reads never sees a mixture of them. */
import { expect } from 'vitest';
import type { Client } from './client.js';
import { getPage } from './pages.js';
import type { TestServer } from './server.js';

export type Mark = 'a' | 'b';

/** How much is in them. */
export interface ApplicationSize {
  /** Types of its own, beside `Thing`, which both have. */
  readonly types: number;
  /** Pages of its own, beside `start`, and elements in each. */
  readonly pages: number;
  readonly elements: number;
  /** Files that both have, and as many of its own. */
  readonly files: number;
  readonly words: number;
}

export const SMALL: ApplicationSize = { types: 8, pages: 4, elements: 20, files: 12, words: 20 };

const VISIBLE = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
const HEX: Readonly<Record<Mark, string>> = { a: 'a', b: 'b' };

/** An id of this kind; of both applications unless there is a mark. */
const id = (kind: string, n: number, mark?: Mark): string =>
  `${kind}${mark === undefined ? 'c' : HEX[mark]}${n.toString(16).padStart(30, '0')}`;
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const own = (mark: Mark, n: number): string => `Only${mark.toUpperCase()}${String(n)}`;

/** The files of the export of one of them. */
export function applicationOf(mark: Mark, size: ApplicationSize): Record<string, unknown> {
  return {
    'deployment.conf': 'visibility-flags-relative-to = parent\nuuid-format = without_dashes\n',
    'schema/schema.json': schemaOf(mark, size),
    'security/grants.json': grantsOf(mark, size),
    'localizations.json': range(size.words).map((n) => ({
      ...{ id: id('1', n, mark), name: `word${String(n)}`, localizedName: said(mark), locale: 'en', ...VISIBLE },
    })),
    'widgets.json': [{ id: id('2', 0), name: 'widget', source: said(mark), ...VISIBLE }],
    'sites.json': [],
    'page-paths.json': [{ id: id('3', 0, mark), name: '/way', page: { id: id('5', 0) }, ...VISIBLE }],
    'templates.json': {},
    'templates/.keep': '',
    'components.json': { [`menu-${id('4', 0)}`]: { id: id('4', 0), ...VISIBLE } },
    [`components/menu-${id('4', 0)}.html`]: `<!-- @svc:public --><nav data-svc-meta-name="menu" data-svc-meta-id="${id('4', 0)}">${said(mark)}</nav>`,
    ...pagesOf(mark, size),
    ...filesOf(mark, size),
  };
}

/** A word that nothing else has. */
const said = (mark: Mark): string => `application-${mark}`;
const MARKS = /application-([ab])/g;

function schemaOf(mark: Mark, { types }: ApplicationSize): object {
  const shown = { type: 'function', readFunction: `{ return '${said(mark)}'; }`, typeHint: 'String' };
  const typeOf = (more: object, views: readonly string[]): object => ({
    type: 'object',
    ...VISIBLE,
    properties: { shown, ...more },
    views: { public: ['id', 'shown', ...views] },
  });
  const definitions: Record<string, object> = {
    Thing: typeOf({ [`text${mark.toUpperCase()}`]: { type: 'string', indexed: true, default: said(mark) } }, [
      `text${mark.toUpperCase()}`,
    ]),
  };
  for (const n of range(types)) definitions[own(mark, n)] = typeOf({ word: { type: 'string' } }, ['word']);
  const source = `{ return '${said(mark)}'; }`;
  return { definitions, methods: [{ name: 'which', source, httpVerb: 'GET', isStatic: true, ...VISIBLE }] };
}

/** Everybody may read, by a permission for anonymous ones and one for users. */
function grantsOf(mark: Mark, { types }: ApplicationSize): object[] {
  const signatures = [
    'Thing',
    '_schema',
    '_schema/Thing',
    'Localization',
    'which',
    ...range(types).map((n) => own(mark, n)),
  ];
  return signatures.flatMap((signature, n) => [
    ...[{ id: id('6', 2 * n, mark), signature, flags: 16, visibleToPublicUsers: true }],
    ...[{ id: id('6', 2 * n + 1, mark), signature, flags: 1, visibleToAuthenticatedUsers: true }],
  ]);
}

function pagesOf(mark: Mark, { pages, elements }: ApplicationSize): Record<string, unknown> {
  const html = (page: number): string => {
    const paragraphs = range(elements).map((n) => {
      const element = id('7', page * 10_000 + n + 10, page === 0 ? undefined : mark);
      return `\t\t<p class="${said(mark)}" data-svc-meta-id="${element}">${said(mark)} \${localize('word${String(n % 5)}')}</p>`;
    });
    const at = (n: number): string => id('7', page * 10_000 + n, page === 0 ? undefined : mark);
    return [
      '<!DOCTYPE html>',
      `<html lang="en" data-svc-meta-id="${at(0)}">`,
      `\t<body data-svc-meta-id="${at(1)}">`,
      `\t\t<ul data-svc-meta-id="${at(2)}"><li data-svc-meta-id="${at(3)}" data-svc-meta-data-key="one" data-svc-meta-function-query="find('Thing')">\${one.shown}</li></ul>`,
      `\t\t<ol data-svc-meta-id="${at(4)}"><li data-svc-meta-id="${at(5)}" data-svc-meta-data-key="one" data-svc-meta-function-query="find('Localization')">\${one.localizedName}</li></ol>`,
      `\t\t<b data-svc-meta-id="${at(6)}">\${call('which')}</b>`,
      `\t\t<svc:component src="menu-${id('4', 0)}" data-svc-meta-id="${at(7)}"></svc:component>`,
      ...paragraphs,
      '\t</body>',
      '</html>',
    ].join('\n');
  };
  const entry = (n: number): object => ({
    ...{ id: id('5', n, n === 0 ? undefined : mark), contentType: 'text/html', ...VISIBLE },
  });
  const named = (n: number): string => (n === 0 ? 'start' : `page-${mark}-${String(n)}`);
  const all = range(pages + 1);
  return {
    'pages.json': Object.fromEntries(all.map((n) => [named(n), entry(n)])),
    ...Object.fromEntries(all.map((n) => [`pages/${named(n)}.html`, html(n)])),
  };
}

function filesOf(mark: Mark, { files }: ApplicationSize): Record<string, unknown> {
  const entries: Record<string, object> = {
    '/app': { id: id('8', 0), type: 'Folder', includeInFrontendExport: true, ...VISIBLE },
  };
  const contents: Record<string, string> = {};
  const add = (path: string, file: string, n: number): void => {
    entries[path] = { id: file, type: 'File', isTemplate: false, contentType: 'text/plain', ...VISIBLE };
    contents[`files${path}`] = `${said(mark)} ${path}\n`.repeat(1 + ((n * 7919) % 4000));
  };
  for (const n of range(files)) {
    add(`/app/both-${String(n)}.txt`, id('8', n + 1), n);
    add(`/app/only-${mark}-${String(n)}.txt`, id('9', n + 1, mark), n);
  }
  return { 'files.json': entries, ...contents };
}

/** Which application an answer is of; undefined: it says nothing of any. Throws when it is of both. */
export function markIn(text: string): Mark | undefined {
  const found = new Set([...text.matchAll(MARKS)].map(([, mark]) => mark as Mark));
  for (const [, letter = ''] of text.matchAll(/\b(?:Only(?=[AB]\d)|text)([AB])(?:\d|\b)/g))
    found.add(letter.toLowerCase() as Mark);
  if (found.size > 1) {
    const order = [...text.matchAll(MARKS)].map(([, mark]) => mark).join('');
    const runs = order.replace(/(.)\1*/g, (run) => `${String(run.length)}${run[0] ?? ''} `);
    throw new Error(`an answer is of both applications: ${runs}\n${text.slice(0, 500)}`);
  }
  return [...found][0];
}

/** A question whose answers tell which application they are of. */
export interface Question {
  readonly what: string;
  readonly ask: (client: Client) => Promise<{ readonly status: number; readonly text: string }>;
}

const rest = (path: string): Question => ({ what: path, ask: (client) => client.get(path) });
const site = (path: string): Question => ({ what: path, ask: (client) => getPage(client, path) });

/** What anybody may ask. */
export const QUESTIONS: readonly Question[] = [
  site('/start'),
  rest('/Thing'),
  rest('/_schema'),
  rest('/_schema/Thing/public'),
  rest('/which'),
  rest('/Localization'),
  site('/app/both-0.txt'),
  site('/app/both-3.txt'),
  site('/way'),
];

/** The server has exactly this application, for everybody. */
export async function isWhole(server: TestServer, mark: Mark, size: ApplicationSize): Promise<void> {
  const other: Mark = mark === 'a' ? 'b' : 'a';
  const nobody = server.as();
  for (const { what, ask } of QUESTIONS) {
    const { status, text } = await ask(nobody);
    expect([what, status, markIn(text)], text.slice(0, 500)).toEqual([what, 200, mark]);
  }
  const start = (await getPage(nobody, '/start')).text;
  expect(start.match(MARKS)).toHaveLength(3 * size.elements + 3 + size.words);
  for (const [one, status] of [
    [mark, 200],
    [other, 404],
  ] as const) {
    expect((await server.admin.get(`/${own(one, size.types - 1)}`)).status).toBe(status);
    if (size.pages > 0) expect((await getPage(nobody, `/page-${one}-1`)).status).toBe(status);
  }
  for (const [path, text] of Object.entries(applicationOf(mark, size))) {
    if (!path.startsWith('files/')) continue;
    const answer = await getPage(nobody, path.slice('files'.length));
    expect([path, answer.status, answer.text === text]).toEqual([path, 200, true]);
  }
}
