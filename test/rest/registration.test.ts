import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeWords } from '../../src/main/mail/index.js';
import { allow } from '../support/permissions.js';
import { cookieOf, type Answer, type Client } from '../support/client.js';
import { linkIn, MailServer } from '../support/mail-server.js';
import { TestServer } from '../support/server.js';

let mail: MailServer;
let server: TestServer;
let admin: Client;
let count = 0;

const settings = (more: Record<string, string | number | boolean>): Record<string, string | number | boolean> => ({
  ...mail.settings,
  'jsonrestservlet.user.autocreate': true,
  'security.login.maxperminute': 0,
  ...more,
});

async function begin(more: Record<string, string | number | boolean> = {}): Promise<void> {
  server = await TestServer.start({ settings: settings(more) });
  admin = server.superuser;
  for (const signature of ['_login', '_registration', '_resetPassword'])
    await allow(admin, signature, 'anonymous', ['POST']);
  await allow(admin, 'User', 'user', ['GET', 'PUT']);
}

const newAddress = (): string => `someone${String(++count)}@example.com`;
const register = (body: unknown): Promise<Answer> => server.as().post('/registration', body);
const reset = (eMail: string): Promise<Answer> => server.as().post('/reset-password', { eMail });
const follow = (link: string): Promise<Answer> => server.as().send('GET', `/svc/..${link}`);
const usersOf = async (eMail: string): Promise<Record<string, unknown>[]> =>
  (await admin.get(`/User/ui?eMail=${encodeURIComponent(eMail)}`)).body.result as Record<string, unknown>[];
const userOf = async (eMail: string): Promise<Record<string, unknown>> => (await usersOf(eMail))[0] ?? {};
/** Registers an address; returns the path of the link that was sent. */
async function registered(eMail = newAddress(), more: Record<string, unknown> = {}): Promise<string> {
  await register({ eMail, ...more });
  return linkIn(await mail.mailTo(eMail));
}
/** What nobody may tell two answers apart by. */
const shape = ({ status, headers, body }: Answer): unknown => ({
  status,
  headers: Object.keys(headers).sort(),
  result: (body as { result?: unknown }).result,
  keys: Object.keys(body as object),
});

beforeAll(async () => {
  mail = await MailServer.start();
});
afterAll(() => mail.stop());

describe('registration', () => {
  beforeAll(() =>
    begin({ 'registration.customuserattributes': 'name,password,isAdmin,groups,blocked,confirmationKey,id' }),
  );

  it('needs a permission', async () => {
    await admin.create('User', { name: 'anna', password: 'x' });
    expect((await server.as('anna', 'x').post('/registration', { eMail: newAddress() })).status).toBe(401);
  });

  it('makes a user who cannot log in, and sends him a link', async () => {
    const eMail = newAddress();
    const answer = await register({ eMail: ` ${eMail.toUpperCase()} `, name: 'Some One', password: 'secret' });
    expect([answer.status, answer.body.result]).toEqual([201, []]);
    expect(await userOf(eMail)).toMatchObject({ type: 'User', name: 'Some One', isAdmin: false });
    expect((await server.as().post('/login', { eMail, password: 'secret' })).status).toBe(401);
    const received = await mail.mailTo(eMail);
    expect(received.headers).toContain('Subject: Please confirm your registration');
    expect(linkIn(received)).toMatch(
      /^\/confirm_registration\?key=[0-9a-f-]{36}!\d{13}&target=%2Fregister_thanks&onerror=%2Fregister_error$/,
    );
  });

  it('is done when the link is followed, which goes on to its target without a session', async () => {
    const eMail = newAddress();
    const answer = await follow(await registered(eMail, { password: 'secret' }));
    expect([answer.status, answer.headers['location'], answer.headers['set-cookie']]).toEqual([
      302,
      '/register_thanks',
      undefined,
    ]);
    expect((await server.as().post('/login', { eMail, password: 'secret' })).status).toBe(200);
  });

  it('has links that work once', async () => {
    const link = await registered();
    await follow(link);
    expect((await follow(link)).headers['location']).toBe('/register_error');
  });

  it('has links that work once however many follow them at the same time', async () => {
    const link = await registered();
    const answers = await Promise.all(Array.from({ length: 6 }, () => follow(link)));
    expect(answers.filter((answer) => answer.headers['location'] === '/register_thanks')).toHaveLength(1);
  });

  it('has links that programs may look at', async () => {
    const link = await registered();
    await server.as().send('HEAD', `/svc/..${link}`);
    expect((await follow(link)).headers['location']).toBe('/register_thanks');
  });

  it('does not go on to other sites', async () => {
    const link = await registered();
    for (const [target, expected] of [
      ['https://evil.example/a?b=c', '/a?b=c'],
      ['//evil.example/a', '/a'],
      ['https://evil.example//other.example/a', '/other.example/a'],
      ['/\\evil.example/a', '/a'],
      ['\t//evil.example', '/'],
      ['javascript:alert(1)', '/'],
    ] as const) {
      const url = link
        .replace(/onerror=.*/, `onerror=${encodeURIComponent(target)}`)
        .replace(/key=[^&]*/, 'key=unknown');
      expect((await follow(url)).headers['location']).toBe(expected);
    }
  });

  it('answers without going on when the link names no page', async () => {
    const [, key = ''] = /key=([^&]*)/.exec(await registered()) ?? [];
    const known = await follow(`/confirm_registration?key=${key}`);
    const unknown = await follow('/confirm_registration?key=unknown');
    for (const answer of [known, unknown]) expect([answer.status, answer.text]).toEqual([200, '']);
  });

  it('stores keys so that nobody can use them who reads the user', async () => {
    const eMail = newAddress();
    const link = await registered(eMail);
    const stored = String((await userOf(eMail))['confirmationKey']);
    expect(stored).toMatch(/^[0-9a-f]{64}!\d{13}$/);
    const answer = await follow(link.replace(/key=[^&]*/, `key=${encodeURIComponent(stored)}`));
    expect(answer.headers['location']).toBe('/register_error');
  });

  it('takes keys that applications stored in clear', async () => {
    const eMail = newAddress();
    await admin.create('User', { eMail, password: 'x', confirmationKey: `my-key!${String(Date.now())}` });
    const { confirmationKey } = await userOf(eMail);
    const answer = await follow(`/confirm_registration?key=${encodeURIComponent(String(confirmationKey))}&target=/ok`);
    expect([answer.headers['location'], (await userOf(eMail))['confirmationKey']]).toEqual(['/ok', null]);
  });

  it.each([
    ['none', {}],
    ['an empty one', { eMail: ' ' }],
    ['null', { eMail: null }],
    ['a list', { eMail: ['a@example.com'] }],
  ])('needs an address and says so: %s', async (_, body) => {
    const answer = await register(body);
    expect([answer.status, answer.body.message, answer.headers['reason']]).toEqual([
      422,
      'No e-mail address given.',
      'No e-mail address given.',
    ]);
  });

  it.each([
    'nonsense',
    'a@b',
    'a@example.com, b@example.com',
    'a@example.com\r\nBcc: b@example.com',
    '<a@example.com>',
  ])('refuses what is no address: %j', async (eMail) => {
    const answer = await register({ eMail });
    expect([answer.status, answer.headers['reason'] !== undefined]).toEqual([422, true]);
  });

  it('sets nothing that decides about rights and logins, even where the setting names it', async () => {
    const group = await admin.create('Group', { name: 'staff' });
    const eMail = newAddress();
    await register({
      eMail,
      isAdmin: true,
      groups: [group],
      blocked: true,
      confirmationKey: null,
      id: 'ffffffffffffffffffffffffffffffff',
      type: 'Group',
      locale: 'xx',
      isTwoFactorUser: true,
    });
    const user = await userOf(eMail);
    expect(user).toMatchObject({ type: 'User', isAdmin: false, blocked: false, locale: null, groups: [] });
    expect([user['id'] === 'ffffffffffffffffffffffffffffffff', user['confirmationKey'] === null]).toEqual([
      false,
      false,
    ]);
  });

  it('looks the same for a new address, a pending, a confirmed and a blocked one', async () => {
    const pending = newAddress();
    await registered(pending);
    const confirmed = newAddress();
    await follow(await registered(confirmed));
    const blocked = newAddress();
    await admin.create('User', { eMail: blocked, blocked: true });
    const group = newAddress();
    await admin.create('Group', { name: 'with address', eMail: group });
    const [first, ...others] = [
      await register({ eMail: newAddress() }),
      await register({ eMail: pending }),
      await register({ eMail: confirmed }),
      await register({ eMail: blocked }),
      await register({ eMail: group }),
    ].map(shape);
    for (const other of others) expect(other).toEqual(first);
  });

  it('takes about the same time for all of them', async () => {
    const taken = newAddress();
    await follow(await registered(taken));
    const time = async (eMail: string): Promise<number> => {
      const begun = performance.now();
      await register({ eMail });
      return performance.now() - begun;
    };
    const known: number[] = [];
    const fresh: number[] = [];
    const apart = (): number => Math.abs(Math.min(...known) - Math.min(...fresh));
    // Answers leave at steps of 100 ms: the fastest of each are in the same one, which takes some more where the machine is busy.
    for (let i = 0; i < 5 || (i < 15 && apart() >= 50); i++) {
      known.push(await time(taken));
      fresh.push(await time(newAddress()));
    }
    expect(apart()).toBeLessThan(50);
  });

  it('finds the same mistakes for known and unknown addresses', async () => {
    const known = newAddress();
    await registered(known);
    const answers = [await register({ eMail: known, name: 7 }), await register({ eMail: newAddress(), name: 7 })];
    expect(shape(answers[0] as Answer)).toEqual(shape(answers[1] as Answer));
  });

  it('tells the owner of a confirmed account that he has one, and does not lock him out', async () => {
    const eMail = newAddress();
    await follow(await registered(eMail, { password: 'secret' }));
    await register({ eMail, password: 'other', name: 'Other' });
    const received = await mail.mailTo(eMail, 2);
    expect(received.headers).toContain('Subject: You are registered already');
    expect(received.body).not.toContain('key=');
    expect(await userOf(eMail)).toMatchObject({ confirmationKey: null, name: null });
    expect((await server.as().post('/login', { eMail, password: 'secret' })).status).toBe(200);
  });

  it('renews the link of a pending account; the one before ends', async () => {
    const eMail = newAddress();
    const old = await registered(eMail);
    await register({ eMail });
    const renewed = linkIn(await mail.mailTo(eMail, 2));
    expect((await follow(old)).headers['location']).toBe('/register_error');
    expect((await follow(renewed)).headers['location']).toBe('/register_thanks');
  });

  it('puts no password to use that somebody else may have chosen', async () => {
    const eMail = newAddress();
    await registered(eMail, { password: 'of the first' });
    await register({ eMail, password: 'of the second' });
    await follow(linkIn(await mail.mailTo(eMail, 2)));
    for (const password of ['of the first', 'of the second'])
      expect((await server.as().post('/login', { eMail, password })).status).toBe(401);
  });

  it('makes one user of many requests at once', async () => {
    const eMail = newAddress();
    const answers = await Promise.all(Array.from({ length: 6 }, () => register({ eMail })));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201]));
    expect(await usersOf(eMail)).toHaveLength(1);
  });

  it('begins links with its own address, whatever the client calls it', async () => {
    const eMail = newAddress();
    await server.as().post('/registration', { eMail }, { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' });
    const received = await mail.mailTo(eMail);
    expect(received.body).toContain(`${server.url}/confirm_registration`);
    expect(received.body).not.toContain('evil');
  });

  it('sends templates by locale, with posted values that add neither markup nor headers', async () => {
    for (const [name, locale, text] of [
      ['CONFIRM_REGISTRATION_SUBJECT', undefined, 'Hello'],
      ['CONFIRM_REGISTRATION_SUBJECT', 'de_DE', 'Hallo ${name}'],
      ['CONFIRM_REGISTRATION_TEXT_BODY', 'de_DE', 'Folge ${link} ${unknown}${password} ${eMail}'],
      ['CONFIRM_REGISTRATION_HTML_BODY', 'de_DE', '<p>${name}</p>'],
      ['CONFIRM_REGISTRATION_SENDER_NAME', 'de_DE', 'Der\r\nBcc: evil@example.com'],
      ['CONFIRM_REGISTRATION_SENDER_ADDRESS', 'de_DE', 'sender@example.com'],
      ['CONFIRM_REGISTRATION_BASE_URL', 'de_DE', 'https://shop.example/'],
      ['CONFIRM_REGISTRATION_TARGET_PAGE', 'de_DE', '/danke'],
    ] as const)
      await admin.create('MailTemplate', { name, text, ...(locale === undefined ? {} : { locale }) });
    const eMail = newAddress();
    await register({ eMail, locale: 'de_DE', password: 'secret', name: '<b>${link}</b>\r\nBcc: evil@example.com' });
    const received = await mail.mailTo(eMail);
    expect([received.from, received.to]).toEqual(['sender@example.com', [eMail]]);
    expect(received.headers.filter((line) => /^bcc/i.test(line))).toEqual([]);
    expect(received.body).toContain('<p>&lt;b&gt;${link}&lt;/b&gt;');
    expect(received.body).toContain('https://shop.example/confirm_registration?key=');
    expect(received.body).toContain(`target=%2Fdanke&onerror=%2Fregister_error  ${eMail}`);
    const other = newAddress();
    await register({ eMail: other, locale: 'fr_FR' });
    expect((await mail.mailTo(other)).headers).toContain('Subject: Hello');
    await admin.delete('/MailTemplate');
  });

  it('runs the scripts of templates with the rights of the user who gets the mail, and what was posted is no script', async () => {
    const templates = {
      SUBJECT: 'For ${upper(name)}',
      TEXT_BODY:
        "me=${me.eMail}/${{ $.me.eMail }} users=${size(find('User'))} sum=${{ 1 + 1 }} at ${baseUrl} ${User} failed=${{ nothing.x }}. ${link}",
      HTML_BODY: "<p>${name}|${me.name}|${concat('<i>', name, '</i>')}|${{ '<b>' + $.get('name') + '</b>' }}</p>",
    };
    for (const [name, text] of Object.entries(templates)) {
      await admin.create('MailTemplate', { name: `CONFIRM_REGISTRATION_${name}`, text });
    }
    const eMail = newAddress();
    const name = '<u>${{ $.create("Folder") }}';
    await register({ eMail, name, baseUrl: 'https://evil.example', User: 'x', me: 'admin', this: 'x' });
    const { headers, body } = await mail.mailTo(eMail);
    expect(decodeWords(headers.find((line) => line.startsWith('Subject')) ?? '')).toBe(
      'Subject: For <U>${{ $.CREATE("FOLDER") }}',
    );
    expect(body).toContain(`me=${eMail}/${eMail} users=1 sum=2 at http://`);
    expect(body).toContain('failed=. http://');
    expect(body).not.toContain('evil.example');
    const shown = '&lt;u&gt;${{ $.create(&quot;Folder&quot;) }}';
    expect(body).toContain(`<p>${shown}|${shown}|<i>${shown}</i>|<b>${shown}</b></p>`);
    expect((await admin.get('/Folder')).body.result).toEqual([]);
    await admin.delete('/MailTemplate');
  });

  it('runs no scripts that somebody wrote who is no administrator: he writes none, as they run with the rights of others', async () => {
    await admin.create('User', { name: 'editor', password: 'editor' });
    const editor = server.as('editor', 'editor');
    await allow(admin, 'MailTemplate', 'user', ['POST', 'PUT']);
    await allow(admin, 'MailTemplate/_id', 'user', ['PUT']);
    const name = 'RESET_PASSWORD_TEXT_BODY';
    const text = '${{ $.find("User").length }} ${eMail} ${link}';
    expect((await editor.post('/MailTemplate', { name, text, scriptsAllowed: true })).status).toBe(403);
    const own = await editor.post('/MailTemplate', { name, text: 'Dear ${eMail} ${link}', scriptsAllowed: true });
    expect(own.status).toBe(201);
    const eMail = newAddress();
    await admin.create('User', { name: 'reader', eMail });
    await reset(eMail);
    expect((await mail.mailTo(eMail)).body).toContain(`Dear ${eMail} http://`);
    const [id] = own.body.result as string[];
    expect((await editor.put(`/MailTemplate/${String(id)}`, { text })).status).toBe(403);
    await admin.put(`/MailTemplate/${String(id)}`, { text });
    await reset(eMail);
    expect((await mail.mailTo(eMail, 2)).body).toMatch(/^1 someone/m);
    expect((await editor.put(`/MailTemplate/${String(id)}`, { text: 'plain' })).status).toBe(403);
    await admin.delete('/MailTemplate');
  });

  it('sends mails again that were not taken the first time', async () => {
    mail.refusals.push(451);
    const eMail = newAddress();
    expect((await register({ eMail })).status).toBe(201);
    await mail.mailTo(eMail);
    expect(await server.untilLogged(/could not be sent, next try in 1 s: .*451/)).toHaveLength(1);
  });

  it('gives up mails that are refused for good, and says so without naming anybody', async () => {
    mail.refusals.push(554);
    const eMail = newAddress();
    expect((await register({ eMail })).status).toBe(201);
    const [line = ''] = await server.untilLogged(/it is given up/);
    expect(line).toMatch(/ERROR.*CONFIRM_REGISTRATION.*554/);
    expect(line).not.toContain('@');
  });
});

describe('a password reset', () => {
  beforeAll(() => server.reload({ 'jsonrestservlet.user.autologin': true }));

  async function newUser(more: Record<string, unknown> = {}): Promise<string> {
    const eMail = newAddress();
    await admin.create('User', { eMail, password: 'forgotten', ...more });
    return eMail;
  }

  it('looks the same for known and unknown addresses', async () => {
    const [known, unknown] = [await reset(await newUser()), await reset(newAddress())];
    expect([known.status, known.body.result]).toEqual([200, []]);
    expect(shape(known)).toEqual(shape(unknown));
  });

  it.each([{}, { eMail: '' }, { eMail: 5 }])('needs an address: %j', async (body) => {
    expect((await server.as().post('/reset-password', body)).status).toBe(422);
  });

  it('does not keep the user from logging in while it is pending', async () => {
    const eMail = await newUser();
    await reset(eMail);
    expect(await userOf(eMail)).toMatchObject({ confirmationKey: null });
    expect((await server.as().post('/login', { eMail, password: 'forgotten' })).status).toBe(200);
  });

  it('logs in by its link, once, and the user can choose another password', async () => {
    const eMail = await newUser();
    await reset(` ${eMail.toUpperCase()}`);
    const link = linkIn(await mail.mailTo(eMail));
    const answer = await follow(link);
    expect([answer.status, answer.headers['location']]).toEqual([302, '/reset-password']);
    const cookie = cookieOf(answer, 'JSESSIONID');
    expect((await server.as().send('PUT', '/me', { password: 'chosen' }, { Cookie: cookie })).status).toBe(200);
    expect((await server.as().post('/login', { eMail, password: 'chosen' })).status).toBe(200);
    const again = await follow(link);
    expect([again.status, again.headers['set-cookie']]).toEqual([302, undefined]);
  });

  it('forgets failed logins', async () => {
    const eMail = await newUser({ passwordAttempts: 4 });
    expect((await server.as().post('/login', { eMail, password: 'forgotten' })).headers['reason']).toBe(
      'loginAttempts',
    );
    await reset(eMail);
    await follow(linkIn(await mail.mailTo(eMail)));
    expect((await server.as().post('/login', { eMail, password: 'forgotten' })).status).toBe(200);
  });

  it('ends with the password it was asked for', async () => {
    const eMail = await newUser();
    await reset(eMail);
    const link = linkIn(await mail.mailTo(eMail));
    await admin.put(`/User/${String((await userOf(eMail))['id'])}`, { password: 'another' });
    expect((await follow(link)).headers['set-cookie']).toBeUndefined();
  });

  it('is not for blocked users', async () => {
    const eMail = await newUser();
    await reset(eMail);
    const link = linkIn(await mail.mailTo(eMail));
    await admin.put(`/User/${String((await userOf(eMail))['id'])}`, { blocked: true });
    expect((await follow(link)).headers['set-cookie']).toBeUndefined();
  });

  it('asks for the second factor of its user, and gives him no fresh tries', async () => {
    const eMail = await newUser({ passwordAttempts: 2 });
    await admin.put(`/User/${String((await userOf(eMail))['id'])}`, { isTwoFactorUser: true });
    await reset(eMail);
    const answer = await follow(linkIn(await mail.mailTo(eMail)));
    const token = String(answer.headers['token']);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([302, undefined]);
    expect(answer.headers['location']).toBe(`/twofactor?token=${encodeURIComponent(token)}`);
    const wrong = await server.as().post('/login', { twoFactorToken: token, twoFactorCode: '1' });
    expect([wrong.status, wrong.headers['reason']]).toEqual([401, 'wrongTwoFactorCode']);
    expect((await userOf(eMail))['passwordAttempts']).toBe(3);
    await admin.put(`/User/${String((await userOf(eMail))['id'])}`, { passwordAttempts: 4 });
    await reset(eMail);
    const locked = await follow(linkIn(await mail.mailTo(eMail, 2)));
    expect([locked.headers['set-cookie'], locked.headers['token']]).toEqual([undefined, undefined]);
  });

  it('has keys for one user only', async () => {
    const [one, two] = [await newUser(), await newUser()];
    await reset(one);
    const link = linkIn(await mail.mailTo(one));
    const ids = [String((await userOf(one))['id']), String((await userOf(two))['id'])] as const;
    expect((await follow(link.replace(ids[0], ids[1]))).headers['set-cookie']).toBeUndefined();
  });

  it('confirms a pending registration: the address is the user’s', async () => {
    const eMail = newAddress();
    await registered(eMail);
    await reset(eMail);
    await follow(linkIn(await mail.mailTo(eMail, 2)));
    expect(await userOf(eMail)).toMatchObject({ confirmationKey: null });
  });

  it('of a registration logs in where the setting says so', async () => {
    const answer = await follow(await registered());
    expect(cookieOf(answer, 'JSESSIONID')).not.toBe('');
  });

  it('never happens by the path alone', async () => {
    expect((await follow('/reset-password')).status).toBe(404);
  });
});

describe('keys that have run out', () => {
  beforeAll(async () => {
    await server.reload({
      'jsonrestservlet.user.autologin': true,
      'confirmationkey.registration.validityperiod': 0,
      'confirmationkey.passwordreset.validityperiod': 0,
      'security.passwordpolicy.resetfailedattemptsonpasswordreset': false,
    });
  });

  it('of a registration are used up without a login', async () => {
    const eMail = newAddress();
    const link = await registered(eMail);
    await sleep(5);
    const answer = await follow(link);
    expect([answer.headers['location'], answer.headers['set-cookie']]).toEqual(['/register_thanks', undefined]);
    expect((await userOf(eMail))['confirmationKey']).toBeNull();
  });

  it('of a reset neither log in nor confirm a registration', async () => {
    const eMail = newAddress();
    await registered(eMail);
    await reset(eMail);
    const answer = await follow(linkIn(await mail.mailTo(eMail, 2)));
    expect([answer.headers['set-cookie'], (await userOf(eMail))['confirmationKey'] === null]).toEqual([
      undefined,
      false,
    ]);
  });

  it('are those without time, unless a setting says otherwise', async () => {
    const key = (): Promise<string> => admin.create('User', { name: 'k', confirmationKey: 'no-time' });
    await key();
    const link = '/confirm_registration?key=no-time&target=/ok';
    expect((await follow(link)).headers['set-cookie']).toBeUndefined();
    await server.reload({ 'confirmationkey.validwithouttimestamp': true });
    await key();
    expect((await follow(link)).headers['set-cookie']).toBeDefined();
  });
});

describe('registration that is not wanted', () => {
  beforeAll(() =>
    server.reload({ 'jsonrestservlet.user.autocreate': false, 'security.passwordpolicy.complexity.enforce': true }),
  );

  it('makes nobody a user, and still tells nobody who is one', async () => {
    const [known, unknown] = [newAddress(), newAddress()];
    await admin.create('User', { eMail: known, password: 'long-enough' });
    expect(shape(await register({ eMail: unknown }))).toEqual(shape(await register({ eMail: known })));
    expect(await usersOf(unknown)).toEqual([]);
  });
});

describe('registration of members', () => {
  beforeAll(async () => {
    await server.reload({
      'jsonrestservlet.user.autocreate': true,
      'registration.customuserclass': 'Club',
      'registration.customuserattributes': 'nick password',
    });
    await admin.defineType('Club', [{ name: 'nick', propertyType: 'String', notNull: true }], {
      inheritedTraits: ['User'],
    });
  });

  it('makes objects of their type, with their attributes', async () => {
    const eMail = newAddress();
    expect((await register({ eMail, nick: 'nick', name: 'dropped' })).status).toBe(201);
    expect(await userOf(eMail)).toMatchObject({ type: 'Club', name: null });
  });

  it('refuses what does not fit, for known addresses too', async () => {
    const known = newAddress();
    await register({ eMail: known, nick: 'nick' });
    const answers = [await register({ eMail: newAddress() }), await register({ eMail: known })];
    for (const answer of answers) {
      expect([answer.status, (answer.body as { errors: unknown }).errors]).toEqual([
        422,
        [{ type: 'Club', property: 'nick', token: 'must_not_be_empty' }],
      ]);
    }
  });

  it('holds passwords to the policy', async () => {
    expect((await register({ eMail: newAddress(), nick: 'nick', password: 'short' })).status).toBe(422);
  });
});

describe('more requests than a person makes', () => {
  it('are refused for a while', async () => {
    await server.reload({ 'security.login.maxperminute': 1 });
    await register({});
    for (const answer of [await register({ eMail: newAddress() }), await reset(newAddress())])
      expect([answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([429, true]);
    await server.reload({ 'security.login.maxperminute': 0 });
  });
});

describe('without a mail server', () => {
  afterAll(() => server.stop());

  it('registration answers all the same, and the log says what is wrong', async () => {
    await server.reload({ 'smtp.port': 1, 'registration.customuserclass': '' });
    expect((await register({ eMail: newAddress() })).status).toBe(201);
    expect(await server.untilLogged(/could not be sent, next try in 1 s: ESOCKET/)).toHaveLength(1);
  });

  it('TLS that is required is not done without', async () => {
    await server.reload({
      'smtp.port': mail.port,
      'smtp.tls.required': true,
      'smtp.user': 'u@example.com',
      'smtp.password': 'smtp-secret',
    });
    const eMail = newAddress();
    const before = server.lines.length;
    const { connected } = mail;
    await register({ eMail });
    // It begins TLS although the mail server did not offer it, and does not know whose certificate it is shown.
    const news = (): string => server.lines.slice(before).join('\n');
    await expect.poll(news).toMatch(/could not be sent, next try in 1 s: ESOCKET/);
    expect(mail.connected).toBeGreaterThan(connected);
    expect([mail.mails.some((one) => one.to.includes(eMail)), news().includes('smtp-secret')]).toEqual([false, false]);
  });
});
