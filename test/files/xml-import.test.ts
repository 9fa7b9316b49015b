/** doXMLImport: elements become objects, nested ones too; what is refused (docs/interface/imports.md 3.2). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { endedJob, fileWith, type JobInfo } from '../support/jobs.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;

beforeAll(async () => {
  server = await TestServer.start();
  admin = server.admin;
  const item = await admin.defineType('Item', [
    { name: 'number', propertyType: 'Integer' },
    { name: 'content', propertyType: 'String' },
    { name: 'words', propertyType: 'StringArray' },
    { name: 'code', propertyType: 'String', unique: true },
  ]);
  const part = await admin.defineType('Part', [{ name: 'label', propertyType: 'String' }]);
  const maker = await admin.defineType('Maker');
  await admin.relate(item, 'HAS', part, { sourceJsonName: 'item', targetJsonName: 'parts' });
  await admin.relate(maker, 'MAKES', item, { sourceJsonName: 'maker', targetJsonName: 'items' });
});
afterAll(() => server.stop());

const ITEM = { action: 'createNode', isRoot: true, type: 'Item', properties: { no: 'number', code: 'code' } };
const WHOLE = {
  '/items/item': ITEM,
  '/items/item/name': { action: 'setProperty', propertyName: 'name' },
  '/items/item/word': { action: 'setProperty', propertyName: 'words' },
  '/items/item/part': {
    action: 'createNode',
    type: 'Part',
    propertyName: 'parts',
    content: 'label',
    properties: { n: 'name' },
  },
  '/items/item/maker': { action: 'createNode', type: 'Maker', propertyName: 'maker', multiplicity: '1' },
  '/items/item/maker/name': { action: 'setProperty', propertyName: 'name' },
  '/items/item/note': { action: 'ignore' },
};

async function clean(): Promise<void> {
  for (const type of ['Item', 'Part', 'Maker']) await admin.delete(`/${type}`);
}

async function post(
  content: string | Buffer,
  body: unknown,
  client = admin,
  contentType = 'text/xml',
): Promise<Answer> {
  const file = await fileWith(admin, 'items.xml', content, { contentType, visibleToAuthenticatedUsers: true });
  return client.post(`/File/${file}/doXMLImport`, body);
}
async function run(content: string | Buffer, body: unknown, client = admin): Promise<JobInfo> {
  const answer = await post(content, body, client);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return endedJob(client, answer.body.result as number);
}
const items = async () => (await admin.get('/Item/all?_sort=number')).body.result;

describe('doXMLImport', () => {
  it('makes objects of elements, with attributes, text, and what is nested in them', async () => {
    await clean();
    const content = `<?xml version="1.0"?><items>
      <item no="1" other="x"> the text <name>One &amp; only</name><word>a</word><word>b</word>
        <part n="p1">first</part><part n="p2"><![CDATA[<second>]]></part>
        <maker><name>ACME</name></maker>
        <note><name>not this one</name><part n="nor this"/></note>
      </item>
      <item no="2"/>
      <elsewhere><part n="alone"/></elsewhere>
    </items>`;
    expect(await run(content, WHOLE)).toMatchObject({
      jobtype: 'XML',
      status: 'FINISHED',
      objectsCreated: 5,
      processedObjects: 2,
    });
    const [one, two] = await items();
    expect(one).toMatchObject({
      name: 'One & only',
      number: 1,
      content: 'the text',
      words: ['a', 'b'],
      maker: { name: 'ACME' },
    });
    expect(one.parts.map(({ name }: { name: string }) => name).sort()).toEqual(['p1', 'p2']);
    expect(two).toMatchObject({ number: 2, name: null, parts: [] });
    const parts = (await admin.get('/Part?_sort=label')).body.result;
    expect(parts.map(({ label }: { label: string }) => label)).toEqual(['<second>', 'first']);
  });

  it('commits batches of 100, and names the element that cannot be written', async () => {
    await clean();
    const content = `<items>${Array.from({ length: 250 }, (_, i) => `<item no="${i === 230 ? 'x' : String(i)}"/>`).join('')}</items>`;
    const info = await run(content, { '/items/item': ITEM });
    expect(info).toMatchObject({ status: 'FAILED', processedChunks: 2, objectsCreated: 200 });
    expect(info.exception.message).toMatch(/^Element 231 at \/items\/item: /);
    expect(await items()).toHaveLength(200);
  });

  it('undoes the whole batch of an element whose value is taken', async () => {
    await clean();
    const info = await run('<items><item code="a"/><item code="b"/><item code="a"/></items>', { '/items/item': ITEM });
    expect(info.exception.message).toMatch(/^Element 3 at \/items\/item: .*already_taken/);
    expect(await items()).toEqual([]);
  });

  it('reads what the document says it is written in', async () => {
    await clean();
    const text = '<?xml version="1.0" encoding="ISO-8859-1"?><items><item no="1"><name>Grün</name></item></items>';
    await run(Buffer.from(text, 'latin1'), WHOLE);
    await run(Buffer.from(`\uFEFF${text.replace('ISO-8859-1', 'UTF-16')}`, 'utf16le'), WHOLE);
    expect((await items()).map(({ name }: { name: string }) => name)).toEqual(['Grün', 'Grün']);
  });

  it.each([
    ['broken', '<items><item no="1"></items>', /line 1/],
    ['no document', 'a;b\n', /well-formed/],
    [
      'external entities',
      '<!DOCTYPE i [<!ENTITY e SYSTEM "file:///etc/passwd">]><items><item><name>&e;</name></item></items>',
      /entity/,
    ],
    [
      'a bomb of entities',
      '<!DOCTYPE i [<!ENTITY a "xx"><!ENTITY b "&a;&a;">]><items><item><name>&b;</name></item></items>',
      /entity/,
    ],
    ['too deep', `<items>${'<item>'.repeat(2000)}`, /deep/],
    [
      'too much in one element',
      `<items><item><name>${'x'.repeat(9 * 1024 * 1024)}</name></item></items>`,
      /characters/,
    ],
  ])('ends with an error: %s', async (_, content, message) => {
    await clean();
    const info = await run(content, WHOLE);
    expect(info).toMatchObject({ status: 'FAILED' });
    expect(info.exception.message).toMatch(message);
    expect(await items()).toEqual([]);
  });

  it.each([
    [400, {}, /isRoot/],
    [400, { '/a': { action: 'createNode', type: 'Item', propertyName: 'x' } }, /isRoot/],
    [400, { a: ITEM }, /path/],
    [400, { '/a//b': ITEM }, /path/],
    [400, { '/a': 'Item' }, /object/],
    [400, { '/a': { action: 'fly' } }, /action/],
    [400, { '/a': { ...ITEM, type: undefined } }, /type/],
    [400, { '/a': { ...ITEM, properties: { no: 7 } } }, /no/],
    [400, { '/a': ITEM, '/a/b': { action: 'setProperty' } }, /propertyName/],
    [400, { '/a': ITEM, '/a/b': { action: 'createNode', type: 'Part' } }, /propertyName/],
    [422, { '/a': { ...ITEM, type: 'Nobody' } }, /Nobody/],
    [422, { '/a': { ...ITEM, type: 'ItemHASPart' } }, /ItemHASPart/],
  ])('answers %i to %j', async (status, body, message) => {
    const answer = await post('<a/>', body);
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(message)]);
  });

  it('is for XML alone', async () => {
    expect((await post('<items/>', WHOLE, admin, 'text/plain')).status).toBe(400);
  });

  it('takes what it has no use for', async () => {
    await clean();
    const info = await run('<items><item no="1"/></items>', { ...WHOLE, batchType: 'any', onFinish: '' });
    expect(info).toMatchObject({ status: 'FINISHED', objectsCreated: 1 });
  });
});

describe('rights of doXMLImport', () => {
  it('are those of its user, for each type', async () => {
    await clean();
    await admin.create('User', { name: 'xml', password: 'Secret-pass-1' });
    const user = server.as('xml', 'Secret-pass-1');
    const content = '<items><item no="1"><part n="p"/></item></items>';
    expect((await post(content, WHOLE, user)).status).toBe(401);
    await allow(admin, 'File/_id/doXMLImport', 'user', ['POST']);
    await allow(admin, 'jobs/_id', 'user', ['GET']);
    expect((await post(content, WHOLE, user)).status).toBe(403);
    for (const type of ['Item', 'Part']) await allow(admin, type, 'user', ['POST']);
    const refused = await post(content, WHOLE, user);
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringMatching(/Maker/)]);
    await allow(admin, 'Maker', 'user', ['POST']);
    expect(await run(content, WHOLE, user)).toMatchObject({ status: 'FINISHED', username: 'xml', objectsCreated: 2 });
    expect((await items())[0].owner.name).toBe('xml');
    const hidden = await fileWith(admin, 'hidden.xml', content, { contentType: 'text/xml' });
    expect((await user.post(`/File/${hidden}/doXMLImport`, WHOLE)).status).toBe(404);
  });
});
