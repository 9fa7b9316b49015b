/** Languages of pages, templates of mails and widgets, row by row (docs/interface/script-runtime.md 8.10, security.md 7.4, pages.md 9). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { MailServer } from '../support/mail-server.js';
import { getPage, makePage } from '../support/pages.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { call, emptyPage, stateOf } from '../support/trees.js';

let mail: MailServer;
let server: TestServer;
let admin: Client;
let anna: Client;
let count = 0;

beforeAll(async () => {
  mail = await MailServer.start();
  server = await TestServer.start({ settings: { ...mail.settings, 'jsonrestservlet.user.autocreate': true } });
  ({ admin } = server);
  await admin.create('User', { name: 'anna', password: 'Anna-pass-1', locale: 'it_IT' });
  anna = server.as('anna', 'Anna-pass-1');
});
afterAll(async () => {
  await server.stop();
  await mail.stop();
});

/** What a page of this text says. */
async function says(
  content: string,
  query = '',
  headers: Record<string, string> = {},
  client = server.as(),
): Promise<string> {
  const name = `says${String(++count)}`;
  await makePage(admin, name, [['Template', { content, contentType: 'text/html' }]]);
  const { status, text } = await getPage(client, `/${name}${query}`, headers);
  expect(status).toBe(200);
  return text;
}

describe('the locale of a request', () => {
  test.each<
    readonly [what: string, query: string, headers: Record<string, string>, who: 'anna' | 'nobody', locale: string]
  >([
    [
      'the parameter before all others',
      '?_locale=fr_FR',
      { Cookie: 'locale=es_ES', 'Accept-Language': 'pt-BR' },
      'anna',
      'fr_FR',
    ],
    ['the user before the cookie', '', { Cookie: 'locale=es_ES', 'Accept-Language': 'pt-BR' }, 'anna', 'it_IT'],
    ['the cookie before the browser', '', { Cookie: 'locale=es_ES', 'Accept-Language': 'pt-BR' }, 'nobody', 'es_ES'],
    ['the browser', '', { 'Accept-Language': 'pt-BR,pt;q=0.9,en;q=0.8' }, 'nobody', 'pt_BR'],
    ['what the browser wishes most', '', { 'Accept-Language': 'en;q=0.5, it;q=x, fr-CA;q=0.8, *' }, 'nobody', 'fr_CA'],
    ['what it wishes next where that is no locale', '', { 'Accept-Language': 'es-419,es;q=0.9' }, 'nobody', 'es'],
    ['not what it does not want', '', { 'Accept-Language': 'de;q=0, it;q=0.1' }, 'nobody', 'it'],
    ['a language alone', '?_locale=fr', {}, 'nobody', 'fr'],
    ['a hyphen is an underscore', '?_locale=de-at', {}, 'nobody', 'de_AT'],
    ['also in a cookie', '', { Cookie: 'locale=es-MX' }, 'nobody', 'es_MX'],
    ['what is none does not count', '?_locale=%3Cb%3E', { Cookie: 'locale=es_ES' }, 'nobody', 'es_ES'],
    ['locale is a parameter of the page', '?locale=fr_FR', { Cookie: 'locale=es_ES' }, 'nobody', 'es_ES'],
  ])('%s', async (_, query, headers, who, locale) => {
    expect(await says('${locale}', query, headers, who === 'anna' ? anna : server.as())).toBe(locale);
  });

  test('else that of the server; with legacy parameters `locale` is the parameter', async () => {
    const own = await says('${locale}');
    expect(own).toMatch(/^[a-z]{2,3}(?:_[A-Z]{2})?$/);
    await server.reload({ 'application.legacy.requestparameters.enabled': true });
    expect(await says('${locale}', '?locale=fr_FR')).toBe('fr_FR');
    expect(await says('${locale}', '?_locale=fr_FR')).toBe(own);
    await server.reload({ 'application.legacy.requestparameters.enabled': false });
  });

  test('setLocale() changes it for what comes behind', async () => {
    expect(await says("${locale}|${setLocale('es_ES')}${locale}", '?_locale=fr_FR')).toBe('fr_FR|es_ES');
  });
});

describe('localize()', () => {
  beforeAll(async () => {
    const all = [
      ['shop', 'de_DE'],
      [null, 'de_DE'],
      ['shop', 'de'],
      [null, 'de'],
    ] as const;
    for (const [from, name] of ['a', 'b', 'c', 'd'].entries())
      for (const [domain, locale] of all.slice(from)) {
        const localizedName = `${domain ?? '-'} ${locale}`;
        const id = await admin.create('Localization', { name, domain, locale, localizedName });
        // Whoever asks may not read them.
        await admin.put(`/Localization/${id}`, { visibleToPublicUsers: false, visibleToAuthenticatedUsers: false });
      }
    await admin.create('Localization', { name: 'far', locale: 'en_US', localizedName: 'Far', domain: '' });
    await admin.create('Localization', { name: 'near', locale: 'en', localizedName: 'Near' });
  });

  test.each([
    ["localize('a', 'shop')", 'shop de_DE'],
    ["localize('b', 'shop')", '- de_DE'],
    ["localize('c', 'shop')", 'shop de'],
    ["localize('d', 'shop')", '- de'],
    ["localize('e', 'shop')", 'e'],
    ["localize('a')", '- de_DE'],
    ["localize('c')", '- de'],
    ["localize('a', 'other')", '- de_DE'],
    ["localize('far', 'shop')", 'far'],
    ['localize(null)', ''],
    ["extract(localize(merge('a', 'e'), 'shop'), 'name')", '[a, e]'],
    ["extract(localize(merge('a', 'e'), 'shop'), 'localizedName')", '[shop de_DE, e]'],
  ])('%s is %s', async (script, text) => {
    expect(await says(`\${${script}}`, '?_locale=de_DE')).toBe(text);
  });

  test('the fallback locale, with its language, where the setting says so', async () => {
    await server.reload({ 'application.localization.usefallbacklocale': true });
    expect(await says("${localize('far', 'shop')} ${localize('near')} ${localize('e')}", '?_locale=de_DE')).toBe(
      'Far Near e',
    );
    await server.reload({ 'application.localization.fallbacklocale': 'de_DE' });
    expect(await says("${localize('far')} ${localize('a')}", '?_locale=fr')).toBe('far - de_DE');
    await server.reload({ 'application.localization.usefallbacklocale': false });
  });

  test('what is missing is logged where the setting says so', async () => {
    await says("${localize('unlogged')}", '?_locale=de_DE');
    await server.reload({ 'application.localization.logmissing': true });
    await says("${localize('not there', 'shop')}", '?_locale=de_DE');
    await server.untilLogged(/no localization of not there for de_DE in the domain shop/);
    expect(server.lines.filter((line) => line.includes('unlogged'))).toEqual([]);
    await server.reload({ 'application.localization.logmissing': false });
  });

  test('a change is seen by the next request of a page', async () => {
    await makePage(admin, 'kept-text', [['Template', { content: "${localize('late')}" }]]);
    const seen = async (): Promise<string> => (await getPage(server.as(), '/kept-text?_locale=de')).text;
    expect(await seen()).toBe('late');
    const id = await admin.create('Localization', {
      name: 'late',
      locale: 'de',
      localizedName: 'Spät',
      imported: true,
    });
    expect(await seen()).toBe('Spät');
    await admin.put(`/Localization/${id}`, { localizedName: 'Später' });
    expect(await seen()).toBe('Später');
    await admin.delete(`/Localization/${id}`);
    expect(await seen()).toBe('late');
  });
});

describe('mail templates', () => {
  test('template() is that of the name and locale, for the object', async () => {
    const fields = { name: 'greet', locale: 'de', text: 'Hallo ${this.name}!', description: 'd' };
    const id = await admin.create('MailTemplate', { ...fields, visibleToPublicUsers: true });
    expect((await admin.get(`/MailTemplate/${id}/ui`)).body.result).toMatchObject(fields);
    const of = (name: string, locale: string): string => `template('${name}', '${locale}', page)`;
    const all = [of('greet', 'de'), of('greet', 'de_DE'), of('greet', 'en'), of('none', 'de')];
    expect(await says(all.map((one) => `[\${${one}}]`).join(''))).toBe(`[Hallo says${String(count)}!][][][]`);
  });

  test.each([
    ['CONFIRM_REGISTRATION', '_registration', '/registration'],
    ['RESET_PASSWORD', '_resetPassword', '/reset-password'],
  ])('of %s', async (prefix, signature, path) => {
    await allow(admin, signature, 'anonymous', ['POST']);
    const texts = {
      ...{ SENDER_NAME: 'Shop', SENDER_ADDRESS: 'shop@example.com', SUBJECT: 'To ${eMail}' },
      ...{
        TEXT_BODY: 'text ${link} of ${eMail}',
        HTML_BODY: '<p>html</p>',
        BASE_URL: 'https://shop.example',
        PAGE: '/here',
      },
      ...{ TARGET_PAGE: '/there', ERROR_PAGE: '/oops' },
      ...{ CONFIRMATION_KEY_KEY: 'k', TARGET_PAGE_KEY: 't', ERROR_PAGE_KEY: 'e' },
    };
    for (const [key, text] of Object.entries(texts))
      await admin.create('MailTemplate', { name: `${prefix}_${key}`, text, locale: 'de_DE' });
    const eMail = `${prefix.toLowerCase()}@example.com`;
    if (path === '/reset-password') await admin.create('User', { name: 'forgetful', eMail });
    expect((await server.as().post(path, { eMail, locale: 'de_DE' })).status).toBeLessThan(300);
    const { from, headers, body } = await mail.mailTo(eMail);
    expect(from).toBe('shop@example.com');
    expect(headers).toContain(`Subject: To ${eMail}`);
    expect(headers.find((line) => line.startsWith('From:'))).toMatch(/Shop/);
    expect(body).toMatch(/text https:\/\/shop\.example\/here\?k=[^&\s]+&t=%2Fthere&e=%2Foops of /);
    expect(body).toContain('<p>html</p>');
    // Of another locale there is none: what is built in.
    await server.as().post(path, { eMail, locale: 'fr_FR' });
    const other = await mail.mailTo(eMail, 2);
    expect(other.body).toContain(
      `${server.url}${prefix === 'RESET_PASSWORD' ? '/reset-password' : '/confirm_registration'}?key=`,
    );
    expect(other.body).not.toContain('shop.example');
    // Without a locale any of the name is the one.
    await server.as().post(path, { eMail });
    expect((await mail.mailTo(eMail, 3)).body).toContain('https://shop.example/here?k=');
  });
});

describe('widgets', () => {
  test.each([
    ['<caption>x</caption>', ['Caption']],
    ['<colgroup><col></colgroup>', ['Colgroup']],
    ['<thead><tr><th>x</th></tr></thead>', ['Thead']],
    ['<tbody><tr><td>x</td></tr></tbody>', ['Tbody']],
    ['<tfoot><tr><td>x</td></tr></tfoot>', ['Tfoot']],
    ['<tr><td>x</td></tr>', ['Tr']],
    ['<th>x</th>', ['Th']],
    ['<td>x</td><td>y</td>', ['Td', 'Td']],
    ['<p>[a][b:1,2][c]</p>', ['P']],
  ])('%s is inserted as it is', async (source, types) => {
    const { body } = await emptyPage(admin, `widget-${String(++count)}`);
    const widget = await admin.create('Widget', { name: 'w', source });
    const answer = await call(admin, body, 'insertWidget', { widget, values: { a: 'A', b: 'B' } });
    expect((answer.body.result as { type: string }[]).map(({ type }) => type)).toEqual(types);
    const page = await getPage(admin, `/widget-${String(count)}`);
    const becomes = source.replace('[a][b:1,2]', 'AB');
    expect(page.text.replace(/\s*\n\s*/g, '')).toContain(`<body>${becomes}</body>`);
    const [first] = (await stateOf(admin, body)).children;
    expect(first.type).toBe(types[0]);
  });

  test('lists of them are asked for by path and name, templates of pages by themselves', async () => {
    await admin.delete('/Widget');
    for (const [name, treePath, isPageTemplate] of [
      ['two', '/B', false],
      ['one', '/B', false],
      ['card', '/A/C', false],
      ['landing', '/A', true],
    ] as const)
      await admin.create('Widget', { name, treePath, isPageTemplate, source: 'x' });
    const names = async (path: string): Promise<string[]> =>
      ((await admin.get(path)).body.result as { name: string }[]).map(({ name }) => name);
    expect(await names('/Widget?_sort=treePath&_sort=name')).toEqual(['landing', 'card', 'one', 'two']);
    expect(await names('/Widget?isPageTemplate=true&_sort=name')).toEqual(['landing']);
    expect((await admin.get('/Widget/pages?isPageTemplate=true&_sort=name')).status).toBe(404);
  });

  test('addresses of other servers are kept as data of the configuration', async () => {
    const fields = { configType: 'remote_widget_server', name: 'ours', content: '{"url":"https://widgets.example"}' };
    const id = await admin.create('ApplicationConfigurationDataNode', fields);
    const { result } = (await admin.get('/ApplicationConfigurationDataNode/ui?configType=remote_widget_server')).body;
    expect(result).toMatchObject([{ id, ...fields }]);
    expect((await server.as().get('/ApplicationConfigurationDataNode')).status).toBe(401);
  });
});
