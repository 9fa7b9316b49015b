/** Sections of an application export that are lists: out, in, and out again (docs/interface/deployment.md 2.6). */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { Deploying, id } from '../support/deploying.js';
import { writeTree } from '../support/export-tree.js';
import { allow } from '../support/permissions.js';
import { onNeo4j, type TestServer } from '../support/server.js';

let deploying: Deploying;
let server: TestServer;
let admin: Client;
let folder: string;

beforeAll(async () => {
  deploying = await Deploying.start();
  ({ server, admin, folder } = deploying);
});
afterAll(() => deploying.stop());

const newFolder = (): string => deploying.newFolder();
const deploy = (...given: Parameters<Deploying['deploy']>): Promise<Answer> => deploying.deploy(...given);
const exported = (target?: string): Promise<Record<string, string>> => deploying.exported(target);
const imported = (...given: Parameters<Deploying['imported']>): Promise<Answer> => deploying.imported(...given);

describe('an export', () => {
  it('is the same after it was imported', async () => {
    await admin.create('ResourceAccess', { signature: 'City', flags: 1 });
    const owner = await admin.create('User', { name: 'ada', password: 'correct horse' });
    const configuration = await admin.create('ApplicationConfigurationDataNode', {
      name: 'layout',
      configType: 'ui',
      content: '{"a<b": "\'="}',
    });
    await admin.put(`/${configuration}`, { owner });
    await admin.create('CorsSetting', { requestUri: '/svc/rest', acceptedOrigins: 'https://a.example', maxAge: 5 });
    await admin.create('Localization', { name: 'hello', localizedName: 'hallo', locale: 'de', domain: 'd' });
    await admin.create('Localization', { name: 'hello', localizedName: 'salut', locale: 'fr' });
    await admin.create('Widget', { name: 'card', source: '<b>${1}</b>', selectors: ['p', 'q'] });
    await admin.create('MailTemplate', { name: 'welcome', locale: 'en', text: '<p>Hello\n</p>' });
    await admin.create('MailTemplate', { name: 'welcome', locale: 'en', text: 'another' });
    const page = await admin.create('Page', { name: 'home' });
    await admin.create('Site', { name: 's', hostname: 'h.example', port: 80, pages: [page] });
    const parameter = await admin.create('PagePathParameter', { name: 'n', valueType: 'Integer', position: 0 });
    await admin.create('PagePath', { name: '/home/{n}', priority: 3, page, parameters: [parameter] });
    const first = await exported();
    expect(first['security/cors-settings.json']).toMatch(
      /^\[\n\t\{"id":"\w{32}","requestUri":"\/svc\/rest","acceptedOrigins":"https:/,
    );
    expect(first['application-configuration-data.json']).toContain('a\\u003cb');
    expect(Object.keys(first).filter((path) => path.startsWith('mail-templates/'))).toHaveLength(2);
    const again = await imported(first);
    expect([again.status, again.body]).toMatchObject([200, { result: [] }]);
    expect(await exported()).toEqual(first);
  });
});

describe('an import', () => {
  it('replaces what the file is there for, and leaves the rest', async () => {
    await admin.create('Localization', { name: 'old', localizedName: 'alt', locale: 'de' });
    const widgets = (await admin.get('/Widget')).body.result_count;
    const answer = await imported({
      'localizations.json': [{ id: id('1'), name: 'new', localizedName: 'neu', locale: 'de' }],
    });
    expect(answer.body).toMatchObject({ result: [] });
    expect((await admin.get('/Localization')).body.result).toMatchObject([{ id: id('1'), name: 'new' }]);
    expect((await admin.get('/Widget')).body.result_count).toBe(widgets);
  });

  it('changes nothing when an entry is wrong, and names it', async () => {
    const before = await exported();
    for (const [files, message] of [
      [{ 'localizations.json': '[{"id": "x' }, 'localizations.json'],
      [{ 'localizations.json': {} }, 'localizations.json: a list is expected'],
      [{ 'localizations.json': [{ name: 'n' }] }, 'localizations.json[0].id'],
      [{ 'localizations.json': [{ id: id('1') }, { id: id('1') }] }, 'localizations.json[1]'],
      [{ 'localizations.json': [], 'widgets.json': [{ id: 'short' }] }, 'widgets.json[0]'],
      [
        { 'localizations.json': [], 'security/grants.json': [{ id: id('2'), signature: 'A', flags: 'x' }] },
        'grants.json[0]',
      ],
      [
        {
          'localizations.json': [],
          'security/grants.json': [
            { id: id('2'), signature: 'A', flags: 1, grantees: [{ name: 'g', allowed: ['fly'] }] },
          ],
        },
        'fly',
      ],
      [{ 'localizations.json': [], 'sites.json': [{ id: id('3'), hostname: 'h', pages: [7] }] }, 'sites.json[0] '],
      [
        { 'localizations.json': [], 'events/action-mapping.json': [{ id: id('3'), triggerElements: 'x' }] },
        'triggerElements',
      ],
    ] as const) {
      const answer = await imported(files);
      expect([message, answer.status, answer.body.message.includes(message)]).toEqual([message, 422, true]);
    }
    expect(await exported()).toEqual(before);
  });

  it('finds the pages of sites by their keys, and by names that are said as often as there are pages', async () => {
    const [a, b] = [
      await admin.create('Page', { name: 'twice' }),
      await admin.create('Page', { name: 'twice' }),
    ].sort();
    const unnamed = await admin.create('Page', {});
    const pagesOf = async (...pages: string[]): Promise<string[]> => {
      const site = { id: id('b'), name: 'of pages', hostname: 'p.example', pages };
      expect((await imported({ 'sites.json': [site] })).body).toMatchObject({ result: [] });
      const { result } = (await admin.get(`/Site/${id('b')}/pages`)).body;
      return (result as { id: string }[]).map((page) => page.id).sort();
    };
    expect(await pagesOf('twice')).toEqual([a]);
    expect(await pagesOf(`twice-${String(b)}`)).toEqual([b]);
    expect(await pagesOf('twice', 'twice')).toEqual([a, b]);
    expect(await pagesOf('twice', `twice-${String(b)}`, 'twice')).toEqual([a, b]);
    expect(await pagesOf(unnamed, 'nowhere', `nowhere-${id('c')}`)).toEqual([unnamed]);
    await server.untilLogged(/Missing page\(s\) of a site: nowhere, nowhere-/);
    await admin.delete(`/Site/${id('b')}`);
    for (const page of [a, b, unnamed]) await admin.delete(`/Page/${String(page)}`);
  });

  it('drops who is not there, and goes on', async () => {
    const entry = {
      id: id('4'),
      signature: 'Gone',
      flags: 16,
      visibleToPublicUsers: true,
      grantees: [{ name: 'nobody', allowed: 'read, write' }],
    };
    expect((await imported({ 'security/grants.json': [entry] })).body).toMatchObject({ result: [] });
    expect((await admin.get(`/ResourceAccess/${id('4')}`)).body.result).toMatchObject({ signature: 'Gone' });
    await server.untilLogged(/Missing Principal\(s\): nobody/);
  });
});

describe('what users who are no administrators have made', () => {
  it('stays marked: objects, and links of them', async () => {
    const entry = { id: id('5'), name: 'w', source: '<b>x</b>', sandboxed: true };
    const mapping = { id: id('6'), event: 'click', action: 'create', sandboxedLinks: { PARAMETER: [id('7')] } };
    const files = {
      'widgets.json': [entry],
      'pages.json': {},
      'events/action-mapping.json': [{ ...mapping, parameterMappings: [id('7')] }],
      'events/parameter-mapping.json': [{ id: id('7'), parameterName: 'p' }],
      'page-paths.json': [
        {
          id: id('8'),
          name: '/x/{n}',
          parameters: [{ id: id('9'), name: 'n' }],
          sandboxedLinks: { HAS_PARAMETER: [id('9')] },
        },
      ],
    };
    expect((await imported(files)).body).toMatchObject({ result: [] });
    // Only what something sets off is exported.
    const button = await admin.create('Button', {
      tag: 'button',
      ownerDocument: await admin.create('Page', { name: 'p' }),
    });
    await admin.put(`/${id('6')}`, { triggerElements: [button] });
    const out = await exported();
    expect(JSON.parse(out['widgets.json'] ?? '')).toMatchObject([{ id: id('5'), sandboxed: true }]);
    expect(JSON.parse(out['events/action-mapping.json'] ?? '')).toMatchObject([
      { sandboxedLinks: { PARAMETER: [id('7')] } },
    ]);
    expect(JSON.parse(out['page-paths.json'] ?? '')).toMatchObject([{ sandboxedLinks: { HAS_PARAMETER: [id('9')] } }]);
    const wrong = await imported({
      'page-paths.json': [{ id: id('8'), name: '/', sandboxedLinks: { HAS_PARAMETER: 'all' } }],
    });
    expect([wrong.status, wrong.body.message]).toEqual([422, expect.stringContaining('sandboxedLinks.HAS_PARAMETER')]);
  });
});

describe('what is refused', () => {
  it('is everybody but administrators', async () => {
    await admin.create('User', { name: 'eve', password: 'correct horse' });
    const eve = server.as('eve', 'correct horse');
    const body = { mode: 'export', target: newFolder() };
    expect((await deploy(body, eve)).status).toBe(401);
    await allow(admin, 'maintenance/deploy', 'user', ['POST']);
    expect((await deploy(body, eve)).status).toBe(403);
  });

  it('is a place outside of the roots, or no place', async () => {
    const tried = async (body: object): Promise<unknown> => {
      const { status, body: said } = await deploy(body);
      return [status, said.message];
    };
    expect(await tried({ mode: 'export' })).toEqual([422, expect.stringContaining('"target"')]);
    expect(await tried({ mode: 'export', target: 'relative' })).toEqual([
      422,
      expect.stringContaining('no absolute path'),
    ]);
    expect(await tried({ mode: 'export', target: '/etc/svc' })).toEqual([
      422,
      expect.stringContaining('deployment.roots'),
    ]);
    expect(await tried({ mode: 'export', target: `${folder}/../../etc/x` })).toEqual([
      422,
      expect.stringContaining('deployment.roots'),
    ]);
    // The database, or on Neo4j content of files.
    expect(await tried({ mode: 'export', target: join(server.folder, onNeo4j ? 'files' : 'db') })).toEqual([
      422,
      expect.stringContaining('deployment.roots'),
    ]);
    expect(await tried({ mode: 'import', source: '/etc' })).toEqual([422, expect.stringContaining('deployment.roots')]);
    expect(await tried({ mode: 'other' })).toEqual([422, expect.stringContaining('mode')]);
  });

  it('is a source that is no export, as a result', async () => {
    const refused = async (source: string): Promise<string> =>
      (await deploy({ mode: 'import', source })).body.result[0] as string;
    expect(await refused(newFolder())).toMatch(/^Deployment Import not started: .* does not exist/);
    const empty = newFolder();
    await writeTree(empty, { 'data/x': '', 'readme.txt': '' });
    expect(await refused(empty)).toMatch(/^Deployment Import not started: .*no application export/);
    const newer = newFolder();
    await writeTree(newer, { 'deployment.conf': 'svc-version = 9.9.9 build', 'localizations.json': [] });
    expect(await refused(newer)).toMatch(/^Incompatible Deployment Import: /);
    const dashed = newFolder();
    await writeTree(dashed, { 'deployment.conf': 'uuid-format = with_dashes', 'localizations.json': [] });
    expect(await refused(dashed)).toMatch(/^Incompatible Deployment Import: /);
  });
});
