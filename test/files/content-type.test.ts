import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isActive } from '../../src/main/files/content/content-type.js';
import type { Client } from '../support/client.js';
import { fields, file, objectOf, served, upload, uploaded } from '../support/files.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const PNG = hex('89504e470d0a1a0a 0000000d49484452 0000000100000001 0806000000 1f15c489');
const JPEG = hex('ffd8ffe000104a46494600010100000100010000');
const GIF = Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1');
const PDF = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1');
const MP4 = hex('0000001c 66747970 69736f6d 00000200 69736f6d69736f326d703431');
const HTML = '<!DOCTYPE html><script>alert(document.cookie)</script>';
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const XML = '<?xml version="1.0"?>';

/** A ZIP with one entry that is stored. */
function zip(name: string, content: string): Buffer {
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(20, 4);
  head.writeUInt32LE(content.length, 18);
  head.writeUInt32LE(content.length, 22);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, Buffer.from(name), Buffer.from(content)]);
}

/** Name, what the client claims, content; the type it is. */
const CASES: readonly [name: string, claimed: string | undefined, content: string | Buffer, type: string][] = [
  ['a.png', 'image/png', PNG, 'image/png'],
  ['a.txt', 'text/plain', PNG, 'image/png'],
  ['a.html', 'text/html', PNG, 'image/png'],
  ['a', undefined, JPEG, 'image/jpeg'],
  ['a.png', 'image/png', JPEG, 'image/jpeg'],
  ['a.gif', undefined, GIF, 'image/gif'],
  ['a.pdf', 'application/octet-stream', PDF, 'application/pdf'],
  ['a.txt', undefined, PDF, 'application/pdf'],
  ['a.mp4', undefined, MP4, 'video/mp4'],
  ['a.png', 'image/png', HTML, 'text/plain'],
  ['a.jpg', undefined, HTML, 'text/plain'],
  ['a.pdf', 'application/pdf', HTML, 'text/plain'],
  ['a', 'text/html', HTML, 'text/plain'],
  ['a.txt', 'text/html', HTML, 'text/plain'],
  ['a.html', undefined, HTML, 'text/html'],
  ['a.HTM', 'image/png', HTML, 'text/html'],
  ['a.svg', undefined, SVG, 'image/svg+xml'],
  ['a.svg', 'image/svg+xml', XML + SVG, 'image/svg+xml'],
  ['a.txt', 'image/svg+xml', SVG, 'text/plain'],
  ['a.xml', undefined, `${XML}<a/>`, 'application/xml'],
  ['a.css', undefined, 'body{}', 'text/css'],
  ['a.js', undefined, 'alert(1)', 'application/javascript'],
  ['a.csv', 'application/vnd.ms-excel', 'a,b', 'text/csv'],
  ['a.json', undefined, '{}', 'application/json'],
  ['a.md', undefined, '# a', 'text/markdown'],
  ['a.docx', undefined, zip('a', 'b'), 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  [
    'a.odt',
    undefined,
    zip('mimetype', 'application/vnd.oasis.opendocument.text'),
    'application/vnd.oasis.opendocument.text',
  ],
  ['a.zip', undefined, zip('a', 'b'), 'application/zip'],
  ['a.png', 'image/png', zip('a', 'b'), 'application/zip'],
  ['a.zip', undefined, HTML, 'text/plain'],
  ['noextension', undefined, 'plain words', 'text/plain'],
  ['noextension', undefined, Buffer.from([0, 1, 2, 3, 255]), 'application/octet-stream'],
  ['noextension', 'application/x-own', Buffer.from([0, 1, 2, 3, 255]), 'application/x-own'],
  ['noextension', 'not a type\t', Buffer.from([0, 1, 2, 3, 255]), 'application/octet-stream'],
  ['a.unknownext', 'multipart/x-mixed-replace', HTML, 'text/plain'],
  ['a.constructor', undefined, 'x', 'text/plain'],
  ['empty.txt', undefined, '', 'text/plain'],
  ['empty.png', undefined, '', 'image/png'],
  ['empty', undefined, '', 'text/plain'],
];

describe('content types', () => {
  let server: TestServer;
  let admin: Client;
  let anna: Client;
  beforeAll(async () => {
    server = await TestServer.start();
    admin = server.admin;
    await admin.create('User', { name: 'anna', password: 'annas-password' });
    anna = server.as('anna', 'annas-password');
    for (const path of ['File', 'File/_id']) await allow(admin, path, 'user', ['POST', 'PUT']);
  });
  afterAll(() => server.stop());

  it('come from the bytes, then the name, then the client', async () => {
    for (const [name, claimed, content, type] of CASES) {
      const id = await uploaded(admin, file(name, content, claimed));
      const found = await objectOf(admin, id);
      const what = `${name} as ${String(claimed)}: ${content.toString('latin1').slice(0, 20)}`;
      expect(found['contentType'], what).toBe(type);
      const kind = type.startsWith('image/') ? 'Image' : type.startsWith('video/') ? 'VideoFile' : 'File';
      expect(found['type'], what).toBe(kind);
      expect((await served(admin, `/${id}`)).headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('a field says it where somebody knows better', async () => {
    const id = await uploaded(admin, file('a.bin', 'x'), { contentType: 'text/x-own; charset=iso-8859-1' });
    expect((await objectOf(admin, id))['contentType']).toBe('text/x-own; charset=iso-8859-1');
    expect((await served(admin, `/${id}`)).headers['content-type']).toBe('text/x-own; charset=iso-8859-1');
  });

  it('a file made by REST has the type of its name, and an image is one', async () => {
    const made = async (body: object): Promise<Record<string, unknown>> =>
      objectOf(admin, await admin.create('File', body));
    expect(await made({ name: 'r.css' })).toMatchObject({
      type: 'File',
      contentType: 'text/css',
      size: 0,
      version: 0,
      checksum: null,
    });
    expect(await made({ name: 'r.png' })).toMatchObject({ type: 'Image', contentType: 'image/png' });
    expect(await made({ name: 'r.png', contentType: 'text/plain' })).toMatchObject({
      type: 'File',
      contentType: 'text/plain',
    });
  });

  it('scripts in what users upload do not run in the site’s name; administrators’ do', async () => {
    const policy = async (client: Client, id: string): Promise<unknown> =>
      (await served(client, `/${id}`)).headers['content-security-policy'];
    const active = [
      'text/html',
      'image/svg+xml',
      'application/xhtml+xml',
      'application/xml',
      'text/xml',
      'text/xsl',
      'application/x+xml',
    ];
    const tricks = [
      'TEXT/HTML',
      'text/html;charset=x',
      'image/png, text/html',
      'text/html , x/y',
      ' text/html',
      'multipart/x-mixed-replace;boundary=x',
      'nothing',
      'a/b;c=", text/html',
    ];
    for (const contentType of [...active, ...tricks]) {
      const id = await uploaded(anna, file('page', HTML), { contentType });
      expect(await policy(anna, id), contentType).toBe('sandbox');
      // What an administrator changes about it does not make the content his.
      await admin.put(`/File/${id}`, { visibleToAuthenticatedUsers: true });
      expect(await policy(admin, id), contentType).toBe('sandbox');
    }
    for (const contentType of ['text/plain', 'image/png', 'application/pdf', 'text/css']) {
      expect(
        await policy(anna, await uploaded(anna, file('page', HTML), { contentType })),
        contentType,
      ).toBeUndefined();
    }
    // Nor does a type that comes later.
    const later = await uploaded(anna, file('later.txt', HTML));
    expect((await anna.put(`/File/${later}`, { contentType: 'text/html' })).status).toBe(200);
    expect(await policy(anna, later)).toBe('sandbox');
    expect((await anna.put(`/File/${later}`, { sandboxed: false })).status).toBe(422);
    const admins = await uploaded(admin, file('page.html', HTML), { visibleToAuthenticatedUsers: 'true' });
    expect(await policy(admin, admins)).toBeUndefined();
    // Who writes last decides.
    const put = { method: 'PUT', path: `/svc/upload/${later}` } as const;
    expect((await upload(admin, [file('x', HTML)], put)).status).toBe(200);
    expect(await policy(admin, later)).toBeUndefined();
    expect((await upload(anna, [file('x', HTML)], put)).status).toBe(200);
    expect(await policy(admin, later)).toBe('sandbox');
    await server.reload({ 'uploadservlet.allowanonymousuploads': true });
    expect(await policy(admin, await uploaded(server.as(), file('page.html', HTML)))).toBe('sandbox');
  });

  it('names and types cannot put anything into headers', async () => {
    const name = 'a\r\nSet-Cookie: x=1\r\n\r\n<script>.html';
    const id = (await upload(anna, [file('x', HTML), ...fields({ name, contentType: 'text/html\r\nX-Evil: 1' })])).text;
    expect(await objectOf(admin, id)).toMatchObject({ name });
    for (const path of [
      `/${id}`,
      `/${id}?_filename=${encodeURIComponent(name)}`,
      `/._svc_uploads/${encodeURIComponent(name)}`,
    ]) {
      const { status, headers } = await served(admin, path);
      expect(status, path).toBe(200);
      expect(headers['x-evil'] ?? headers['set-cookie'], path).toBeUndefined();
      expect(
        headers['content-security-policy'] === 'sandbox' || headers['content-type'] === 'application/octet-stream',
      ).toBe(true);
    }
  });

  it('what is no type counts as active', () => {
    for (const type of ['x', 'text/html', 'a/b,c/d,text/html', ',', 'text/html;', '\ttext/html'])
      expect(isActive(type), type).toBe(true);
    for (const type of ['', 'text/plain', 'text/plain; charset=utf-8', 'image/png', 'application/json'])
      expect(isActive(type), type).toBe(false);
  });
});
