/** Methods of files: reading and writing content, checksums, what is in CSV and XML (docs/interface/imports.md 1). */
import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { until } from '../support/files.js';
import { fileWith } from '../support/jobs.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;

beforeAll(async () => {
  server = await TestServer.start();
  admin = server.admin;
});
afterAll(() => server.stop());

const call = (file: string, method: string, body: unknown = {}, client = admin): Promise<Answer> =>
  client.post(`/File/${file}/${method}`, body);
async function result(file: string, method: string, body: unknown = {}): Promise<unknown> {
  const answer = await call(file, method, body);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.body.result;
}
const served = async (file: string): Promise<string> => (await admin.get(`/svc/html/${file}`)).text;
const facts = async (file: string) => (await admin.get(`/File/${file}/all`)).body.result;

describe('getFirstLines', () => {
  it.each([
    ['a\nb\nc\nd\n', {}, { lines: 'a\nb\nc\n', separator: 'LF' }],
    ['a\r\nb\r\n', { num: 1 }, { lines: 'a\n', separator: 'CR+LF' }],
    ['a\rb\rc', { num: 10 }, { lines: 'a\nb\nc\n', separator: 'CR' }],
    ['only', {}, { lines: 'only\n' }],
    ['', {}, { lines: '' }],
    ['\uFEFFä\n\nö', { num: 3 }, { lines: 'ä\n\nö\n', separator: 'LF' }],
    [`${'x'.repeat(20_000)}\ny\n`, { num: 2 }, { lines: `${'x'.repeat(10_000)}\ny\n`, separator: 'LF' }],
  ])('of %j with %j', async (content, body, expected) => {
    expect(await result(await fileWith(admin, 'lines.txt', content), 'getFirstLines', body)).toEqual(expected);
  });

  it('tells CR+LF in two pieces from CR', async () => {
    const content = `${'x'.repeat(256 * 1024 - 1)}\r\ny\r\n`;
    const lines = await result(await fileWith(admin, 'lines.txt', content), 'getFirstLines', { num: 2 });
    expect(lines).toEqual({ lines: `${'x'.repeat(10_000)}\ny\n`, separator: 'CR+LF' });
  });

  it.each([{ num: 0 }, { num: 1001 }, { num: 'x' }, { num: 1.5 }])('refuses %j', async (body) => {
    expect((await call(await fileWith(admin, 'l.txt', 'a'), 'getFirstLines', body)).status).toBe(400);
  });
});

describe('getCSVHeaders', () => {
  it.each([
    ['a;"b;c";d\n1;2;3\n', {}, ['a', 'b;c', 'd']],
    ["a,'b,c'\r\n", { delimiter: ',', quoteChar: "'", recordSeparator: 'CR+LF' }, ['a', 'b,c']],
    ['a\tb|c\td', { delimiter: 'TAB', recordSeparator: '|' }, ['a', 'b']],
    ['', {}, []],
  ])('of %j with %j', async (content, body, headers) => {
    const file = await fileWith(admin, 'h.csv', content, { contentType: 'text/csv; charset=utf-8' });
    expect(await result(file, 'getCSVHeaders', body)).toEqual({ headers });
  });

  it('is for CSV alone', async () => {
    const file = await fileWith(admin, 'h.txt', 'a;b', { contentType: 'text/plain' });
    expect((await call(file, 'getCSVHeaders')).status).toBe(400);
  });
});

describe('getXMLStructure', () => {
  const xml = (content: string | Buffer) => fileWith(admin, 's.xml', content, { contentType: 'text/xml' });

  it('tells how elements are nested', async () => {
    const content = '<?xml version="1.0"?><a x="1"><b y="2"/><b z="3"><c>text</c></b><!-- d --></a>';
    const structure = await result(await xml(content), 'getXMLStructure');
    expect(typeof structure).toBe('string');
    expect(JSON.parse(structure as string)).toEqual({
      a: { '::attributes': ['x'], b: { '::attributes': ['y', 'z'], c: {} } },
    });
  });

  it('looks at the first 100 children of the root', async () => {
    const structure = await result(await xml(`<a>${'<b/>'.repeat(100)}<c/></a>`), 'getXMLStructure');
    expect(JSON.parse(structure as string)).toEqual({ a: { b: {} } });
  });

  it('reads encodings that the document declares', async () => {
    const content = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><ä/>', 'latin1');
    expect(await result(await xml(content), 'getXMLStructure')).toBe('{"ä":{}}');
  });

  it('is nothing for other content', async () => {
    const file = await fileWith(admin, 's.txt', '<a/>', { contentType: 'text/plain' });
    expect(await result(file, 'getXMLStructure')).toEqual([]);
  });

  it.each([
    ['no XML', 'a;b'],
    ['not closed', '<a><b></a>'],
    ['an entity', '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>'],
    ['an external entity', '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>'],
    ['too deep', '<a>'.repeat(5000)],
    ['an unknown encoding', '<?xml version="1.0" encoding="x-none"?><a/>'],
  ])('refuses %s', async (_, content) => {
    expect((await call(await xml(content), 'getXMLStructure')).status).toBe(422);
  });
});

describe('getSearchContext', () => {
  it('shows words around each hit', async () => {
    const file = await fileWith(admin, 'c.txt', 'one two three four five\n\nsix Three seven', { indexed: true });
    await until(async () => (await facts(file)).processingState === null, 'its text is read');
    expect(await result(file, 'getSearchContext', { searchString: 'three; zero', contextLength: 1 })).toEqual({
      context: ['two three four', 'six Three seven'],
    });
    expect((await call(file, 'getSearchContext', { searchString: 'x' })).status).toBe(400);
    expect((await call(file, 'getSearchContext', { contextLength: 1 })).status).toBe(400);
    expect((await call(file, 'getSearchContext', { searchString: 'x', contextLength: -1 })).status).toBe(400);
  });

  it('is nothing without extracted text', async () => {
    const file = await fileWith(admin, 'c.txt', 'x', { indexed: false });
    expect(await result(file, 'getSearchContext', { searchString: 'x', contextLength: 3 })).toEqual([]);
  });
});

describe('content', () => {
  it('is read in an encoding, or as base64', async () => {
    const file = await fileWith(admin, 'e.txt', 'aä€');
    expect(await result(file, 'getContent', { encoding: 'UTF-8' })).toBe('aä€');
    expect(await result(file, 'getContent')).toBe(Buffer.from('aä€').toString('base64'));
    expect(await result(file, 'getContent', { encoding: 'hex' })).toBe(Buffer.from('aä€').toString('hex'));
    expect(await result(await fileWith(admin, 'e.txt', ''), 'getContent')).toBe('');
    expect((await call(file, 'getContent', { encoding: 'klingon' })).status).toBe(400);
    expect((await call(file, 'getContent', { encoding: 5 })).status).toBe(400);
  });

  it('is not sent as JSON when it is large', async () => {
    const file = await fileWith(admin, 'big.bin', 'x');
    const big = 'y'.repeat(9 * 1024 * 1024);
    await result(file, 'setContent', { content: big });
    await result(file, 'appendContent', { content: big });
    const answer = await call(file, 'getContent');
    expect([answer.status, answer.body.message]).toEqual([413, expect.stringMatching(/16 MB/)]);
    expect((await facts(file)).size).toBe(18 * 1024 * 1024);
  });

  it('of a file that was made without it is empty, also for a user who may not write sizes', async () => {
    await admin.create('User', { name: 'maker', password: 'secret-of-maker' });
    await allow(admin, 'File', 'user', ['POST']);
    const maker = server.as('maker', 'secret-of-maker');
    for (const [name, client] of [
      ['empty-1.txt', admin],
      ['empty-2.txt', maker],
    ] as const) {
      const made = await client.post('/File', { name });
      expect(made.status, made.text).toBe(201);
      expect(await facts((made.body.result as string[])[0] ?? '')).toMatchObject({ size: 0, version: 0 });
      expect((await admin.get(`/File?size=0&name=${name}`)).body.result_count).toBe(1);
    }
    expect((await maker.post('/File', { name: 'empty-3.txt', size: 5 })).status).toBe(422);
  });

  it('is replaced, with size, checksum and version', async () => {
    const file = await fileWith(admin, 'set.txt', 'old');
    const before = await facts(file);
    expect(await result(file, 'setContent', { content: 'nü' })).toEqual([]);
    expect(await served(file)).toBe('nü');
    const after = await facts(file);
    expect(after).toMatchObject({ size: 3, version: (before.version as number) + 1 });
    expect(after.checksum).not.toBe(before.checksum);
    await result(file, 'setContent', { content: 'nü', encoding: 'ISO-8859-1' });
    expect(await result(file, 'getContent', { encoding: 'hex' })).toBe('6efc');
    await result(file, 'setContent', { content: [1, 255, -1] });
    expect(await result(file, 'getContent', { encoding: 'hex' })).toBe('01ffff');
    await result(file, 'setContent', { content: 'YWI=', encoding: 'base64' });
    expect(await served(file)).toBe('ab');
    await result(file, 'setContent', { content: '' });
    expect(await facts(file)).toMatchObject({ size: 0 });
  });

  it.each([
    [400, {}],
    [400, { content: null }],
    [400, { content: 'a', encoding: 'klingon' }],
    [422, { content: 7 }],
    [422, { content: { a: 1 } }],
    [422, { content: [256] }],
    [422, { content: ['a'] }],
    [422, { content: 'ä', encoding: 'US-ASCII' }],
    [422, { content: '€', encoding: 'ISO-8859-1' }],
    [422, { content: 'a$', encoding: 'base64' }],
    [422, { content: 'abc', encoding: 'hex' }],
  ])('answers %i to setContent and appendContent of %j', async (status, body) => {
    const file = await fileWith(admin, 'bad.txt', 'old');
    for (const method of ['setContent', 'appendContent']) expect((await call(file, method, body)).status).toBe(status);
    expect(await served(file)).toBe('old');
  });

  it('grows by appending, also from many sides at once', async () => {
    const file = await fileWith(admin, 'log.txt', 'begin\n');
    await result(file, 'appendContent', { content: 'ä\n' });
    expect(await served(file)).toBe('begin\nä\n');
    const lines = Array.from({ length: 12 }, (_, i) => `line ${String(i)}`);
    const answers = await Promise.all(lines.map((line) => call(file, 'appendContent', { content: `${line}\n` })));
    expect(answers.map(({ status }) => status)).toEqual(lines.map(() => 200));
    const content = await served(file);
    expect(content.split('\n').sort()).toEqual(['', 'begin', 'ä', ...lines].sort());
    const { size, checksum, version } = await facts(file);
    expect({ size, version }).toEqual({ size: Buffer.byteLength(content), version: 14 });
    expect(await result(file, 'calculateChecksums')).toEqual({ checksum });
  });

  it('is appended to without being copied, and one content a file is left', async () => {
    const file = await fileWith(admin, 'log.bin', Buffer.alloc(1024 * 1024, 'x'));
    const inodeOf = async (): Promise<number[]> => {
      const folder = join(server.folder, 'files', ...file.slice(-2));
      const names = (await readdir(folder)).filter((name) => name.startsWith(file));
      return Promise.all(names.map(async (name) => (await stat(join(folder, name))).ino));
    };
    const before = await inodeOf();
    for (let i = 0; i < 5; i++) await result(file, 'appendContent', { content: 'yz' });
    expect(before).toHaveLength(1);
    expect(await inodeOf()).toEqual(before);
    const answer = await admin.get(`/svc/html/${file}`, { Range: 'bytes=1048574-' });
    expect(answer.text).toBe('xxyzyzyzyzyz');
  });

  it('is what it was for who reads it while it grows', async () => {
    const file = await fileWith(admin, 'read.bin', 'x'.repeat(8 * 1024 * 1024));
    const reading = admin.get(`/svc/html/${file}`);
    const growing = Promise.all(Array.from({ length: 5 }, () => result(file, 'appendContent', { content: 'y' })));
    const { text } = await reading;
    expect([text.lastIndexOf('x') + 1, text.slice(8 * 1024 * 1024)]).toEqual([
      8 * 1024 * 1024,
      expect.stringMatching(/^y{0,5}$/),
    ]);
    await growing;
    // Replaced meanwhile: old or new, and nothing between.
    const answers = await Promise.all([
      call(file, 'appendContent', { content: 'z' }),
      call(file, 'setContent', { content: 'new' }),
      call(file, 'appendContent', { content: 'z' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await served(file)).toMatch(/^newz{0,2}$/);
    expect((await facts(file)).size).toBe((await served(file)).length);
  });

  it('is whole after a crash while it grows, and everything acknowledged is in it', async () => {
    const own = await TestServer.start();
    const file = await fileWith(own.admin, 'crash.log', 'begin\n');
    let acknowledged = 0;
    const append = async (): Promise<void> => {
      for (let i = 0; ; i++) {
        const body = { content: `${'x'.repeat(20_000)} ${String(i)}\n` };
        const answer = await own.admin.post(`/File/${file}/appendContent`, body).catch(() => undefined);
        if (answer?.status !== 200) return;
        acknowledged++;
      }
    };
    const appending = append();
    while (acknowledged < 10) await new Promise((resolve) => setTimeout(resolve, 5));
    own.child.kill('SIGKILL');
    await appending;
    const again = await own.restart();
    const lines = (await again.admin.get(`/svc/html/${file}`)).text.split('\n');
    const done = lines.length - 2;
    expect(done === acknowledged || done === acknowledged + 1).toBe(true);
    expect(lines).toEqual([
      'begin',
      ...Array.from({ length: done }, (_, i) => `${'x'.repeat(20_000)} ${String(i)}`),
      '',
    ]);
    const { checksum } = (await again.admin.get(`/File/${file}`)).body.result;
    expect((await again.admin.post(`/File/${file}/calculateChecksums`, {})).body.result.checksum).toBe(checksum);
    expect((await again.admin.post(`/File/${file}/appendContent`, { content: 'end' })).status).toBe(200);
    expect((await again.admin.get(`/svc/html/${file}`)).text.endsWith(`${String(done - 1)}\nend`)).toBe(true);
    await again.stop();
    await rm(own.folder, { recursive: true, force: true });
  });

  it('is copied from file to file', async () => {
    const source = await fileWith(admin, 'source.csv', 'a;b', { contentType: 'text/csv' });
    const target = await fileWith(admin, 'target.txt', 'old');
    expect(await result(source, 'copyFileContents', { target })).toMatchObject({ id: target });
    expect(await facts(target)).toMatchObject({
      size: 3,
      version: 0,
      contentType: 'text/csv',
      name: expect.stringMatching(/^target/),
    });
    expect((await facts(target)).checksum).toBe((await facts(source)).checksum);
    expect(await served(target)).toBe('a;b');
    expect((await call(source, 'copyFileContents', { target: 'nobody' })).status).toBe(404);
    expect((await call(source, 'copyFileContents', {})).status).toBe(400);
    const folder = await admin.create('Folder', { name: 'no-file' });
    expect((await call(source, 'copyFileContents', { target: folder })).status).toBe(422);
  });

  it('has its checksums computed anew', async () => {
    const file = await fileWith(admin, 'sums.txt', 'abc');
    const { checksum } = await facts(file);
    await admin.put(`/File/${file}`, { checksum: 7 });
    const sums = await result(file, 'calculateChecksums', { algorithms: ['md5', 'sha1', 'sha512', 'crc32'] });
    const hash = (name: string): string => createHash(name).update('abc').digest('hex');
    const expected = { checksum, md5: hash('md5'), sha1: hash('sha1'), sha512: hash('sha512'), crc32: crc32('abc') };
    expect(sums).toEqual(expected);
    expect(await facts(file)).toMatchObject({ ...expected, version: 1 });
    expect(await result(file, 'calculateChecksums')).toEqual({ checksum });
    expect((await call(file, 'calculateChecksums', { algorithms: ['rot13'] })).status).toBe(400);
    expect((await call(file, 'calculateChecksums', { algorithms: 'md5' })).status).toBe(400);
  });

  it('that is evaluated is read as its result, and not written', async () => {
    const file = await fileWith(admin, 'template.txt', '${me.name}', { isTemplate: true });
    expect(await result(file, 'getContent', { encoding: 'UTF-8' })).toBe('admin');
    expect((await call(file, 'getFirstLines')).status).toBe(422);
    for (const method of ['setContent', 'appendContent'])
      expect((await call(file, method, { content: 'x' })).status).toBe(422);
    const source = await fileWith(admin, 'plain.txt', 'x');
    expect((await call(source, 'copyFileContents', { target: file })).status).toBe(422);
  });

  it('of a template that is never evaluated, as nobody trusts who wrote it, is read as it is', async () => {
    await admin.create('User', { name: 'writer', password: 'Secret-pass-1' });
    await allow(admin, 'File', 'user', ['POST']);
    const own = await fileWith(server.as('writer', 'Secret-pass-1'), 'own.txt', '${me.name}');
    await admin.put(`/File/${own}`, { isTemplate: true });
    expect(await result(own, 'getContent', { encoding: 'UTF-8' })).toBe('${me.name}');
    expect(await result(own, 'getFirstLines')).toMatchObject({ lines: '${me.name}\n' });
  });
});

describe('rights', () => {
  const METHODS = [
    ['getFirstLines', {}],
    ['getCSVHeaders', {}],
    ['getXMLStructure', {}],
    ['getSearchContext', { searchString: 'a', contextLength: 1 }],
    ['getContent', {}],
    ['setContent', { content: 'theirs' }],
    ['appendContent', { content: 'theirs' }],
    ['copyFileContents', { target: 'x' }],
    ['calculateChecksums', {}],
  ] as const;
  const WRITING = ['setContent', 'appendContent', 'calculateChecksums'];
  let user: Client;

  beforeAll(async () => {
    await admin.create('User', { name: 'reader', password: 'Secret-pass-1' });
    user = server.as('reader', 'Secret-pass-1');
  });

  it.each(METHODS)('%s needs the permission, then the right to read', async (method, body) => {
    const file = await fileWith(admin, 'r.csv', 'a', { contentType: 'text/csv', visibleToAuthenticatedUsers: true });
    expect((await call(file, method, body, user)).status).toBe(401);
    await allow(admin, `File/_id/${method}`, 'user', ['POST']);
    const hidden = await fileWith(admin, 'h.csv', 'a');
    expect((await call(hidden, method, body, user)).status).toBe(404);
    const expected = WRITING.includes(method) ? 403 : method === 'copyFileContents' ? 404 : 200;
    expect((await call(file, method, body, user)).status).toBe(expected);
    expect((await call(file, method, body, server.as())).status).toBe(401);
    expect(await served(file)).toBe('a');
    expect((await admin.get(`/File/${file}/${method}`)).status).toBe(405);
  });

  it('writing needs the write right, and marks what is not an administrator’s', async () => {
    await allow(admin, 'File', 'user', ['POST']);
    const own = await fileWith(user, 'own.html', 'x', { contentType: 'text/html' });
    const page = await fileWith(admin, 'page.html', '<p>', { contentType: 'text/html', visibleToPublicUsers: true });
    const sandboxed = async (file: string): Promise<boolean> =>
      (await admin.get(`/svc/html/${file}`)).headers['content-security-policy'] === 'sandbox';
    expect(await sandboxed(page)).toBe(false);
    expect((await call(own, 'setContent', { content: '<script>' }, user)).status).toBe(200);
    expect(await sandboxed(own)).toBe(true);
    expect((await call(own, 'appendContent', { content: '</script>' })).status).toBe(200);
    expect(await sandboxed(own)).toBe(true);
    expect((await call(own, 'copyFileContents', { target: page }, user)).status).toBe(403);
    expect((await call(own, 'copyFileContents', { target: page })).status).toBe(200);
    expect(await sandboxed(page)).toBe(true);
    expect((await call(page, 'setContent', { content: 'mine' })).status).toBe(200);
    expect(await sandboxed(page)).toBe(false);
  });
});
