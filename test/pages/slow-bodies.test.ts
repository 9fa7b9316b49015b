/** Pages whose body takes its time (docs/interface/pages.md 2.10). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePage } from '../support/pages.js';
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
