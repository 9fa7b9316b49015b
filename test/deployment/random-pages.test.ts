/** Random pages, components and templates survive export and import: the same files, ids included (docs/interface/deployment.md 2.7, 3.6). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { treeOf } from '../support/export-tree.js';
import { randomRuns } from '../support/random.js';
import { TestServer } from '../support/server.js';
import { call } from '../support/trees.js';

let server: TestServer;
let admin: Client;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-random-pages-'));
  server = await TestServer.start();
  admin = server.admin;
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What could be taken for something else in a file. */
const PIECES = [
  ...['a', 'Word', ' ', '  ', '\n', '\t', '\r\n', '<', '>', '&', '"', "'", '(', ')', ',', ';', '@', '=', '-', '--'],
  ...['-->', '<!--', '@svc:', '@svc:public', '@svc:sandboxed', '&lt;', '&amp;lt;', '&#10;', '&nbsp;', '</div>', '<b>'],
  ...[
    '<svc:template>',
    ']]>',
    '${',
    '}',
    '${"<"}',
    'é',
    '\u00a0',
    '\u2028',
    '😀',
    '\\',
    '`',
    '<?x?>',
    '<!doctype html>',
  ],
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((all) => all.join(''));
const name = text.map((all) => all.replace(/[/\\\n\r\t]/g, '').trim());

interface Node {
  readonly type: string;
  readonly children?: readonly Node[];
  readonly [key: string]: unknown;
}

const flags = fc.record({
  visibleToPublicUsers: fc.boolean(),
  visibleToAuthenticatedUsers: fc.boolean(),
  hidden: fc.boolean(),
});
const fields = fc.record(
  { showConditions: text, hideConditions: text, showForLocales: text, hideForLocales: text },
  { requiredKeys: [] },
);
const attributes = fc.record(
  {
    ...{
      _html_class: text,
      _html_title: text,
      'data-x': text,
      '_custom_html_aria-label': text,
      _custom_html_viewBox: text,
    },
    ...{
      dataKey: text,
      functionQuery: text,
      selectedValues: text,
      eventMapping: text,
      'data-svc-rendering-mode': text,
    },
  },
  { requiredKeys: [] },
);
const words = fc
  .tuple(
    fc.constantFrom('Content', 'Content', 'Comment'),
    text,
    fc.constantFrom('text/plain', 'text/html'),
    flags,
    fields,
    fc.option(name),
  )
  .map(([type, content, contentType, own, more, named]): Node => {
    const called = named === null || named === '' ? {} : { name: named };
    return { type, content, ...(type === 'Comment' ? {} : { contentType }), ...own, ...more, ...called };
  });
const TAGS = ['Div', 'Div', 'P', 'Span', 'B', 'Pre', 'Table', 'Script', 'Textarea', 'Br', 'my-part'];
const tree: fc.Arbitrary<Node> = fc.letrec<{ node: Node }>((again) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    words,
    fc
      .tuple(
        fc.constantFrom(...TAGS),
        attributes,
        flags,
        fields,
        fc.option(name),
        fc.array(again('node'), { maxLength: 4 }),
      )
      .map(([of, all, own, more, named, children]): Node => {
        const called = named === null || named === '' ? {} : { name: named };
        const element = {
          type: of === 'my-part' ? 'DOMElement' : of,
          tag: of.toLowerCase(),
          ...all,
          ...own,
          ...more,
          ...called,
        };
        return of === 'Br' ? element : { ...element, children };
      }),
    fc
      .tuple(text, flags, fc.option(name), fc.array(again('node'), { maxLength: 3 }))
      .map(([content, own, named, children]): Node => {
        const called = named === null || named === '' ? {} : { name: named };
        return { type: 'Template', content, contentType: 'text/html', ...own, ...called, children };
      }),
  ),
})).node;

let count = 0;
async function exported(): Promise<Record<string, string>> {
  const target = join(folder, String(++count));
  const answer = await admin.post('/maintenance/deploy', { mode: 'export', target });
  expect([answer.status, answer.body.result]).toEqual([200, []]);
  return treeOf(target);
}

it('random pages', async () => {
  await randomRuns(
    fc.asyncProperty(
      fc.array(tree, { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat(), { maxLength: 3 }),
      async (body, chosen) => {
        const html = { type: 'Html', tag: 'html', children: [{ type: 'Body', tag: 'body', children: body }] };
        const page = await admin.post('/Page', {
          name: `p${String(count)}`,
          contentType: 'text/html',
          children: [html],
        });
        expect(page.status, page.text).toBe(201);
        const nodes = (await admin.get('/DOMNode?_sort=createdDate')).body.result as { id: string; type: string }[];
        const usable = nodes.filter(({ type }) => !/^(?:Page|ShadowDocument|Html|Body)$/.test(type));
        for (const at of chosen) {
          const one = usable[at % Math.max(1, usable.length)];
          // What stands for one already is refused.
          if (one !== undefined) await call(admin, one.id, 'createComponent', {});
        }
        const first = await exported();
        const source = join(folder, String(count));
        const answer = await admin.post('/maintenance/deploy', { mode: 'import', source });
        expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"result": []')]);
        expect(await exported()).toEqual(first);
        // The next one begins with none.
        for (const { id } of (await admin.get('/DOMNode')).body.result as { id: string }[])
          await admin.delete(`/DOMNode/${id}`);
      },
    ),
    20,
    8,
  );
});
