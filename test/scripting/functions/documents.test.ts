/** XPath, bar codes, spreadsheets and PDF documents of scripts (docs/interface/script-runtime.md 8.5, 8.8), by methods over REST in both languages. */
import { PDFDocument } from '@cantoo/pdf-lib';
import readXlsxFile from 'read-excel-file/node';
import { deflateSync, inflateSync } from 'node:zlib';
import writeXlsxFile from 'write-excel-file/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Deflater } from '../../../src/main/files/zip/container/deflater.js';
import { zip, type ZipEntry } from '../../../src/main/files/zip/container/writer.js';
import { unzipped } from '../../support/unzipped.js';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';
import { uploaded } from '../../support/storage.js';
import type { Client } from '../../support/client.js';
import { Calls } from '../calls.js';

let server: TestServer;
let admin: Client;
let calls: Calls;
beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  calls = await Calls.on(server, {
    exXpath: "xpath(xml(retrieve('xml')), retrieve('expression'))",
    jsXpath: `{
      const { xml, expression, type } = $.methodParameters;
      const found = $.xpath($.xml(xml), expression, type);
      const plain = (one) => one !== null && typeof one === 'object' ? one.name + '=' + one.text : String(one);
      return Array.isArray(found) ? found.map(plain) : plain(found);
    }`,
    exBarcode:
      "setContent(first(find('File', 'id', retrieve('id'))), barcode('QR_CODE', 'hello', 100, 120), 'ISO-8859-1')",
    jsBarcode: `{
      const { id, type, text, width, height, hints } = $.methodParameters;
      $.setContent($.find('File', id), $.barcode(type, text, width, height, hints), 'ISO-8859-1');
    }`,
    exExcel:
      "setContent(first(find('File', 'id', retrieve('id'))), toExcel(fromJson(retrieve('json')), split('a,b')), 'ISO-8859-1')",
    jsExcel: `{
      const file = $.find('File', $.retrieve('id'));
      const list = [
        { text: 'lörem', number: 1.5, whole: 7, date: new Date(Date.UTC(2026, 0, 2, 3, 4, 5)), flag: true, none: null },
        { text: '0123456789', number: -2, whole: 0, date: null, flag: false, none: null },
      ];
      const keys = ['text', 'number', 'whole', 'date', 'flag', 'none'];
      const o = JSON.parse($.retrieve('options'));
      $.setContent(file, $.toExcel(list, keys, o.header, false, null, o.longest, o.overflow), 'ISO-8859-1');
    }`,
    jsLarge:
      "{ return $.toExcel(Array.from({ length: 1000 }, () => ({})), Array.from({ length: 600 }, (_, i) => 'k' + i)).length; }",
    exRead: "fromExcel(first(find('File', 'id', retrieve('id'))))",
    jsRead: `{
      const rows = $.fromExcel($.find('File', $.retrieve('id')), $.retrieve('sheet'));
      return rows.map((row) => Object.entries(row).map(([key, value]) => key + ':' + (value instanceof Date ? value.toISOString() : value)).join(' '));
    }`,
    exPdf: "pdfEncrypt(first(find('File', 'id', retrieve('id'))), retrieve('password'))",
  });
});
afterAll(() => server.stop());

const create = (bytes: Buffer, name = 'x.bin'): Promise<string> =>
  uploaded(admin, {}, `${String(Math.random())}${name}`, bytes);
const content = async (id: string): Promise<Buffer> =>
  Buffer.from(
    await (
      await fetch(`${server.url}/svc/html/${id}`, { headers: { 'X-User': 'admin', 'X-Password': 'admin' } })
    ).arrayBuffer(),
  );
const refused = async (name: string, body: object, status = 422): Promise<string> => {
  const answer = await admin.post(`/${name}`, body);
  expect(answer.status, answer.text).toBe(status);
  return answer.body.message;
};

describe('XPath', () => {
  const xml = '<r xmlns="urn:x" xmlns:y="urn:y"><i k="1">a &amp; b</i><i k="2">c<y:z/></i></r>';
  const found = (expression: string, type: string): Promise<unknown> => calls.ex('jsXpath', { xml, expression, type });

  it('finds texts, numbers, truth and nodes', async () => {
    expect(await calls.ex('exXpath', { xml, expression: '/r/i[2]' })).toBe('c');
    expect(await calls.ex('exXpath', { xml, expression: '//i/@k' })).toBe('1');
    expect(await found('//i[1]', 'STRING')).toBe('a & b');
    expect(await found('sum(//@k)', 'number')).toBe('3');
    expect(await found('//y:z', 'BOOLEAN')).toBe('true');
    expect(await found('//i', 'NODESET')).toEqual(['i=a & b', 'i=c']);
    expect(await found('//@k', 'NODESET')).toEqual(['1', '2']);
    expect(await found('//i[@k = 2]', 'NODE')).toBe('i=c');
    expect(await found('//nothing', 'NODE')).toBe('null');
    expect(await calls.js(['xpath', xml, '//i'])).toBe('a & b');
  });

  it('is refused when it is none', async () => {
    for (const expression of ['//[', '//unknown:x', 'nofunction()']) {
      expect(await calls.refused(['xpath', xml, expression]), expression).toMatch(/cannot be evaluated/);
    }
    expect(await calls.refused(['xpath', xml, 'count(//i)', 'NODESET'])).toMatch(/does not lead to nodes/);
    expect(await calls.js(['xpath', xml, '//i', 'TREE'])).toMatch(/^Usage: xpath/);
    expect(await calls.js(['xpath', 'no document', '//i'])).toBe('');
    const bomb = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>';
    expect(await calls.js(['xpath', bomb, '//a'])).toBe('');
    const nested = `${'<a>'.repeat(100)}${'x'.repeat(50_000)}${'</a>'.repeat(100)}`;
    expect(await calls.refused(['xpath', nested, '//a', 'NODESET'])).toMatch(/more than 2097152 characters/);
    const twice = `concat(${Array.from({ length: 100 }, () => '/').join(',')})`;
    expect(await calls.refused(['xpath', nested, twice])).toMatch(/more than 2097152 characters/);
    expect(await calls.refused(['xpath', `<a>${'<b/>'.repeat(30_000)}</a>`, '/a', 'NODE'])).toMatch(
      /more than 20000 nodes/,
    );
  });

  it('is ended when it takes too long, and holds nobody up', async () => {
    await server.reload({ 'application.scripting.threads.timeout': 2 });
    const long = `<a>${'<b/>'.repeat(3000)}</a>`;
    const slow = calls.refused(['xpath', long, 'count(//*[count(//*[count(//*) > 1]) > 1])']);
    const begun = performance.now();
    for (let i = 0; i < 20; i++) await admin.get('/User');
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(await slow).toMatch(/xpath\(\) was ended: it took longer than 2 s/);
    await server.reload({ 'application.scripting.threads.timeout': 30 });
  });
});

/** Rows of pixels of a picture with one bit a pixel; true is black. */
function pixels(png: Buffer): boolean[][] {
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const lines = inflateSync(png.subarray(41, 41 + png.readUInt32BE(33)));
  const line = 1 + Math.ceil(width / 8);
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (__, x) => ((lines[y * line + 1 + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) === 0),
  );
}

describe('bar codes', () => {
  const drawn = async (body: object): Promise<boolean[][]> => {
    const id = await create(Buffer.from('x'));
    await calls.ex('jsBarcode', { id, width: 200, height: 200, ...body });
    return pixels(await content(id));
  };

  it('are pictures of the size that was asked for', async () => {
    const id = await create(Buffer.from('x'));
    await calls.ex('exBarcode', { id });
    const rows = pixels(await content(id));
    expect([rows.length, rows[0]?.length]).toEqual([120, 100]);
    // 21 modules and 8 of margin, 3 pixels each: the finder pattern is a frame of 7 modules.
    const [left, top] = [Math.floor((100 - 63) / 2), Math.floor((120 - 63) / 2)];
    const row = rows[top] ?? [];
    expect(row.slice(left - 1, left + 22)).toEqual([false, ...Array<boolean>(21).fill(true), false]);
    expect(rows.slice(0, top).flat().some(Boolean)).toBe(false);
  });

  it('have bars as the standard says', async () => {
    const rows = await drawn({ type: 'EAN_13', text: '4006381333931', width: 115, height: 10, hints: { MARGIN: 10 } });
    expect(rows).toHaveLength(10);
    const bits = (rows[0] ?? []).map((black) => (black ? '1' : '0')).join('');
    // Guard, 4 by parity of the next six, the middle guard, the right half, guard.
    expect(bits).toBe(
      `${'0'.repeat(10)}101${'0001101'}${'0100111'}${'0101111'}${'0111101'}${'0001001'}${'0110011'}01010` +
        `${'1000010'}${'1000010'}${'1000010'}${'1110100'}${'1000010'}${'1100110'}101${'0'.repeat(10)}`,
    );
  });

  it('of all types there are', async () => {
    const texts: Record<string, string> = {
      ...{
        AZTEC: 'x',
        CODABAR: 'A123B',
        CODE_39: 'AB-1',
        CODE_93: 'AB1',
        CODE_128: 'ab',
        DATA_MATRIX: 'x',
        EAN_8: '96385074',
      },
      ...{ ITF: '1234', PDF_417: 'text', UPC_A: '036000291452', UPC_E: '01234565' },
    };
    for (const [type, text] of Object.entries(texts)) {
      expect((await drawn({ type, text })).flat().filter(Boolean).length, type).toBeGreaterThan(50);
    }
    const plain = await drawn({ type: 'QR_CODE', text: 'x'.repeat(60), hints: { ERROR_CORRECTION: 'L' } });
    const safe = await drawn({ type: 'QR_CODE', text: 'x'.repeat(60), hints: { ERROR_CORRECTION: 'H', MARGIN: 1 } });
    expect(safe).not.toEqual(plain);
  });

  it('are empty or explain themselves when that cannot be', async () => {
    expect(await calls.js(['barcode', 'EAN_13', '123'])).toBe('');
    expect(await calls.js(['barcode', 'QR_CODE', 'x'.repeat(7000)])).toBe('');
    expect(await calls.js(['barcode', 'QR_CODE', 'x', 5000, 10])).toMatch(/^Usage/);
    expect(await calls.js(['barcode', 'TELEPATHY', 'x'])).toMatch(/^Usage/);
    expect(await calls.js(['barcode', 'QR_CODE', 'x', 100, 100, { COLOUR: 'red' }])).toMatch(/^Usage/);
    expect(await calls.js(['barcode', 'EAN_13', 'x', 100, 100, 'ERROR_CORRECTION', 'L'])).toMatch(/^Usage/);
  });
});

describe('spreadsheets', () => {
  it('are written with the kinds of their values', async () => {
    const id = await create(Buffer.from('x'));
    await calls.ex('jsExcel', { id, options: '{}' });
    expect((await readXlsxFile(await content(id)))[0]?.data).toEqual([
      ['text', 'number', 'whole', 'date', 'flag', 'none'],
      ['lörem', 1.5, 7, new Date(Date.UTC(2026, 0, 2, 3, 4, 5)), true, null],
      ['0123456789', -2, 0, null, false, null],
    ]);
    await calls.ex('exExcel', { id, json: '[{"a": "x", "b": 2}, {"a": "=1+1"}]' });
    expect((await readXlsxFile(await content(id)))[0]?.data).toEqual([
      ...[
        ['a', 'b'],
        ['x', 2],
        ['=1+1', null],
      ],
    ]);
  });

  it('keep what is too long for a cell in a comment, or cut it', async () => {
    const id = await create(Buffer.from('x'));
    const parts = async (options: object): Promise<Record<string, string>> => {
      await calls.ex('jsExcel', { id, options: JSON.stringify({ header: false, longest: 6, ...options }) });
      return Object.fromEntries((await unzipped(await content(id))).map(({ name, bytes }) => [name, bytes.toString()]));
    };
    const rest = await parts({});
    expect(rest['xl/comments1.xml']).toMatch(/<comment ref="A2" authorId="0"><text><t xml:space="preserve">6789<\/t>/);
    expect(rest['xl/worksheets/sheet1.xml']).toMatch(/<legacyDrawing r:id="rId-comments-2"\/><\/worksheet>$/);
    expect(rest['xl/worksheets/_rels/sheet1.xml.rels']).toMatch(/comments1\.xml.*vmlDrawing1\.vml/);
    expect(rest['[Content_Types].xml']).toMatch(/\/xl\/comments1\.xml/);
    expect(rest['xl/drawings/vmlDrawing1.vml']).toMatch(/<x:Row>1<\/x:Row><x:Column>0<\/x:Column>/);
    expect((await readXlsxFile(await content(id)))[0]?.data[1]?.[0]).toBe('012345');
    expect((await parts({ overflow: 'too long' }))['xl/comments1.xml']).toMatch(/>too long</);
    expect((await parts({ overflow: 't' }))['xl/comments1.xml']).toBeUndefined();
  });

  it('are refused when they are too large, or no lists', async () => {
    expect(await refused('jsLarge', {})).toMatch(/500000 cells/);
    expect(await calls.js(['toExcel', 'no list', 'public'])).toMatch(/^Usage/);
    expect(await calls.js(['toExcel', [{ a: 1 }], 'public', true, false, NULL_DOMAIN, 40_000])).toMatch(/^Usage/);
  });

  it('are read by the names in their first row', async () => {
    const date = new Date(Date.UTC(2026, 4, 6));
    const sheets = [
      {
        sheet: 'First',
        data: [
          ['name', 'count', '', 'when'],
          ['  x ', 2.5, 'lost', { value: date, type: Date, format: 'yyyy-mm-dd' }],
          ['y'],
        ],
      },
      { sheet: 'Second', data: [['k'], [true]] },
    ];
    const id = await create(await writeXlsxFile(sheets as never).toBuffer(), 'x.xlsx');
    expect(await calls.ex('jsRead', { id, sheet: 0 })).toEqual([
      'name:  x  count:2.5 when:2026-05-06T00:00:00.000Z',
      'name:y count:null when:null',
    ]);
    expect(await calls.ex('jsRead', { id, sheet: 'Second' })).toEqual(['k:true']);
    expect(await calls.ex('jsRead', { id, sheet: 1 })).toEqual(['k:true']);
    expect(await calls.ex('exRead', { id })).toHaveLength(2);
    expect(await refused('jsRead', { id, sheet: 'Third' }, 400)).toMatch(/no sheet "Third"/);
    expect(await refused('jsRead', { id, sheet: 9 }, 400)).toMatch(/no sheet 9/);
    expect(await refused('jsRead', { id, sheet: -1 }, 400)).toMatch(/no sheet -1/);
  });

  it('are refused when they are none, or get too large', async () => {
    expect(await refused('jsRead', { id: await create(Buffer.from('no spreadsheet')) })).toMatch(/cannot be read/);
    expect(await calls.js(['fromExcel', 'no file'])).toMatch(/^Usage/);
    const far = await writeXlsxFile([['a']]).toBuffer();
    const parts = await unzipped(far);
    expect(parts.length).toBeGreaterThan(5);
    const wide = await packed(
      parts.map(({ name, bytes }) => [name, name.endsWith('sheet1.xml') ? sheetWithFarCell() : bytes]),
    );
    expect(await refused('jsRead', { id: await create(wide, 'far.xlsx') })).toMatch(/too much memory|cannot be read/);
    const zeros = Buffer.alloc(130 * 1024 * 1024, ' ');
    const bomb = await packed(parts.map(({ name, bytes }) => [name, name.endsWith('sheet1.xml') ? zeros : bytes]));
    expect(await refused('jsRead', { id: await create(bomb, 'bomb.xlsx') })).toMatch(/larger than 134217728 bytes/);
    expect((await admin.get('/User')).status).toBe(200);
  });
});

describe('PDF documents', () => {
  const document = async (): Promise<Buffer> => {
    const made = await PDFDocument.create();
    made.addPage().drawText('nobody is to read this');
    return Buffer.from(await made.save());
  };

  it('open with the password alone', async () => {
    const id = await create(await document(), 'x.pdf');
    await calls.ex('exPdf', { id, password: 'pässword' });
    const bytes = await content(id);
    await expect(PDFDocument.load(bytes)).rejects.toThrow(/encrypted/);
    await expect(PDFDocument.load(bytes, { password: 'other' })).rejects.toThrow();
    expect((await PDFDocument.load(bytes, { password: 'pässword' })).getPageCount()).toBe(1);
    expect(await calls.refused(['pdfEncrypt', { file: id }, 'again'])).toMatch(/cannot be encrypted/);
  });

  it('are refused when they unpack to too much', async () => {
    const packedZeros = deflateSync(Buffer.alloc(130 * 1024 * 1024));
    const head = `%PDF-1.7\n1 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length ${String(packedZeros.length)} >>\nstream\n`;
    const bomb = Buffer.concat([Buffer.from(head), packedZeros, Buffer.from('\nendstream\nendobj\n%%EOF')]);
    const id = await create(bomb, 'bomb.pdf');
    expect(await calls.refused(['pdfEncrypt', { file: id }, 'secret'])).toMatch(/larger than 134217728 bytes/);
  });

  it('keep the mark of who wrote them', async () => {
    await admin.create('User', { name: 'author', password: 'Secret-pass-1' });
    await allow(admin, 'File', 'user', ['POST']);
    const id = await create(await document(), 'theirs.pdf');
    await admin.put(`/File/${id}`, { visibleToPublicUsers: true, contentType: 'text/html' });
    const theirs = await uploaded(server.as('author', 'Secret-pass-1'), {}, 'own.pdf', await document());
    await admin.put(`/File/${theirs}`, { visibleToPublicUsers: true, contentType: 'text/html' });
    for (const one of [id, theirs]) await calls.ex('exPdf', { id: one, password: 'x' });
    const policy = async (one: string): Promise<unknown> =>
      (await admin.get(`/svc/html/${one}`)).headers['content-security-policy'];
    expect([await policy(id), await policy(theirs)]).toEqual([undefined, 'sandbox']);
  });

  it('are refused when they are none, or who asks may not write', async () => {
    const broken = await create(Buffer.from('no document'), 'x.pdf');
    expect(await calls.refused(['pdfEncrypt', { file: broken }, 'secret'])).toMatch(/cannot be encrypted/);
    expect((await content(broken)).toString()).toBe('no document');
    expect(await calls.refused(['pdfEncrypt', { file: broken }, ''])).toMatch(/password/);
    expect(await calls.refused(['pdfEncrypt', 'no file', 'secret'])).toMatch(/no object/);
    const id = await create(await document(), 'y.pdf');
    await admin.put(`/File/${id}`, { visibleToAuthenticatedUsers: true });
    await admin.create('User', { name: 'reader', password: 'Secret-pass-1' });
    await allow(admin, 'exPdf', 'user', ['POST']);
    const answer = await server.as('reader', 'Secret-pass-1').post('/exPdf', { id, password: 'stolen' });
    expect(answer.status).toBe(403);
    expect((await PDFDocument.load(await content(id))).getPageCount()).toBe(1);
  });
});

const NULL_DOMAIN = { isNull: true };

/** A sheet whose only rows are far away from each other in both directions. */
function sheetWithFarCell(): Buffer {
  const cells = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>';
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  return Buffer.from(`<?xml version="1.0"?><worksheet xmlns="${main}"><sheetData>${cells}</sheetData></worksheet>`);
}

async function packed(parts: readonly (readonly [string, Buffer])[]): Promise<Buffer> {
  const deflater = new Deflater(() => 6);
  const MB = 1024 * 1024;
  const entries = async function* (): AsyncGenerator<ZipEntry> {
    for (const [name, bytes] of parts) {
      const read = async function* (): AsyncGenerator<Buffer> {
        // Copies: threads are handed all of the memory that a piece is in.
        for (let at = 0; at < bytes.length; at += MB) yield Buffer.from(bytes.subarray(at, at + MB));
      };
      yield { name, modified: 0, size: bytes.length, packed: false, read };
    }
  };
  const chunks: Uint8Array[] = [];
  for await (const chunk of zip(entries(), deflater)) chunks.push(chunk);
  await deflater.close();
  return Buffer.concat(chunks);
}
