/** Wherever a visitor is sent, it is somewhere of this site, unless the author of a page has named another; and no header but those of the service comes along. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getPage, makeAction, makePage } from '../../support/pages.js';
import { allow } from '../../support/permissions.js';
import { fetchPath, type Served } from '../../support/serving.js';
import { TestServer } from '../../support/server.js';

const SEED = Number(process.env['SEED'] ?? 181_813);
const HERE = 'http://here.example';
const RUNS = 100;

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
  const { admin } = server;
  await allow(admin, '_login', 'anonymous', ['POST']);
  await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
  await makePage(admin, 'acts', [
    ['html', {}, ['body', {}, ['button', { name: 'own' }], ['i', { name: 'any', type: 'I' }]]],
  ]);
  const follow = { event: 'click', action: 'none', successBehaviour: 'navigate-to-url' };
  await makeAction(admin, 'own', { ...follow, successURL: '/${request.to}' });
  await makeAction(admin, 'any', {
    event: 'click',
    action: 'none',
    successBehaviour: 'partial-refresh',
    successPartial: '${request.to}',
  });
  const content = "${setResponseHeader('Location', request.to)}${setResponseCode(302)}";
  await makePage(admin, 'sends', [['Template', { content, contentType: 'text/html' }]]);
});
afterAll(() => server.stop());

const PIECES = [
  ...[
    '/',
    '/',
    '//',
    '\\',
    '/\\',
    '\t',
    '\n',
    '\r\n',
    ' ',
    '.',
    '..',
    '?',
    '#',
    '@',
    ':',
    ':80',
    '%2f',
    '%5c',
    '%00',
    '%0d%0a',
    '\u0000',
  ],
  ...[
    'http:',
    'https:',
    'http://',
    'HTTPS:\\\\',
    'javascript:',
    'data:text/html,',
    'file:///',
    'here.invalid',
    'site.invalid',
    'here.example',
  ],
  ...[
    'evil.example',
    'evil。example',
    'evil.example\u00ad',
    '\u2028',
    '\ufeff',
    'x',
    'url:',
    'sign-out',
    '${1}',
    '{result.x}',
  ],
  ...['\r\nX-Evil: 1', '\r\nSet-Cookie: a=b', '\u010d\u010aX-Evil: 1', 'user:pass@'],
];
const targets = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''));
const sample = (salt: number): readonly string[] => fc.sample(targets, { seed: SEED + salt, numRuns: RUNS });

function noHeaderOf({ headers }: Served, said: string): void {
  expect(headers['x-evil'], JSON.stringify(said)).toBe(undefined);
  expect(String(headers['set-cookie'] ?? ''), JSON.stringify(said)).not.toContain('a=b');
}

/** Of an answer that sends its client somewhere. */
function staysHere(answer: Served, said: string): void {
  const { location } = answer.headers;
  expect(answer.status, JSON.stringify(said)).toBe(302);
  expect(new URL(location ?? 'none:', `${HERE}/svc/login`).origin, JSON.stringify([said, location])).toBe(HERE);
  noHeaderOf(answer, said);
}

async function each(all: readonly string[], work: (one: string) => Promise<void>): Promise<void> {
  for (let i = 0; i < all.length; i += 25) await Promise.all(all.slice(i, i + 25).map(work));
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded', Host: 'here.example' };

test.each(['/svc/logout', '/svc/login'])('the target of the form %s', async (path) => {
  console.log(`redirects: SEED=${String(SEED)}`);
  await each(sample(path.length), async (target) => {
    // Whoever is refused is sent somewhere as well.
    const form = new URLSearchParams({ name: 'nobody', password: 'wrong', target }).toString();
    staysHere(await fetchPath(server, path, FORM, 'POST', form), target);
  });
});

test('the target of a login that succeeds', async () => {
  for (const target of [...sample(3).slice(0, 10), '//evil.example', '/\\evil.example', 'https://evil.example/x']) {
    const form = new URLSearchParams({ name: 'anna', password: 'Anna-pass-1', target }).toString();
    const answer = await fetchPath(server, '/svc/login', FORM, 'POST', form);
    staysHere(answer, target);
    expect(String(answer.headers['set-cookie'])).toContain('JSESSIONID');
  }
});

test.each(['/confirm_registration', '/reset-password'])('the targets of %s', async (path) => {
  await each(sample(path.length), async (target) => {
    const query = new URLSearchParams({ key: 'x', target, onerror: target }).toString();
    const answer = await fetchPath(server, `${path}?${query}`, { Host: 'here.example' });
    expect([200, 302, 404, 429]).toContain(answer.status);
    if (answer.status === 302) staysHere(answer, target);
    noHeaderOf(answer, target);
  });
});

const unescaped = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

test('where an action leads', async () => {
  let followed = 0;
  await each(sample(1), async (to) => {
    const { text, status } = await getPage(server.as(), `/acts?to=${encodeURIComponent(to)}`);
    expect(status).toBe(200);
    const own = /<button[^>]*data-svc-success-target="([^"]*)"/.exec(text)?.[1];
    if (own !== undefined) {
      followed++;
      const target = unescaped(own);
      expect(target.startsWith('url:'), target).toBe(true);
      expect(new URL(target.slice(4), HERE).origin, JSON.stringify([to, target])).toBe(HERE);
    }
    // Selectors are nothing else, whatever a visitor says.
    const any = unescaped(/<i[^>]*data-svc-success-target="([^"]*)"/.exec(text)?.[1] ?? '');
    expect(any, JSON.stringify(to)).not.toMatch(/^(?:url|event|css|toast|template):|^sign-out$/);
  });
  expect(followed).toBeGreaterThan(20);
});

test('a header of a script', async () => {
  await each(sample(2), async (to) => {
    noHeaderOf(await fetchPath(server, `/sends?to=${encodeURIComponent(to)}`, { Host: 'here.example' }), to);
  });
  server.assertAlive();
});

test('a host is nowhere in an answer', async () => {
  await makePage(server.admin, 'plain', [['html', {}, ['body', {}, 'plain']]], { showOnErrorCodes: '' });
  const hosts = ['evil.example', '"><script>x', 'evil.example/..', "x'y", '[::1', '%0d%0aX-Evil:1', 'x'.repeat(2000)];
  for (const host of hosts)
    for (const path of ['/', '/plain', '/nothing', '/svc/html/plain', '/svc/rest/Page', '/svc/api', '/svc'])
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const forwarded = { 'X-Forwarded-Host': host, 'X-Forwarded-Proto': 'javascript', Forwarded: `host="${host}"` };
        const answer = await fetchPath(server, path, { Host: host, ...forwarded, Accept: 'text/html' }, method);
        const told = `${answer.text}${JSON.stringify(answer.headers)}`;
        expect(answer.status, `${method} ${path}`).toBeLessThan(500);
        expect(
          told.includes('evil.example') || told.includes('<script>x'),
          `${method} ${path} ${host.slice(0, 30)}`,
        ).toBe(false);
      }
});
