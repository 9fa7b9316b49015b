/** What scripts of a page have written when one of them fails (docs/interface/pages.md 3.6). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { getPage, makePage, type Tree } from '../support/pages.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let count = 0;

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'html.indentation': false } });
  ({ admin } = server);
  const properties = [{ name: 'key', propertyType: 'String', unique: true }];
  expect((await admin.post('/SchemaNode', { name: 'Note', schemaProperties: properties })).status).toBe(201);
  await admin.create('SchemaMethod', {
    name: 'failing',
    isStatic: true,
    source: "{ $.create('Note', 'name', 'in a method'); throw new Error('no'); }",
  });
});
afterAll(() => server.stop());

interface Shown {
  readonly status: number;
  readonly text: string;
  /** Names of what was written, with the counter of the page away. */
  readonly written: readonly string[];
}

/** A page with a body, as an administrator sees it once. */
async function show(...body: readonly Tree[]): Promise<Shown> {
  const name = `page${String(++count)}`;
  // What has left before cannot say what became of it.
  await makePage(admin, name, [['html', {}, ['body', {}, ...body]]], { pageCreatesRawData: true });
  const { status, text } = await getPage(admin, `/${name}`);
  const notes = (await admin.get('/Note?_sort=createdDate')).body.result as { id: string; name: string }[];
  for (const { id } of notes) await admin.delete(`/Note/${id}`);
  return { status, text, written: notes.map((one) => one.name).sort() };
}

const markup = (content: string): Tree => ['', { content, contentType: 'text/html' }];
const BEFORE = markup("${{ $.create('Note', 'name', 'before'); }}");
const AFTER = markup("${{ $.create('Note', 'name', 'after'); }}[end]");
const CREATE = "$.create('Note', 'name', 'half');";

describe('a script that fails shows nothing, and the page goes on: all that was written is one transaction, which is committed', () => {
  it.each<readonly [string, Tree, readonly string[]]>([
    ['JavaScript', markup(`\${{ ${CREATE} throw new Error('no'); }}`), ['half']],
    ['an expression', markup("${create('Note', 'name', 'half')}${assert(false, 422, 'no')}"), ['half']],
    [
      'a part of an expression',
      markup("${concat(create('Note', 'name', 'half'), assert(false, 422, 'no'))}"),
      ['half'],
    ],
    [
      'one of a series',
      markup(`\${{ ${CREATE} 1; }}, \${{ ${CREATE} throw new Error('no'); }}, \${{ ${CREATE} 3; }}`),
      ['half', 'half', 'half'],
    ],
    ['an attribute', ['i', { _html_title: `\${{ ${CREATE} throw new Error('no'); }}` }], ['half']],
    ['a condition', ['i', { showConditions: `{ ${CREATE} throw new Error('no'); }` }, 'x'], ['half']],
    [
      'the source of a repeater',
      ['i', { dataKey: 'one', functionQuery: `{ ${CREATE} throw new Error('no'); }` }, 'x'],
      ['half'],
    ],
    ['a method', markup('${{ $.failing(); }}'), ['in a method']],
    ['a write that is refused', markup("${{ $.create('Note', 'no', 'x'); $.create('NoType'); }}"), []],
  ])('%s', async (_, failing, half) => {
    const { status, text, written } = await show(BEFORE, failing, AFTER);
    expect(status, text).toBe(200);
    expect(text).toContain('[end]');
    expect(text).not.toMatch(/Error/);
    expect(written).toEqual(['after', 'before', ...half].sort());
  });

  it('a script that catches its own error decides for itself', async () => {
    const script = `try { ${CREATE} throw new Error('no'); } catch (e) { $.print('caught'); }`;
    const { text, written } = await show(markup(`\${{ ${script} }}`));
    expect(text).toContain('caught');
    expect(written).toEqual(['half']);
  });

  it('nor does one that is taken back by itself take back the others', async () => {
    const inner = `$.doInNewTransaction(() => { ${CREATE} throw new Error('no'); });`;
    const { status, written } = await show(markup(`\${{ ${inner} }}`), AFTER);
    expect([status, written]).toEqual([200, ['after']]);
  });
});

describe('nothing is written', () => {
  it.each<readonly [string, Tree]>([
    ['when a script says error()', markup("${{ $.error('name', 'wrong'); }}")],
    [
      'when what was written breaks a rule',
      markup("${{ $.create('Note', 'key', 'a'); $.create('Note', 'key', 'a'); }}"),
    ],
  ])('%s: 422', async (_, failing) => {
    const { status, text, written } = await show(BEFORE, failing, AFTER);
    expect([status, written]).toEqual([422, []]);
    expect(text).not.toContain('[end]');
  });

  it('when a script says rollbackTransaction(): the page is shown', async () => {
    const { status, text, written } = await show(BEFORE, markup('${{ $.rollbackTransaction(); }}'), AFTER);
    expect([status, written]).toEqual([200, []]);
    expect(text).toContain('[end]');
  });
});
