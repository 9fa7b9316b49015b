import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  BOUNDARY,
  contentsOnDisk,
  countOf,
  fields,
  file,
  multipart,
  objectOf,
  sendForm,
  until,
  upload,
} from '../support/files.js';
import { TestServer } from '../support/server.js';

const MB = 1024 * 1024;
const FORM = `multipart/form-data; boundary=${BOUNDARY}`;

/** Numbers from 0 to 1 that are the same each time. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** What is put into bodies: what means something to parsers. */
const PIECES: readonly string[] = [
  '\r\n',
  '\r',
  '\n',
  '\0',
  ' ',
  '\t',
  '-',
  '--',
  `--${BOUNDARY}`,
  `\r\n--${BOUNDARY}\r\n`,
  `\r\n--${BOUNDARY}--\r\n`,
  `--${BOUNDARY}--`,
  'Content-Disposition: form-data',
  '; name="x"',
  '; filename="y"',
  "; filename*=UTF-8''%zz",
  "; filename*=UTF-8''%00",
  '; filename="',
  '; name=',
  '"',
  '\\',
  '%',
  '%00',
  '%2e%2e%2f',
  '../',
  ';',
  ':',
  '=',
  'Content-Type: ',
  'Content-Type: multipart/mixed; boundary=inner\r\n',
  'Content-Type: text/plain; charset=utf-16le\r\n',
  'Content-Type: text/plain; charset=nothing\r\n',
  'Content-Transfer-Encoding: base64\r\n',
  'Content-Length: 99999999\r\n',
  '\u{1F388}',
  '\xff\xfe',
  '{"id":',
  '[[[[',
  'null',
  '1e999',
  '9'.repeat(40),
  'x'.repeat(5000),
];
const NAMES = [
  'type',
  'parent',
  'name',
  'uploadFolderPath',
  'redirectOnSuccess',
  'url',
  'owner',
  'id',
  '__proto__',
  'constructor',
  'visibleToPublicUsers',
  'base64Data',
  'linkingElements',
  'hasParent',
  'thumbnails',
  'cacheForSeconds',
];

/** A body that something happened to. */
function mutated(random: () => number): { body: Buffer; type: string } {
  const below = (n: number): number => Math.floor(random() * n);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const parts = [file(`f-${String(below(1e9))}.txt`, 'x'.repeat(below(3000)))];
  for (let i = below(4); i > 0; i--) parts.push({ name: pick(NAMES), content: pick(PIECES) });
  let body = multipart(parts.sort(() => random() - 0.5));
  for (let i = 1 + below(4); i > 0; i--) {
    const at = below(body.length);
    const until = Math.min(body.length, at + below(60));
    const piece = Buffer.from(pick(PIECES), random() < 0.5 ? 'utf8' : 'latin1');
    const [before, middle, after] = [body.subarray(0, at), body.subarray(at, until), body.subarray(until)];
    body = pick([
      () => Buffer.concat([before, piece, middle, after]),
      () => Buffer.concat([before, piece, after]),
      () => Buffer.concat([before, after]),
      () => Buffer.concat([before, middle, middle, after]),
      () => before,
      () => Buffer.concat([before, middle.map((byte) => byte ^ (1 << below(8))), after]),
    ])();
  }
  const type =
    random() < 0.9
      ? FORM
      : pick([
          `${FORM}x`,
          'multipart/form-data; boundary=',
          'multipart/form-data; boundary="a',
          `${FORM}; boundary=x`,
          `multipart/form-data; boundary="${BOUNDARY}"`,
          'multipart/mixed; boundary=x',
          `multipart/form-data; boundary=${'b'.repeat(300)}`,
        ]);
  return { body, type };
}

/** Forms that are none, or hardly one. */
describe('broken forms', () => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await TestServer.start({ settings: { 'uploadservlet.maxrequestsize': 60 } });
    admin = server.admin;
    await upload(admin, [file('first')]);
  });
  afterAll(() => server.stop());
  /** Every file has one content, and there are no others. */
  const consistent = async (): Promise<void> => {
    const count = await countOf(admin, 'File');
    await until(async () => (await contentsOnDisk(server)).length === count, `${String(count)} contents`);
    server.assertAlive();
    expect(server.logged(/failed unexpectedly|unhandled/i)).toEqual([]);
  };

  it('600 of them are answered with 200, 302 or 4xx, and leave nothing behind', async () => {
    const seed = Number(process.env['SVC_SEED'] ?? 20_240);
    const random = seeded(seed);
    const statuses = new Map<number, number>();
    for (let round = 0; round < 75; round++) {
      const bodies = Array.from({ length: 8 }, () => mutated(random));
      const answers = await Promise.all(bodies.map(({ body, type }) => sendForm(admin, body, type)));
      for (const [i, { status, text }] of answers.entries()) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const fine = status === 200 || status === 302 || (status >= 400 && status < 500);
        expect(fine, `seed ${String(seed)}, ${String(round)}/${String(i)}: ${text}\n${String(bodies[i]?.body)}`).toBe(
          true,
        );
      }
    }
    // The corpus is no use when everything is refused, or nothing.
    expect(statuses.get(200)).toBeGreaterThan(50);
    expect(statuses.get(400)).toBeGreaterThan(50);
    await consistent();
  });

  it('a body that ends anywhere is refused', async () => {
    const whole = multipart([...fields({ url: 'x' }), file('cut.txt', 'y'.repeat(50)), ...fields({ position: '1' })]);
    const before = await countOf(admin, 'File');
    // All but the line end behind the last boundary is needed.
    for (let length = 0; length < whole.length - 2; length += 3) {
      const { status } = await sendForm(admin, whole.subarray(0, length), FORM);
      expect(status, String(length)).toBe(400);
    }
    expect(await countOf(admin, 'File')).toBe(before);
    await consistent();
  });

  it('boundaries: within content, in quotes, with what is behind and before them', async () => {
    const content = `a\r\n--${BOUNDARY.slice(0, -1)}\r\n--${BOUNDARY}`.slice(0, -1) + `\n--${BOUNDARY}\r-${BOUNDARY}`;
    const send = async (body: string | Buffer, type = FORM): Promise<number> =>
      (await sendForm(admin, Buffer.from(body), type)).status;
    const id = (await upload(admin, [file('boundary.txt', content)])).text;
    expect(await objectOf(admin, id)).toMatchObject({ size: content.length });
    const body = multipart([file('b.txt')]).toString();
    expect(await send(body, `multipart/form-data; boundary="${BOUNDARY}"`)).toBe(200);
    expect(await send(body, `Multipart/Form-Data;charset=utf-8;boundary=${BOUNDARY}`)).toBe(200);
    expect(await send(`a preamble\r\n${body}an epilogue\r\n--${BOUNDARY}\r\n`)).toBe(200);
    expect(await send(body, 'multipart/form-data; boundary=other')).toBe(400);
    expect(await send(body, `multipart/form-data; boundary=${BOUNDARY}-`)).toBe(400);
    // The rule is 70 characters; some send more.
    for (const [length, status] of [
      [70, 200],
      [200, 200],
      [201, 400],
      [2000, 400],
    ] as const) {
      const long = 'b'.repeat(length);
      expect(
        await send(multipart([file('long.txt')], long), `multipart/form-data; boundary=${long}`),
        String(length),
      ).toBe(status);
    }
    expect(await send(`--${BOUNDARY}--\r\n`)).toBe(400);
    expect(await send(`--${BOUNDARY}\r\n`.repeat(1000) + `--${BOUNDARY}--\r\n`)).toBe(400);
    expect(await send('')).toBe(400);
    // Behind the end nothing counts, and nothing is waited for.
    expect(await send(body + body)).toBe(200);
    const more = multipart([file('b.txt'), file('c.txt')]).toString();
    const before = await countOf(admin, 'File');
    const rests = [more, more.slice(0, -20), multipart([file('b.txt'), ...fields({ url: 'x' })]).toString()];
    for (const rest of rests) expect(await send(body + rest)).toBe(200);
    expect(await countOf(admin, 'File')).toBe(before + rests.length);
    await consistent();
  });

  it('parts without name, file name, disposition or known charset', async () => {
    const part = (head: string, content = 'x'): Buffer =>
      Buffer.from(`--${BOUNDARY}\r\n${head}\r\n\r\n${content}\r\n--${BOUNDARY}--\r\n`);
    const send = async (head: string): Promise<number> => (await sendForm(admin, part(head), FORM)).status;
    expect(await send('Content-Disposition: form-data; filename="no-name.txt"')).toBe(200);
    expect(await send('Content-Disposition: form-data; name="a"')).toBe(400);
    expect(await send('Content-Disposition: form-data')).toBe(400);
    expect(await send('Content-Disposition: form-data; name=""')).toBe(400);
    expect(await send('Content-Disposition: attachment; filename="a.txt"')).toBe(400);
    expect(await send('Content-Type: text/plain')).toBe(400);
    expect(await send('X: y')).toBe(400);
    expect(await send('Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=nothing')).toBe(
      400,
    );
    expect(
      await send('Content-Disposition: form-data; name="a"; filename=""\r\nContent-Type: application/octet-stream'),
    ).toBe(422);
    expect(await send('Content-Disposition: form-data; name="a"; filename*=UTF-8\'\'%E4%BD%A0.txt')).toBe(200);
    expect(await send('Content-Disposition: form-data; name="a"; filename*=UTF-8\'\'a%00b')).toBe(422);
    expect(await send('Content-Disposition: form-data; name="a"; filename*=UTF-8\'\'..%2fb')).toBe(422);
    expect(await send(`Content-Disposition: form-data; name="a"; filename="${'n'.repeat(10_000)}.txt"`)).toBe(422);
    expect(await send(`Content-Disposition: form-data; name="a"; filename="a.txt"\r\nX: ${'x'.repeat(20_000)}`)).toBe(
      400,
    );
    expect(await send(`Content-Disposition: form-data; name="a"; filename="a.txt"\r\n${'X: y\r\n'.repeat(2500)}`)).toBe(
      400,
    );
    await consistent();
  });

  it('names longer than any on disk are refused, since nothing could be extracted by them; 255 bytes are taken', async () => {
    for (const name of ['n'.repeat(256), 'ü'.repeat(128), '🎈'.repeat(64), 'n'.repeat(10_000)]) {
      expect((await upload(admin, [file(name)])).status).toBe(422);
      expect((await upload(admin, [file('short'), ...fields({ name })])).status).toBe(422);
    }
    for (const name of ['n'.repeat(255), 'ü'.repeat(127), '🎈'.repeat(63)]) {
      const id = (await upload(admin, [file(name)])).text;
      expect((await objectOf(admin, id))['name']).toBe(name);
      const again = (await upload(admin, [file('short'), ...fields({ name })])).text;
      expect((await objectOf(admin, again))['name']).toMatch(/_\d{4}-\d\d-\d\d-\d{9}$/);
    }
    await consistent();
  });

  it('10,000 fields and 10,000 parts are taken, more are not', async () => {
    const many = (n: number): ReturnType<typeof fields> =>
      Array.from({ length: n }, (_, i) => ({ name: `url`, content: String(i) }));
    expect((await upload(admin, [file('fields'), ...many(9999)])).status).toBe(200);
    expect((await upload(admin, [file('fields'), ...many(10_000)])).status).toBe(413);
    const before = await countOf(admin, 'File');
    const none = { name: 'file', filename: '', content: '', type: 'application/octet-stream' };
    expect((await upload(admin, [...Array.from({ length: 9999 }, () => none), file('one of many')])).status).toBe(200);
    expect((await upload(admin, [...Array.from({ length: 10_000 }, () => none), file('one too many')])).status).toBe(
      413,
    );
    expect(await countOf(admin, 'File')).toBe(before + 1);
    await consistent();
  });

  it('1,000 files in one request, with few of them open at a time', async () => {
    const before = await countOf(admin, 'File');
    const answer = await upload(
      admin,
      Array.from({ length: 1000 }, (_, i) => file(`thousand-${String(i)}`, String(i))),
    );
    expect((await objectOf(admin, answer.text))['name']).toBe('thousand-999');
    expect(await countOf(admin, 'File')).toBe(before + 1000);
    await consistent();
  });

  it('clients that vanish at every tenth leave nothing behind', async () => {
    const body = multipart([
      file('first.bin', Buffer.alloc(MB)),
      ...fields({ url: 'gone' }),
      file('second.bin', Buffer.alloc(MB)),
    ]);
    const id = (await upload(admin, [file('put.txt', 'as it was')])).text;
    const before = await countOf(admin, 'File');
    for (const [method, path] of [
      ['POST', '/svc/upload'],
      ['PUT', `/svc/upload/${id}`],
    ] as const) {
      for (let tenth = 0; tenth < 10; tenth++) {
        await new Promise<void>((resolve) => {
          const socket = createConnection(server.port, '127.0.0.1');
          socket.on('error', () => undefined);
          socket.on('close', () => {
            resolve();
          });
          socket.write(
            `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nX-User: admin\r\nX-Password: admin\r\nContent-Type: ${FORM}\r\n` +
              `Content-Length: ${String(body.length)}\r\n\r\n`,
          );
          socket.write(body.subarray(0, Math.floor((body.length * tenth) / 10)), () => {
            // Once cleanly, once by a reset.
            if (tenth % 2 === 0) socket.destroy();
            else socket.resetAndDestroy();
          });
        });
      }
    }
    await consistent();
    expect(await countOf(admin, 'File')).toBe(before);
    expect(await objectOf(admin, id)).toMatchObject({ size: 9, version: 1 });
  });
});
