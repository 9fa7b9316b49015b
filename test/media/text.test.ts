/** The text of documents: in which formats, when, and what becomes of it (docs/interface/media.md 4). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { documents } from '../support/documents.js';
import { file, objectOf, processed, uploaded, until } from '../support/files.js';
import { endedJob, untilJob } from '../support/jobs.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { zipOf } from '../support/zip-builder.js';

/** Tests of other things do without. */
const READING = { 'application.filesystem.indexing.enabled': true };
let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start({ settings: READING });
  await server.admin.create('SchemaMethod', {
    name: 'textOf',
    source:
      "{ const one = $.find('File', $.methodParameters.id); return { text: one.extractedContent, language: one.extractedLanguage }; }",
  });
});
afterAll(() => server.stop());

interface Read {
  readonly text: string | null;
  readonly language: string | null;
}

async function textOf(id: string): Promise<Read> {
  const { body } = await server.admin.post('/textOf', { id });
  return body.result as Read;
}

const settled = (id: string): Promise<Record<string, unknown>> => processed(server.admin, id);

async function read(name: string, content: string | Buffer, values: Record<string, string> = {}): Promise<Read> {
  const id = await uploaded(server.admin, file(name, content), values);
  expect(await settled(id)).toMatchObject({ processingState: null, processingMessage: null });
  return textOf(id);
}

const GERMAN = 'Die Gärtnerin pflückt süße Äpfel, während draußen der Regen auf die Straße fällt.';

describe('the text of', () => {
  it.each([
    ['text', 'a.txt', Buffer.from(GERMAN)],
    ['text in another charset', 'b.txt', Buffer.from(GERMAN, 'latin1')],
    ['text in UTF-16', 'c.txt', Buffer.from(`\ufeff${GERMAN}`, 'utf16le')],
    ['Word', 'd.docx', documents.docx([GERMAN, 'Second'])],
    ['PowerPoint', 'e.pptx', documents.pptx(['First', GERMAN])],
    ['Excel', 'f.xlsx', documents.xlsx([['apple', GERMAN]])],
    ['OpenDocument', 'g.odt', documents.odt([GERMAN])],
    ['EPUB', 'h.epub', documents.epub(['One', GERMAN])],
    ['RTF', 'i.rtf', documents.rtf(GERMAN)],
    ['HTML', 'j.html', `<!DOCTYPE html><script>var hidden</script><p>Die G&auml;rtnerin ${GERMAN.slice(13)}</p>`],
    ['Markdown', 'k.md', `# Titel\n\n*${GERMAN}*`],
    ['e-mail', 'l.eml', documents.eml('Hello', GERMAN, documents.docx(['attached words']), 'x.docx')],
    ['archives', 'm.zip', zipOf([{ name: 'in/n.txt', content: Buffer.from(GERMAN) }])],
    ['text that begins like an image', 'n.zip', zipOf([{ name: 'n.txt', content: Buffer.from(`BM. ${GERMAN}`) }])],
    ['documents without an ending', 'o', documents.docx([GERMAN])],
  ])('%s', async (_, name, content) => {
    const { text, language } = await read(name, content);
    expect(text).toContain(GERMAN.replace(/!/g, ' '));
    expect(text).not.toContain('hidden');
    if (!name.endsWith('.eml') && !name.endsWith('.xlsx')) expect(language).toBe('de');
  });

  it('PDF, page after page', async () => {
    const { text, language } = await read(
      'p.pdf',
      documents.pdf(['The gardener picks (sweet) apples\nin the rain', 'and pears']),
    );
    expect(text).toBe('The gardener picks  sweet  apples\nin the rain\nand pears');
    expect(language).toBe('en');
  });

  it('e-mails has that of what is attached', async () => {
    const attachment = documents.odt(['attached words']);
    const { text } = await read('q.eml', documents.eml('=?utf-8?Q?S=C3=BC=C3=9F?=', 'body', attachment, 'x.odt'));
    expect(text).toMatch(/Süß[^]*Jane jane@example.com[^]*body[^]*x.odt[^]*attached words/);
  });

  it('sheets has their cells', async () => {
    expect(
      (
        await read(
          'r.xlsx',
          documents.xlsx([
            ['apple', 'pear'],
            ['plum', 'fig'],
          ]),
        )
      ).text,
    ).toBe('Harvest\napple\tpear\t4711\t\nplum\tfig\t4711');
  });

  it('HTML behind remarks, and remarks without HTML', async () => {
    expect((await read('ra', `<!-- a --> <!-- <b> -->\n<html><p>words`)).text).toBe('words');
    // Ways to take so many together are more than anybody can try.
    expect((await read('rb', `${'<!---->'.repeat(600)} words`)).text).toContain('words');
  });

  it('is letters, digits and a few signs', async () => {
    expect((await read('s.txt', `a<b> "c" d_e-f@g.h, ${'='.repeat(5)} ${'x'.repeat(20)}!`)).text).toBe(
      `a b   c  d_e-f@g.h,       ${'x'.repeat(11)}`,
    );
  });

  it('is empty for nothing, and null for what has none', async () => {
    const id = await uploaded(server.admin, file('t.txt', 'x'));
    await server.admin.post(`/File/${id}/setContent`, { content: '' });
    await settled(id);
    expect((await textOf(id)).text).toBe('');
    expect((await read('u.bin', Buffer.from([0, 1, 2, 3, 0, 255, 254]))).text).toBeNull();
  });
});

describe('text', () => {
  it('is that of the content there is, and is in no view', async () => {
    const id = await uploaded(server.admin, file('v.txt', 'one'));
    await settled(id);
    await server.admin.post(`/File/${id}/setContent`, { content: 'two' });
    const now = await settled(id);
    expect((await textOf(id)).text).toBe('two');
    expect(now).not.toHaveProperty('extractedContent');
    await server.admin.put(`/svc/rest/File/${id}`, { indexed: false });
    await settled(id);
    expect((await textOf(id)).text).toBeNull();
    await server.admin.put(`/svc/rest/File/${id}`, { indexed: true });
    await settled(id);
    expect((await textOf(id)).text).toBe('two');
  });

  it('is not taken of files that are not to be indexed, of templates, and of large ones', async () => {
    expect((await read('w.txt', 'one', { indexed: 'false' })).text).toBeNull();
    const template = await server.admin.create('File', { name: 'x.txt', isTemplate: true, base64Data: 'b25l' });
    await settled(template);
    expect((await textOf(template)).text).toBeNull();
    expect((await read('y.txt', Buffer.alloc(10 * 1024 * 1024 + 1, 'a'))).text).toBeNull();
  });

  it('that cannot be read is told of on the file', async () => {
    for (const [name, content, why] of [
      ['1.docx', documents.docx(['one']).subarray(0, 200), /could not be read/],
      ['2.pdf', Buffer.from('%PDF-1.4\nnothing'), /The PDF is broken/],
      ['3.doc', Buffer.from('d0cf11e0a1b11ae1000000', 'hex'), /before 2007/],
    ] as const) {
      const id = await uploaded(server.admin, file(name, content));
      expect(await settled(id)).toMatchObject({
        processingState: 'FAILED',
        processingMessage: expect.stringMatching(why),
      });
    }
  });
});

describe('extractText', () => {
  const run = (body: unknown, client = server.admin) => client.post('/maintenance/extractText', body);

  it('reads texts anew, of a folder and what is below it', async () => {
    const folder = await server.admin.create('Folder', { name: 'library' });
    const below = await server.admin.create('Folder', { name: 'shelf', parent: folder });
    const inside = await uploaded(server.admin, file('in.txt', 'inside'), { parent: below });
    const outside = await uploaded(server.admin, file('out.txt', 'outside'));
    for (const id of [inside, outside]) {
      await settled(id);
      await server.admin.put(`/svc/rest/File/${id}`, { extractedContent: 'other' });
    }
    const answer = await run({ folder: '/library' });
    expect(answer.status, answer.text).toBe(200);
    expect([(await textOf(inside)).text, (await textOf(outside)).text]).toEqual(['inside', 'other']);
    expect((await run({ type: 'File' })).status).toBe(200);
    expect((await textOf(outside)).text).toBe('outside');
  });

  it('leaves what waits for itself alone when it is aborted', async () => {
    const read = await uploaded(server.admin, file('before.txt', 'before'));
    await settled(read);
    const services = 'NodeService SchemaService HttpService';
    server = await server.restart({ settings: { ...READING, 'configured.services': services } });
    const waits = await uploaded(server.admin, file('waits.txt', 'waits'));
    const [{ jobId }] = (await run({ background: true })).body.result as [{ jobId: number }];
    await untilJob(server.admin, jobId, ({ phase }) => phase === 'reading text');
    expect(await objectOf(server.admin, read)).toMatchObject({ processingState: 'QUEUED' });
    expect((await server.admin.post(`/jobs/${String(jobId)}/abort`)).status).toBe(200);
    expect(await endedJob(server.admin, jobId)).toMatchObject({ status: 'ABORTED' });
    const nothing = { processingState: null, processingMessage: null };
    expect(await objectOf(server.admin, read)).toMatchObject(nothing);
    expect(await objectOf(server.admin, waits)).toMatchObject({ processingState: 'QUEUED' });
    server = await server.restart({ settings: READING });
    expect(await settled(waits)).toMatchObject(nothing);
    expect((await textOf(waits)).text).toBe('waits');
  });

  it('refuses what makes no sense, and users without the right', async () => {
    for (const body of [{ type: 'User' }, { type: 'None' }, { folder: '/nowhere' }, { folder: 'x' }, { what: 1 }])
      expect((await run(body)).status, JSON.stringify(body)).toBe(422);
    await server.admin.create('User', { name: 'joe', password: 'secret-of-joe' });
    expect((await run({}, server.as('joe', 'secret-of-joe'))).status).toBe(401);
  });
});

describe('texts', () => {
  it('are found over REST by who may read the file', async () => {
    await server.admin.create('User', { name: 'jane', password: 'secret-of-jane' });
    await allow(server.admin, 'File', 'user', ['GET']);
    const seen = await uploaded(server.admin, file('seen.pdf', documents.pdf(['a blue whale in the sea'])), {
      visibleToAuthenticatedUsers: 'true',
    });
    const hidden = await uploaded(server.admin, file('hidden.docx', documents.docx(['whale whale whale'])));
    for (const id of [seen, hidden]) await settled(id);
    const search = (client: Client) => client.get('/File?_search=%22blue%20whale%22%20whale*');
    await until(async () => (await search(server.admin)).body.result_count === 2, 'both are found');
    const { body } = await search(server.as('jane', 'secret-of-jane'));
    expect(body).toMatchObject({
      result: [{ id: seen }],
      result_count: 1,
      matches: [{ id: seen, score: 1, snippets: { extractedContent: ['a <mark>blue whale</mark> in the sea'] } }],
    });
  });
});
