/** Event actions, row by row, beyond `actions/` (docs/interface/pages.md 7). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cookieOf, type Client } from '../support/client.js';
import { linkIn, MailServer } from '../support/mail-server.js';
import { bare, getPage, makeAction, makePage, nodeNamed, type Tree } from '../support/pages.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let mail: MailServer;
let server: TestServer;
let admin: Client;
let count = 0;

beforeAll(async () => {
  mail = await MailServer.start();
  const settings = { 'html.indentation': false, 'jsonrestservlet.user.autocreate': true };
  server = await TestServer.start({ settings: { ...mail.settings, ...settings } });
  ({ admin } = server);
  await admin.create('SchemaMethod', { name: 'keys', source: '{ return Object.keys($.args).sort().join(); }' });
});
afterAll(async () => {
  await server.stop();
  await mail.stop();
});

const unique = (): string => `element${String(++count)}`;
type Fields = Readonly<Record<string, unknown>>;

/** Attributes of an element of a page, by its name. */
async function attributesOf(path: string, name: string): Promise<Record<string, string>> {
  const { text } = await getPage(server.as(), path);
  const [, all = ''] =
    new RegExp(`<\\w+((?: [\\w-]+="[^"]*")* data-name="${name}"(?: [\\w-]+="[^"]*")*)`).exec(text) ?? [];
  return Object.fromEntries([...all.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]));
}
const named = (tag: string, name: string, fields: Fields = {}, ...children: Tree[]): Tree => [
  tag,
  { name, 'data-name': name, ...fields },
  ...children,
];

/** What a button with such a mapping has beside its name and id. */
async function button(fields: Fields, parameters: readonly Fields[] = [], query = ''): Promise<Record<string, string>> {
  const name = unique();
  await makePage(admin, name, [bare(named('button', name))]);
  await makeAction(admin, name, fields, parameters);
  const { 'data-name': _, ...all } = await attributesOf(`/${name}${query}`, name);
  expect(all['data-svc-id']).toBe(await nodeNamed(admin, name));
  delete all['data-svc-id'];
  return all;
}

describe('fields of a mapping', () => {
  const OUTCOMES = ['success', 'failure'];
  const texts = 'event action method flow dataType idExpression options dialogType dialogTitle dialogText'.split(' ');
  const outcome = 'Notifications NotificationsPartial NotificationsEvent Behaviour Partial URL Event'.split(' ');
  test('are kept; delays begin with 5000', async () => {
    const given = Object.fromEntries(
      [...texts, ...OUTCOMES.flatMap((one) => outcome.map((key) => one + key))].map((key) => [key, `of ${key}`]),
    );
    const id = await admin.create('ActionMapping', given);
    expect((await admin.get(`/ActionMapping/${id}/all`)).body.result).toMatchObject({
      ...given,
      successNotificationsDelay: 5000,
      failureNotificationsDelay: 5000,
    });
    const parameter = {
      parameterType: 'constant-value',
      parameterName: 'p',
      constantValue: 'c',
      scriptExpression: 's',
    };
    const more = { ...parameter, methodResult: 'm', flowResult: 'f' };
    const made = await admin.create('ParameterMapping', { ...more, actionMapping: id });
    const { result } = (await admin.get(`/ParameterMapping/${made}/all`)).body;
    expect(result).toMatchObject({ ...more, actionMapping: { id } });
  });
});

describe('attributes of a trigger', () => {
  const EVENT = { event: 'click', action: 'none' };
  const SET = { 'data-svc-event': 'click', 'data-svc-events': 'click', 'data-svc-action': 'none' };
  test.each<readonly [what: string, fields: Fields, more: Readonly<Record<string, string>>]>([
    ['a method', { method: "m${'1'}" }, { 'data-svc-method': 'm1' }],
    ['a flow', { flow: "${'f'}" }, { 'data-svc-flow': 'f' }],
    ['a type', { dataType: "${'Thing'}" }, { 'data-svc-data-type': 'Thing' }],
    ['an id expression', { idExpression: "${'x'}" }, { 'data-svc-id-expression': 'x', 'data-svc-target': "${'x'}" }],
    ['blanks, and nothing that comes of a script', { method: ' ', flow: '${null}', dataType: "${''}" }, {}],
    ['no dialog', { dialogType: 'none', dialogTitle: 't', dialogText: 'x' }, {}],
    ['no dialog without a type', { dialogTitle: 't', dialogText: 'x' }, {}],
    [
      'a dialog',
      { dialogType: 'okcancel', dialogTitle: "${concat('a', 'b')}", dialogText: 'x' },
      { 'data-svc-dialog-type': 'okcancel', 'data-svc-dialog-title': 'ab', 'data-svc-dialog-text': 'x' },
    ],
    ['no notification', { successNotifications: 'none', successNotificationsPartial: '#x' }, {}],
    ['an alert', { successNotifications: 'system-alert' }, { 'data-svc-success-notifications': 'system-alert' }],
    ['options', { options: '{"delay": 5}' }, { 'data-svc-options': '{&quot;delay&quot;: 5}' }],
  ])('%s', async (_, fields, more) => {
    const found = await button({ ...EVENT, ...fields });
    expect(found).toEqual({ ...SET, ...more });
  });

  test.each(['success', 'failure'])('notifications after %s', async (outcome) => {
    const key = `data-svc-${outcome}-notifications`;
    const of = async (kind: string): Promise<Record<string, string>> => {
      const all = await button({
        ...EVENT,
        ...{ [`${outcome}Notifications`]: kind, [`${outcome}NotificationsPartial`]: "#${'p'}" },
        ...{ [`${outcome}NotificationsEvent`]: 'e', [`${outcome}NotificationsDelay`]: 7 },
      });
      return Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith(key)));
    };
    const both = (kind: string): object => ({ [key]: kind, [`${key}-partial`]: '#p' });
    for (const kind of ['system-alert', 'custom-dialog', 'custom-dialog-linked'])
      expect(await of(kind)).toEqual(both(kind));
    expect(await of('fire-event')).toEqual({ ...both('fire-event'), [`${key}-event`]: 'e' });
    expect(await of('inline-text-message')).toEqual({ ...both('inline-text-message'), [`${key}-delay`]: '7' });
  });

  test.each(['method-result', 'flow-result', 'user-input', 'page-param', 'other'])(
    'a parameter of the type %s without what it needs is none',
    async (parameterType) => {
      const parameter = { parameterName: 'p', parameterType, methodResult: 'm', flowResult: 'f', constantValue: 'c' };
      expect(await button(EVENT, [parameter])).toEqual(SET);
    },
  );

  test.each<readonly [fields: Fields, value: string | undefined]>([
    [{ parameterType: 'constant-value', constantValue: 'a b' }, 'a b'],
    [{ parameterType: 'script-expression', scriptExpression: "concat('a', request.x)" }, 'aX'],
    [{ parameterType: 'script-expression', scriptExpression: '' }, undefined],
    [{ parameterType: 'pagesize-param', constantValue: '5' }, '5'],
  ])('%j', async (fields, value) => {
    expect((await button(EVENT, [{ parameterName: 'longName', ...fields }], '?x=X'))['data-long-name']).toBe(value);
  });
});

describe('elements that an action is about', () => {
  test.each(['successTargets', 'failureTargets', 'successNotificationElements', 'failureNotificationElements'])(
    '%s have their id and what is needed to show them anew',
    async (key) => {
      const [trigger, target] = [unique(), unique()];
      await makePage(admin, trigger, [bare(named('button', trigger), named('p', target))]);
      const before = await attributesOf(`/${trigger}?aB=1&aB=2`, target);
      expect(before).toEqual({ 'data-name': target });
      await makeAction(admin, trigger, { event: 'click', action: 'none', [key]: [target] });
      expect(await attributesOf(`/${trigger}?aB=1&aB=2`, target)).toEqual({
        'data-name': target,
        'data-svc-id': await nodeNamed(admin, target),
        'data-request-a-b': '1',
        'data-svc-render-state': Buffer.from('{}').toString('base64'),
      });
    },
  );

  test.each(['load', 'delayed', 'visible', 'periodic'])('rendering mode %s', async (mode) => {
    const name = unique();
    const fields = { 'data-svc-rendering-mode': mode, 'data-svc-delay-or-interval': '70' };
    await makePage(admin, name, [bare(named('p', name, fields, 'later'))]);
    const id = await nodeNamed(admin, name);
    expect(await attributesOf(`/${name}`, name)).toEqual({ 'data-name': name, 'data-svc-id': id, ...fields });
    expect((await getPage(server.as(), `/${name}`)).text).not.toContain('later');
    expect((await getPage(server.as(), `/${id}`)).text).toContain('later');
  });

  test('an empty rendering mode is none; templates have their id', async () => {
    const [name, template] = [unique(), unique()];
    await makePage(admin, name, [
      bare(named('p', name, { 'data-svc-rendering-mode': '' }, 'now'), named('template', template)),
    ]);
    expect((await getPage(server.as(), `/${name}`)).text).toContain('now');
    expect(await attributesOf(`/${name}`, template)).toMatchObject({ 'data-svc-id': await nodeNamed(admin, template) });
  });
});

describe('the endpoint', () => {
  const post = async (fields: Fields, body: object): Promise<{ status: number; result: unknown }> => {
    const name = unique();
    await makePage(admin, name, [bare(named('button', name))]);
    await makeAction(admin, name, fields);
    const answer = await admin.post(`/DOMElement/${await nodeNamed(admin, name)}/event`, body);
    return { status: answer.status, result: answer.body.result };
  };

  const OUTCOMES = ['Notifications', 'NotificationsPartial', 'NotificationsEvent', 'NotificationsDelay', 'Target'];
  const OF_SCRIPT = [
    'Id',
    'IdExpression',
    'DataType',
    'Flow',
    'Action',
    'Event',
    'Events',
    'DialogType',
    'DialogTitle',
    'DialogText',
  ]
    .concat(OUTCOMES.flatMap((one) => [`Success${one}`, `Failure${one}`]))
    .map((one) => `svc${one}`);
  test('what the script says of itself is no value, all else is', async () => {
    const control = ['htmlEvent', 'childId', 'sourceObject', 'sourceProperty', 'svcMethod', ...OF_SCRIPT];
    const body = Object.fromEntries(
      control.filter((key) => key !== 'svcIdExpression').map((key) => [key, key === 'svcMethod' ? 'keys' : 'x']),
    );
    const own = { name: 'n', svcless: 1, svc: 2, my_key: null, list: [1] };
    expect(await post({ action: 'method', method: 'keys' }, { ...body, ...own })).toEqual({
      status: 200,
      result: 'list,my_key,name,svc,svcless',
    });
  });

  test.each(['none', 'pagination', 'prev-page', 'next-page', 'first-page', 'last-page'])(
    '%s does nothing',
    async (action) => {
      expect(await post({ action }, { name: 'x' })).toEqual({ status: 200, result: {} });
    },
  );

  test.each(['create', 'update', 'delete', 'append-child', 'remove-child', 'insert-html', 'replace-html', 'method'])(
    '%s without what it is about is 422',
    async (action) => {
      expect((await post({ action }, {})).status).toBe(422);
    },
  );
});

describe('logins', () => {
  const event = async (action: string, fields: Fields = {}): Promise<string> => {
    const name = unique();
    await makePage(admin, name, [bare(named('button', name))]);
    await makeAction(admin, name, { event: 'submit', action, ...fields });
    return `/DOMElement/${await nodeNamed(admin, name)}/event`;
  };
  const PASSWORD = 'Some-pass-1';
  let anna: string;

  beforeAll(async () => {
    for (const who of ['user', 'anonymous'] as const) await allow(admin, 'DOMElement/_id/event', who, ['POST']);
    anna = await admin.create('User', { name: 'anna', eMail: 'anna@example.com', password: PASSWORD });
  });

  test('by name or address; what is wrong is 401', async () => {
    const path = await event('sign-in');
    for (const who of [{ name: 'anna' }, { eMail: 'anna@example.com' }]) {
      const answer = await server.as().post(path, { ...who, password: PASSWORD, svcAction: 'sign-in' });
      expect([answer.status, answer.body.result.id]).toEqual([200, anna]);
    }
    for (const wrong of [{ name: 'anna', password: 'x' }, { name: 'none', password: PASSWORD }, { name: 'anna' }, {}])
      expect((await server.as().post(path, wrong)).status).toBe(401);
  });

  test('sign-in brings a session, and sign-out ends it', async () => {
    const answer = await server.as().post(await event('sign-in'), { name: 'anna', password: PASSWORD });
    const cookie = cookieOf(answer, 'JSESSIONID');
    expect(cookie).not.toBe('');
    await admin.create('SchemaMethod', { name: 'whoami', source: "if(empty(me), 'nobody', me.name)" });
    const whoami = await event('method', { method: 'whoami' });
    const seen = async (): Promise<unknown> => (await server.as().post(whoami, {}, { Cookie: cookie })).body.result;
    expect(await seen()).toBe('anna');
    expect((await server.as().post(await event('sign-out'), {}, { Cookie: cookie })).status).toBe(200);
    expect(await seen()).toBe('nobody');
  });

  test('pages of other sites log nobody in', async () => {
    const foreign = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
    const answer = await server.as().post(await event('sign-in'), { name: 'anna', password: PASSWORD }, foreign);
    expect([answer.status, cookieOf(answer, 'JSESSIONID')]).toEqual([403, '']);
  });

  test('the second step: 202 says the page for it, a wrong code is 401 with the reason', async () => {
    await server.reload({
      'security.twofactorauthentication.level': 1,
      'security.twofactorauthentication.loginpage': '/second',
    });
    await admin.create('User', { name: 'berta', password: PASSWORD, isTwoFactorUser: true });
    const path = await event('sign-in');
    const first = await server.as().post(path, { name: 'berta', password: PASSWORD });
    expect([first.status, cookieOf(first, 'JSESSIONID'), first.headers]).toMatchObject([
      202,
      '',
      { twofactorloginpage: '/second', token: expect.any(String), qrdata: expect.any(String) },
    ]);
    const second = { twoFactorToken: first.headers['token'], twoFactorCode: '000000' };
    const refused = await server.as().post(path, second);
    expect([refused.status, refused.headers['reason']]).toEqual([401, 'wrongTwoFactorCode']);
    const unknown = await server.as().post(path, { ...second, twoFactorToken: 'unknown' });
    expect([unknown.status, unknown.headers['reason']]).toEqual([401, 'invalidTwoFactorToken']);
  });

  test('sign-up and reset-password send a mail', async () => {
    const eMail = 'new@example.com';
    const answer = await server.as().post(await event('sign-up'), { eMail, svcAction: 'sign-up' });
    expect(answer.status).toBe(201);
    expect(linkIn(await mail.mailTo(eMail))).toContain('/confirm_registration');
    expect((await server.as().post(await event('sign-up'), {})).status).toBe(422);
    expect((await server.as().post(await event('reset-password'), { eMail })).status).toBe(200);
  });
});
