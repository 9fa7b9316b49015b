/**
 * Visitors of many pages of many sites, while these are edited: what each of them gets is one state of the page that he has asked for, at his site, with what is his
 * (docs/design/pages.md 3). For a few pages and for a thousand.
 */
import { Agent, request } from 'node:http';
import { expect } from 'vitest';
import type { Client } from '../../support/client.js';
import { allow } from '../../support/permissions.js';
import type { TestServer } from '../../support/server.js';

const USERS = ['anna', 'bert'] as const;
const SHOWN = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
/** Requests for a page at once. */
const AT_ONCE = 10;
/** Editors at once; their number divides that of the pages. */
const EDITORS = 4;
/** Pages that are asked for at once. */
const PAGES_AT_ONCE = 4;

interface CrowdPage {
  readonly host: string;
  readonly name: string;
  readonly first: string;
  readonly parent: string;
  /** Is taken away by each edit, and another one comes. */
  second: string;
  /** Its edit is answered. */
  committed: number;
  /** Its edit is sent. */
  begun: number;
}

interface Visitor {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Crowd {
  readonly requests: number;
  readonly edits: number;
  readonly seconds: number;
}

/** Asks for each page of each site ten times at once, and again until there were so many edits; throws for the first visitor who sees what he must not. */
export async function crowd(
  server: TestServer,
  sites: number,
  pagesOfSite: number,
  leastEdits: number,
): Promise<Crowd> {
  const { admin } = server;
  await allow(admin, '_login', 'anonymous', ['POST']);
  const users: string[] = [];
  for (const name of USERS) users.push(await admin.create('User', { name, password: `Pass-of-${name}-1` }));
  const source = `{
    const p = $.args;
    const first = $.find('Content', p.first);
    first.content = p.text;
    $.delete($.find('Content', p.second));
    return $.create('Content', { content: p.text, parent: $.find('DOMNode', p.parent), visibleToPublicUsers: true, visibleToAuthenticatedUsers: true }).id;
  }`;
  await admin.create('SchemaMethod', { name: 'edit', source });
  const pages: CrowdPage[] = [];
  for (let n = 0; n < sites; n++) {
    const host = `site${String(n)}.example`;
    const site = await admin.create('Site', { name: host, hostname: host });
    pages.push(...(await makePages(admin, host, site, pagesOfSite, users)));
  }
  const visitors: Visitor[] = [{ name: '', headers: {} }];
  for (const name of USERS) {
    const { headers } = await server.as(name, `Pass-of-${name}-1`).loggedIn();
    visitors.push({ name, headers });
  }
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE * PAGES_AT_ONCE });
  const begun = performance.now();
  let [requests, edits, next] = [0, 0, 0];
  const editing = new AbortController();
  /** Those that are being asked for, mostly; each editor has pages of his own. */
  const editor = async (which: number): Promise<void> => {
    for (let n = 0; !editing.signal.aborted; n++) {
      const near = next + (n % (2 * PAGES_AT_ONCE));
      const page = pages[(near - (near % EDITORS) + which) % pages.length];
      if (page === undefined) return;
      await edit(admin, page);
      edits++;
    }
  };
  const visiting = async (): Promise<void> => {
    while (next < pages.length || edits < leastEdits) {
      const page = pages[next++ % pages.length];
      if (page === undefined) return;
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, i) => {
          await look(server, agent, page, visitors[i % visitors.length] ?? { name: '', headers: {} });
          requests++;
        }),
      );
    }
  };
  const editors = Promise.all(Array.from({ length: EDITORS }, (_, which) => editor(which)));
  try {
    await Promise.all(Array.from({ length: PAGES_AT_ONCE }, visiting));
  } finally {
    editing.abort();
    await editors;
    agent.destroy();
  }
  return { requests, edits, seconds: (performance.now() - begun) / 1000 };
}

/** What a page says, twice. */
const textOf = ({ host, name }: Pick<CrowdPage, 'host' | 'name'>, version: number): string =>
  `[${host} ${name} ${String(version)}]`;

async function makePages(
  admin: Client,
  host: string,
  site: string,
  count: number,
  users: readonly string[],
): Promise<CrowdPage[]> {
  const secrets = USERS.map((name, i) => ({
    type: 'Content',
    name: 'secret',
    content: `[of ${name}]`,
    visibleToPublicUsers: false,
    visibleToAuthenticatedUsers: false,
    grantees: [{ id: users[i], allowed: ['read'] }],
  }));
  const inputs = Array.from({ length: count }, (_, n) => {
    const name = `p${String(n)}`;
    const text = (child: string): object => ({
      type: 'Content',
      name: child,
      content: textOf({ host, name }, 0),
      ...SHOWN,
    });
    // Of each kind: nothing but texts, kept by the server, with scripts.
    const me = n % 3 === 2 ? [{ type: 'Content', name: 'me', content: '[me ${me.name}]', ...SHOWN }] : [];
    const body = {
      type: 'Body',
      tag: 'body',
      name: 'body',
      ...SHOWN,
      children: [text('first'), ...secrets, ...me, text('second')],
    };
    const html = { type: 'Html', tag: 'html', ...SHOWN, children: [body] };
    return { name, sites: [site], ...SHOWN, ...(n % 3 === 1 ? { cacheForSeconds: 600 } : {}), children: [html] };
  });
  const answer = await admin.post('/Page', inputs);
  expect(answer.status, answer.text.slice(0, 500)).toBe(201);
  const made = (answer.body as { result: string[] }).result;
  return Promise.all(
    made.map(async (id, n) => {
      const { body } = await admin.get(`/DOMNode?pageId=${id}&_pageSize=20`);
      const found = (body as { result: { id: string; name?: string }[] }).result;
      const named = (name: string): string => found.find((one) => one.name === name)?.id ?? '';
      const ids = { first: named('first'), second: named('second'), parent: named('body') };
      return { host, name: `p${String(n)}`, ...ids, committed: 0, begun: 0 };
    }),
  );
}

/** Both texts of a page, in one transaction. */
async function edit(admin: Client, page: CrowdPage): Promise<void> {
  const version = ++page.begun;
  const { first, second, parent } = page;
  const answer = await admin.post('/edit', { first, second, parent, text: textOf(page, version) });
  expect(answer.status, answer.text).toBe(200);
  page.second = (answer.body as { result: string }).result;
  page.committed = version;
}

async function look(server: TestServer, agent: Agent, page: CrowdPage, { name, headers }: Visitor): Promise<void> {
  const least = page.committed;
  const { status, text } = await fetched(server, agent, `/${page.name}`, { ...headers, Host: page.host });
  const what = `${name} at ${page.host}/${page.name}: ${text}`;
  expect(status, what).toBe(200);
  const shown = [...text.matchAll(/\[(site\d+\.example) (p\d+) (\d+)\]/g)];
  expect(shown.length, what).toBe(2);
  for (const [, host, path, version] of shown) {
    expect([host, path, version], what).toEqual([page.host, page.name, shown[0]?.[3]]);
    expect(Number(version), what).toBeGreaterThanOrEqual(least);
    expect(Number(version), what).toBeLessThanOrEqual(page.begun);
  }
  const secrets = [...text.matchAll(/\[of (\w+)\]/g)].map(([, of]) => of);
  expect(secrets, what).toEqual(name === '' ? [] : [name]);
  const me = /\[me (\w*)\]/.exec(text)?.[1];
  if (me !== undefined) expect(me, what).toBe(name);
}

function fetched(
  server: TestServer,
  agent: Agent,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: server.port, path, headers, agent }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('error', reject);
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString() });
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}
