/** Who set a commit off, and how, whatever it was: what the server says of each in its log. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client, cookieOf } from '../support/client.js';
import { endedJob, fileWith } from '../support/jobs.js';
import { linkIn, MailServer } from '../support/mail-server.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { uploaded } from '../support/storage.js';

const PASSWORD = 'a-password';
const COMMIT = /org\.svc\.graph\.caches - commit (\d+) by (.*) through (\w+) \((.*)\): \d+ changes: (.*)$/;
let mail: MailServer;
let server: TestServer;
let admin: Client;

/** Commits of some work: who, through which door, what for. */
async function commitsOf(work: () => Promise<unknown>): Promise<string[]> {
  const last = async (): Promise<number> => {
    // A commit that comes after all others, and names itself.
    const name = `mark${String(Math.random()).slice(2)}`;
    await admin.create('SchemaMethod', { name: `${name}`, source: "''" });
    const mark = await admin.create('Localization', { name, locale: 'de', localizedName: name });
    await admin.delete(`/Localization/${mark}`);
    return server.untilLogged(/delete Localization/).then((lines) => Number(COMMIT.exec(lines.at(-1) ?? '')?.[1]));
  };
  const from = await last();
  await work();
  await last();
  const made = server.logged(COMMIT).flatMap((line) => {
    const [, number, who = '', door = '', reason = '', what = ''] = COMMIT.exec(line) ?? [];
    const isMark = /Localization|SchemaMethod/.test(what);
    return Number(number) > from && !isMark ? [`${who} ${door} ${reason}`.trim()] : [];
  });
  return [...new Set(made)].sort();
}

beforeAll(async () => {
  mail = await MailServer.start();
  server = await TestServer.start({
    settings: {
      ...mail.settings,
      'log.level': 'DEBUG',
      'jsonrestservlet.user.autocreate': true,
      'security.jwt.secret': 'a-secret-of-more-than-32-characters-for-tests',
      'security.twofactorauthentication.level': 1,
    },
  });
  ({ admin } = server);
  for (const signature of ['_login', '_logout', '_token', '_registration', '_resetPassword'])
    await allow(admin, signature, 'anonymous', ['POST']);
  for (const signature of ['_logout', 'User']) await allow(admin, signature, 'user', ['GET', 'POST']);
  await admin.create('User', { name: 'anna', password: PASSWORD });
  await admin.create('User', { name: 'berta', password: PASSWORD, isTwoFactorUser: true });
  await admin.defineType('Thing', [{ name: 'title', propertyType: 'String' }]);
  for (const [name, source] of [
    ['make', "{ $.create('Thing', { title: 'made' }); }"],
    ['later', "{ $.schedule(\"create('Thing', 'title', 'late')\", 'Later'); }"],
    ['beside', "{ $.doInNewTransaction(() => { $.create('Thing', { title: 'beside' }); }); }"],
  ] as const)
    await admin.create('SchemaMethod', { name, source });
});
afterAll(async () => {
  await server.stop();
  await mail.stop();
});

const anna = { name: 'anna', password: PASSWORD };

it('logins and logouts', async () => {
  const commits = await commitsOf(async () => {
    await server.as().post('/login', { ...anna, password: 'wrong' });
    const login = await server.as().post('/login', anna);
    const client = new Client(server.url, undefined, undefined, { Cookie: cookieOf(login, 'JSESSIONID') });
    expect((await client.get('/me')).status).toBe(200);
    expect((await client.post('/logout')).status).toBe(200);
    expect((await server.as().post('/login', { ...anna, name: 'berta' })).status).toBe(202);
  });
  const of = ['anna login login', 'anna login logout', 'anna login right password', 'berta login first factor'];
  expect(commits).toEqual([...of, 'nobody login wrong password']);
});

it('tokens', async () => {
  const commits = await commitsOf(async () => {
    const { refresh_token } = (await server.as().post('/token', anna)).body.result;
    expect((await server.as().post('/token', { refresh_token })).status).toBe(200);
  });
  expect(commits).toEqual(['anna login tokens']);
});

it('registrations and resets', async () => {
  const commits = await commitsOf(async () => {
    await server.as().post('/registration', { eMail: 'carla@example.com' });
    const link = linkIn(await mail.mailTo('carla@example.com'));
    expect((await server.as().send('GET', `/svc/..${link}`)).status).toBeLessThan(400);
    await server.as().post('/reset-password', { eMail: 'carla@example.com' });
    await expect.poll(async () => (await mail.mailTo('carla@example.com')) !== undefined).toBe(true);
  });
  expect(commits).toContain('nobody login registration');
  expect(commits).toContain('nobody login password reset');
  expect(commits.filter((one) => !/^(?:nobody|carla@example\.com) login /.test(one))).toEqual([]);
});

it('objects by REST, uploads, scripts, jobs and imports', async () => {
  expect(await commitsOf(() => admin.create('Thing', { title: 'one' }))).toEqual(['admin rest']);
  expect(await commitsOf(() => uploaded(admin, {}, 'up.txt', Buffer.from('text')))).toContain('admin upload');
  expect(await commitsOf(() => admin.post('/make', {}))).toEqual(['admin script make']);
  expect(await commitsOf(() => admin.post('/beside', {}))).toEqual(['admin script beside']);
  const late = await commitsOf(async () => {
    await admin.post('/later', {});
    await server.untilLogged(/through job \(/);
  });
  expect(late).toEqual([expect.stringMatching(/^admin job job \d+ \(Later\)$/)]);
  const file = await fileWith(admin, 'rows.csv', 'title\nimported\n');
  const imported = await commitsOf(async () => {
    const answer = await admin.post(`/File/${file}/doCSVImport`, { targetType: 'Thing', mappings: { title: 'title' } });
    await endedJob(admin, answer.body.result as number);
  });
  expect(imported).toEqual([expect.stringMatching(/^admin import job \d+$/)]);
});

it('no commit of all these says nothing of itself', () => {
  const all = server.logged(COMMIT);
  expect(all.length).toBeGreaterThan(30);
  // What the service does by itself says what it is.
  const silent = all.filter((line) => / through system \(\)/.test(line));
  expect(silent).toEqual([]);
});
