/** Pages whose body takes its time (docs/interface/pages.md 2.10). */
import { get } from 'node:http';
import { connect } from 'node:net';
import { createGunzip } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getPage, makePage, type Tree } from '../support/pages.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
const WAIT = 'sleep(700)';

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

test('the head leaves before the body is there, and a client that is gone stops the work', async () => {
  await makePage(server.admin, 'slow', [
    [
      'html',
      {},
      ['head', {}, ['title', {}, 'first']],
      ['body', {}, ['p', {}, `\${${WAIT}}`], ['p', {}, "${log('the end of ', request.q)}"], ['p', {}, 'last']],
    ],
  ]);
  const begun = async (q: string, signal?: AbortSignal): Promise<[ReadableStreamDefaultReader<Uint8Array>, string]> => {
    const answer = await fetch(`${server.url}/slow?q=${q}`, {
      headers: { 'Accept-Encoding': 'identity' },
      ...(signal === undefined ? {} : { signal }),
    });
    const reader = answer.body?.getReader();
    if (reader === undefined) throw new Error('there is no body');
    return [reader, new TextDecoder().decode((await reader.read()).value)];
  };
  const leaving = new AbortController();
  const [, seen] = await begun('gone', leaving.signal);
  expect([seen.includes('<title>first'), seen.includes('last')]).toEqual([true, false]);
  leaving.abort();
  const [reader, first] = await begun('stays');
  expect([first.includes('<title>first'), first.includes('last')]).toEqual([true, false]);
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read())
    rest += new TextDecoder().decode(part.value);
  expect(rest).toContain('last');
  await expect.poll(() => server.logged(/the end of stays/).length).toBe(1);
  expect(server.logged(/the end of gone/)).toEqual([]);
});

test('the head leaves compressed as well; what scripts set behind it is not sent, and logged', async () => {
  await makePage(server.admin, 'packed', [
    [
      'html',
      {},
      ['head', {}, ['title', {}, 'first']],
      ['body', {}, ['p', {}, `\${${WAIT}}`], ['p', {}, "${setResponseHeader('X-Late', 'yes')}"], ['p', {}, 'last']],
    ],
  ]);
  const seen = await new Promise<{ early: string; all: string; late: unknown; coding: unknown }>((resolve, reject) => {
    get(`${server.url}/packed`, { headers: { 'Accept-Encoding': 'gzip' } }, (answer) => {
      const { 'content-encoding': coding, 'x-late': late } = answer.headers;
      const parts: string[] = [];
      answer
        .pipe(createGunzip())
        .on('data', (part: Buffer) => parts.push(part.toString()))
        .on('end', () => {
          resolve({ early: parts[0] ?? '', all: parts.join(''), late, coding });
        })
        .on('error', reject);
    }).on('error', reject);
  });
  expect([seen.coding, seen.late]).toEqual(['gzip', undefined]);
  expect([seen.early.includes('<title>first'), seen.early.includes('last')]).toEqual([true, false]);
  expect(seen.all).toContain('<p>last</p>');
  expect(server.logged(/Page packed: status, headers or cookies were set when the first part had left/).length).toBe(1);
});

test('a client that reads nothing keeps no isolate: scripts wait for each other, not for it', async () => {
  const one = await TestServer.start({
    settings: { 'application.scripting.js.isolates': 1 },
  });
  try {
    // More than what stands between a server and a client that does not read.
    const long = 'x'.repeat(3 * 1024 * 1024);
    const stored = '${{ $.requestStore.seen = $.request.q; $.log("the last of", $.request.q); "last" }}';
    const paragraphs = Array.from({ length: 8 }, (): Tree => ['p', {}, long]);
    // Functions need an isolate.
    const needing = (text: string): string => `\${{ (() => "${text}")() }}`;
    await makePage(one.admin, 'long', [['html', {}, ['body', {}, needing('first'), ...paragraphs, stored]]]);
    await makePage(one.admin, 'short', [['html', {}, ['body', {}, `${needing('one')} ${needing('two')}`]]]);
    expect((await getPage(one.as(), '/long?q=reader')).text).toMatch(/first[^]*last/);
    const { hostname, port } = new URL(one.url);
    const socket = connect(Number(port), hostname);
    try {
      socket.write('GET /long?q=sleeper HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: identity\r\n\r\n');
      await expect.poll(() => one.logged(/the last of.*sleeper/).length, { timeout: 5000 }).toBe(1);
      expect((await getPage(one.as(), '/short')).text).toContain('one two');
    } finally {
      socket.destroy();
    }
  } finally {
    await one.stop();
  }
});
