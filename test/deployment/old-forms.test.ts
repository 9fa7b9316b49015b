/** Forms of older exports, beside those of schemas (schema/document.test.ts) and pages (pages.test.ts) (docs/interface/deployment.md 2, 3). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { Deploying, id } from '../support/deploying.js';
import { writeTree } from '../support/export-tree.js';
import { endedJob } from '../support/jobs.js';

let deploying: Deploying;
let admin: Client;

beforeAll(async () => {
  deploying = await Deploying.start();
  ({ admin } = deploying);
});
afterAll(() => deploying.stop());

const CONF = 'visibility-flags-relative-to = parent\nuuid-format = without_dashes\n';
/** The notes of an import, a line each. */
async function notes(files: Readonly<Record<string, unknown>>): Promise<string[]> {
  const source = deploying.newFolder();
  // Modules alone are no export.
  await writeTree(source, { 'deployment.conf': CONF, 'widgets.json': [], ...files });
  const answer = await deploying.deploy({ mode: 'import', source, background: true });
  const { status, result, exception } = await endedJob(admin, answer.body.result[0].jobId as number);
  expect([status, exception]).toEqual(['FINISHED', undefined]);
  return (result.notes as { title: string; message: string }[]).map((one) => `${one.title}: ${one.message}`);
}
const all = async (type: string): Promise<unknown> => (await admin.get(`/${type}/all?_sort=name`)).body.result;

it('permissions whose flags alone say for whom they are', async () => {
  await admin.create('Group', { name: 'editors' });
  const said = await notes({
    'security/grants.json': [
      { id: id('1'), signature: 'A', flags: 1 },
      { id: id('2'), signature: 'B', flags: 16 },
      { id: id('3'), signature: 'C', flags: 0 },
      { id: id('4'), signature: 'D', flags: 17, grantees: [{ name: 'editors', allowed: 'read, write' }] },
    ],
  });
  expect(said).toEqual([expect.stringMatching(/^Found grants.json file without visibility and grantees: /)]);
  const found = (await admin.get('/ResourceAccess/all?_sort=signature')).body.result as Record<string, unknown>[];
  const flags = found
    .filter(({ signature }) => /^[A-D]$/.test(String(signature)))
    .map((one) => [one['signature'], one['visibleToAuthenticatedUsers'], one['visibleToPublicUsers']]);
  expect(flags).toEqual([
    ['A', true, false],
    ['B', false, true],
    ['C', false, false],
    ['D', false, false],
  ]);
  expect((await deploying.exported())['security/grants.json']).toContain(
    '{"allowed":["read","write"],"name":"editors"}',
  );
});

it('permissions that nobody has are told by the export', async () => {
  await notes({
    'security/grants.json': [
      { id: id('5'), signature: 'Hidden', flags: 1, visibleToPublicUsers: false, visibleToAuthenticatedUsers: false },
    ],
  });
  await deploying.exported();
  await deploying.server.untilLogged(/Found configured but unreachable permission\(s\): Hidden \(5{32}\)/);
});

it('flows in one list', async () => {
  const at = (digit: string): string => `f${digit.repeat(31)}`;
  const said = await notes({
    'modules/flows/flow-engine.json': [
      { id: at('1'), type: 'FlowContainerPackage', name: 'shop' },
      { id: at('2'), type: 'FlowContainer', name: 'order' },
      { id: at('3'), type: 'FlowDataSource', query: 'find("User")' },
      { type: 'FlowContainerPackageFlow', relType: 'CONTAINS_FLOW', sourceId: at('1'), targetId: at('2'), id: at('4') },
      { type: 'FlowContainerBaseNode', relType: 'FLOW_CONTAINER', sourceId: at('2'), targetId: at('3'), id: at('5') },
      { type: 'FlowContainerBaseNode', relType: 'FLOW_CONTAINER', sourceId: at('2'), targetId: at('9'), id: at('6') },
    ],
  });
  expect(said).toEqual(['Missing ends of relationships of flows: modules/flows/flow-engine.json[5]']);
  const out = await deploying.exported();
  const folder = 'modules/flows/flows/shop/__children/order';
  expect(out[`${folder}/nodes/${at('3')}/scripts/query`]).toBe('find("User")');
  expect(JSON.parse(out[`${folder}/rels/${at('5')}/rel.json`] ?? '')).toMatchObject({
    sourceId: at('2'),
    targetId: at('3'),
  });
});

it('messaging and virtual types without ids', async () => {
  const files = {
    'modules/messaging-module/messaging-engine.json': [
      { type: 'MessageSubscriber', id: id('a'), name: 's', topic: 't', callback: '{}' },
      { type: 'MQTTClient', name: 'm', mainBrokerURL: 'tcp://b:1883', password: 'p', qos: 1, subscribers: [id('a')] },
    ],
    'modules/api-builder/virtual-types.json': [
      { name: 'V', sourceType: 'User', properties: [{ sourceName: 'name', targetName: 'called' }] },
    ],
  };
  expect(await notes(files)).toEqual([]);
  expect(await notes(files)).toEqual([]);
  expect(await all('MQTTClient')).toMatchObject([{ name: 'm', qos: 1, subscribers: [{ id: id('a') }] }]);
  expect(await all('VirtualType')).toMatchObject([{ name: 'V' }]);
  expect(await all('VirtualProperty')).toMatchObject([{ targetName: 'called' }]);
  const out = await deploying.exported();
  expect(await notes(Object.fromEntries(Object.entries(out).filter(([path]) => path.startsWith('modules/'))))).toEqual(
    [],
  );
  expect(await deploying.exported()).toEqual(out);
});

it('scripts with ${ } around them, and pages whose nodes have the flags of the page', async () => {
  const said = await notes({
    ...{
      'deployment.conf': 'uuid-format = without_dashes',
      'pages/.keep': '',
      'components/.keep': '',
      'templates/.keep': '',
    },
    'pages.json': { old: { id: id('b'), contentType: 'text/html', visibleToPublicUsers: true } },
    'pages/old.html': '<html><body></body></html>',
    'pre-deploy.conf': "${create('Group', 'name', 'made before')}",
  });
  expect(said).toEqual([
    expect.stringMatching(/^Deprecation Notice: pre-deploy.conf/),
    expect.stringMatching(/^Deprecation Notice: The export is of an older form/),
  ]);
  expect((await admin.get('/Group?name=made%20before')).body.result_count).toBe(1);
});

it('names of principals that two have, and marks of the byte order', async () => {
  for (const name of ['twin', 'twin2']) await admin.create('Group', { name });
  await admin.create('User', { name: 'twin', password: 'correct horse' }).catch(() => undefined);
  const said = await notes({
    'deployment.conf': `\ufeff${CONF}`,
    'application-configuration-data.json': `\ufeff${JSON.stringify([{ id: id('c'), content: 'x', owner: { name: 'twin' } }])}`,
    'mail-templates.json': [{ id: id('d'), name: 'n', locale: 'de', filename: 'x.html' }],
    'mail-templates/x.html': '\ufefftext',
  });
  expect(said.filter((one) => !one.startsWith('Ambiguous Principal(s): twin'))).toEqual([]);
  expect(await all('MailTemplate')).toMatchObject([{ text: '\ufefftext' }]);
});
