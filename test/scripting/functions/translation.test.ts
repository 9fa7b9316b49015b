/** `translate` of scripts (docs/interface/script-runtime.md 8.10), with a service that answers as the real ones do. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { TestServer } from '../../support/server.js';
import { Calls } from '../calls.js';
import { TargetServer } from '../target-server.js';

let server: TestServer;
let target: TargetServer;
let calls: Calls;
let answer: { status: number; body: string };

beforeAll(async () => {
  target = await TargetServer.start();
  target.routes.set('/service', (_, response) => response.writeHead(answer.status).end(answer.body));
  server = await TestServer.start({
    settings: {
      'translation.google.apikey': 'google-key',
      'translation.google.url': target.url('/service'),
      'translation.deepl.url': target.url('/service'),
    },
  });
  calls = await Calls.on(server, { exTranslate: "translate(retrieve('text'), 'de', 'en')" });
});
afterAll(async () => {
  await server.stop();
  await target.stop();
});
beforeEach(() => {
  answer = { status: 200, body: '{"data": {"translations": [{"translatedText": "house"}]}}' };
  target.seen.length = 0;
});

it('asks Google', async () => {
  expect(await calls.ex('exTranslate', { text: 'Häuser' })).toBe('house');
  expect(target.last.headers['x-goog-api-key']).toBe('google-key');
  const body: unknown = JSON.parse(Buffer.from(target.last.body, 'latin1').toString());
  expect(body).toEqual({ q: 'Häuser', source: 'de', target: 'en', format: 'text' });
});

it('asks DeepL, when there is a key', async () => {
  expect(await calls.refused(['translate', 'Haus', 'de', 'en', 'deepl'])).toMatch(/translation\.deepl\.apikey/);
  expect(target.seen).toEqual([]);
  await server.reload({ 'translation.deepl.apikey': 'deepl-key' });
  answer.body = '{"translations": [{"text": "home"}]}';
  // Headers that a script set for calls of its own are not for the service.
  expect(await calls.js(['addHeader', 'X-Own', 'x'], ['translate', 'Haus', 'de', 'en', 'DeepL'])).toBe('home');
  expect(target.last.headers['x-own']).toBeUndefined();
  expect(target.last.headers.authorization).toBe('DeepL-Auth-Key deepl-key');
  expect(JSON.parse(target.last.body)).toEqual({ text: ['Haus'], source_lang: 'DE', target_lang: 'EN' });
});

it('says what cannot be', async () => {
  for (const bad of [
    { status: 403, body: '{}' },
    { status: 200, body: 'no JSON' },
    { status: 200, body: '{"data": []}' },
  ]) {
    answer = bad;
    expect(await calls.refused(['translate', 'x', 'de', 'en'])).toMatch(
      new RegExp(`status ${String(bad.status)} and no`),
    );
  }
  expect(await calls.refused(['translate', 'x', 'de', 'en', 'oracle'])).toMatch(/google and deepl/);
  expect(await calls.refused(['translate', 'x', 'de&key=1', 'en'])).toMatch(/Languages/);
  expect(await calls.refused(['translate', 'x'.repeat(40_000), 'de', 'en'])).toMatch(/30000 characters/);
  expect(await calls.js(['translate', 'x'])).toMatch(/^Usage/);
  target.seen.length = 0;
  expect(await calls.js(['translate', '  ', 'de', 'en'])).toBe('  ');
  expect(target.seen).toEqual([]);
});

it('obeys the lists of targets', async () => {
  await server.reload({ 'application.httphelper.blockedaddresses': 'private' });
  expect(await calls.refused(['translate', 'x', 'de', 'en'])).toMatch(/not permitted/);
});
