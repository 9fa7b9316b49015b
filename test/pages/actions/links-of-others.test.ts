/**
 * Links between elements, mappings and parameters that somebody else than an administrator makes count for nothing, by whatever door they are made
 * (docs/interface/pages.md 3.5, 7.1): else he would choose what visitors do with their rights.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../../support/client.js';
import { endedJob, fileWith } from '../../support/jobs.js';
import { getPage, makeAction, makePage, nodeNamed } from '../../support/pages.js';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';

const ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const SHOWN = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
const TRIGGERED = 'DOMElementTRIGGERED_BYActionMapping';
const PARAMETER = 'ActionMappingPARAMETERParameterMapping';
const INPUT = 'DOMElementINPUT_ELEMENTParameterMapping';
const TARGETS = ['SUCCESS_TARGET', 'FAILURE_TARGET', 'SUCCESS_NOTIFICATION_ELEMENT', 'FAILURE_NOTIFICATION_ELEMENT'];
const targetType = (relType: string): string => `DOMNode${relType}ActionMapping`;

let server: TestServer;
let admin: Client;
let mallory: Client;
let malloryId: string;
let count = 0;

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'html.indentation': false } });
  ({ admin } = server);
  malloryId = await admin.create('User', { name: 'mallory', password: 'a-password' });
  mallory = server.as('mallory', 'a-password');
  const types = [
    'Button',
    'Div',
    'Input',
    'DOMElement',
    'ActionMapping',
    'ParameterMapping',
    TRIGGERED,
    PARAMETER,
    INPUT,
  ];
  for (const type of [...types, ...TARGETS.map(targetType)])
    for (const signature of [type, `${type}/_id`]) await allow(admin, signature, 'user', ALL);
  const more = ['DOMElement/_id/event', 'Button/_id/triggeredActions', 'ActionMapping/_id/triggerElements'];
  for (const signature of [...more, 'File/_id/doCSVImport', 'jobs/_id']) await allow(admin, signature, 'user', ALL);
  const scripts = {
    evil: "{ return 'done'; }",
    link: "{ const p = $.args; $.createRelationship($.find('Button', p.button), $.find('ActionMapping', p.mapping), 'TRIGGERED_BY'); }",
    assign: "{ const p = $.args; $.find('Button', p.button).triggeredActions = [$.find('ActionMapping', p.mapping)]; }",
    nest: "{ const p = $.args; $.create('Div', { tag: 'div', children: [{ id: p.button, triggeredActions: [p.mapping] }] }); }",
  };
  for (const [name, source] of Object.entries(scripts)) {
    await admin.create('SchemaMethod', { name, source });
    await allow(admin, name, 'user', ['POST']);
  }
});
afterAll(() => server.stop());

const grant = (...allowed: readonly string[]): object => ({ grantees: [{ id: malloryId, allowed }] });
const writable = (): object => grant('read', 'write');

interface Place {
  readonly path: string;
  readonly button: string;
  readonly mapping: string;
}

/** A page with a button that the user may write, and a mapping of the administrator for another one. */
async function place(ofMapping: object = writable()): Promise<Place> {
  const name = `links${String(++count)}`;
  const [own, other] = [`${name}-own`, `${name}-other`];
  await makePage(admin, name, [
    ['html', {}, ['body', {}, ['button', { name: own, ...writable() }], ['i', { name: other, type: 'I' }]]],
  ]);
  const mapping = await makeAction(admin, other, { event: 'click', action: 'method', method: 'evil' }, [], {
    ...SHOWN,
    ...ofMapping,
  });
  return { path: `/${name}`, button: await nodeNamed(admin, own), mapping };
}

const tagOf = async (path: string, tag: string): Promise<string> =>
  new RegExp(`<${tag}[ >][^>]*`).exec(`${(await getPage(server.as(), path)).text}>`)?.[0] ?? '';
const idsAt = async (path: string): Promise<string[]> =>
  [(await admin.get(path)).body.result].flat().map((one: { id: string }) => one.id);

async function csv(header: string, row: string, targetType: string): Promise<void> {
  const file = await fileWith(admin, 'rows.csv', `${header}\n${row}\n`, SHOWN);
  const mappings = Object.fromEntries(header.split(';').map((name) => [name, name]));
  const begun = await mallory.post(`/File/${file}/doCSVImport`, { targetType, mappings });
  expect(begun.status).toBe(200);
  await endedJob(mallory, begun.body.result as number);
}

/** The event of a button whose mapping updates what is named. */
async function updating(): Promise<string> {
  const name = `update${String(++count)}`;
  await makePage(admin, name, [['html', {}, ['body', {}, ['button', { name }]]]]);
  await makeAction(admin, name, { event: 'click', action: 'update', idExpression: '${x.id}' });
  return `/DOMElement/${await nodeNamed(admin, name)}/event`;
}

const DOORS: readonly (readonly [string, (place: Place) => Promise<unknown>])[] = [
  [
    'the property of the element',
    ({ button, mapping }) => mallory.put(`/Button/${button}`, { triggeredActions: [mapping] }),
  ],
  [
    'the property of the element, as an object',
    ({ button, mapping }) => mallory.put(`/Button/${button}`, { triggeredActions: [{ id: mapping }] }),
  ],
  [
    'the property of the mapping',
    async ({ button, mapping }) => {
      const there = await idsAt(`/ActionMapping/${mapping}/triggerElements`);
      await mallory.put(`/ActionMapping/${mapping}`, { triggerElements: [...there, button] });
    },
  ],
  ['bulk PATCH', ({ button, mapping }) => mallory.patch('/Button', [{ id: button, triggeredActions: [mapping] }])],
  [
    'PUT of the sub-collection',
    ({ button, mapping }) => mallory.put(`/Button/${button}/triggeredActions`, { a: mapping }),
  ],
  [
    'POST of the relationship',
    ({ button, mapping }) => mallory.post(`/${TRIGGERED}`, { sourceId: button, targetId: mapping }),
  ],
  [
    'PATCH of relationships',
    ({ button, mapping }) => mallory.patch(`/${TRIGGERED}`, [{ sourceId: button, targetId: mapping }]),
  ],
  ['createRelationship', ({ button, mapping }) => mallory.post('/link', { button, mapping })],
  ['an assignment in a script', ({ button, mapping }) => mallory.post('/assign', { button, mapping })],
  ['nested objects', ({ button, mapping }) => mallory.post('/Div', nested(button, mapping))],
  ['nested objects in a script', ({ button, mapping }) => mallory.post('/nest', { button, mapping })],
  ['CSV import', ({ button, mapping }) => csv('sourceId;targetId', `${button};${mapping}`, TRIGGERED)],
  [
    'an event action',
    async ({ button, mapping }) =>
      mallory.post(await updating(), { svcIdExpression: button, triggeredActions: [mapping] }),
  ],
];

function nested(button: string, mapping: string): object {
  return { tag: 'div', children: [{ id: button, triggeredActions: [{ id: mapping }] }] };
}

describe('an element and a mapping of an administrator, linked by somebody else', () => {
  it.each(DOORS)('by %s', async (_, door) => {
    const made = await place();
    const { button, mapping, path } = made;
    await door(made);
    expect(await idsAt(`/Button/${button}/triggeredActions`)).toEqual([mapping]);
    const page = `${(await getPage(server.as(), path)).text}${(await getPage(server.as(), `/${button}`)).text}`;
    expect(page).toContain('<button');
    expect(page).not.toMatch(/<button[^>]*data-svc-/);
    // The element that the administrator has linked is as it was.
    expect(await tagOf(path, 'i')).toContain('data-svc-method="evil"');
    for (const client of [mallory, admin]) {
      const answer = await client.post(`/DOMElement/${button}/event`, { word: 'x' });
      expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining('No event action mapping')]);
    }
    // Nothing but the link was marked: the administrator's own counts.
    await admin.put(`/Button/${button}`, { triggeredActions: [] });
    await admin.put(`/Button/${button}`, { triggeredActions: [mapping] });
    expect((await getPage(server.as(), `/${button}`)).text).toContain('data-svc-method="evil"');
    expect((await admin.post(`/DOMElement/${button}/event`, {})).body.result).toBe('done');
  });

  it('stays without effect, whatever he says of the link', async () => {
    const { button, mapping } = await place();
    const refused = await mallory.post(`/${TRIGGERED}`, { sourceId: button, targetId: mapping, sandboxed: false });
    const answer = await mallory.post(`/${TRIGGERED}`, { sourceId: button, targetId: mapping });
    const [link = ''] = [refused, answer].flatMap(({ status, body }) =>
      status === 201 ? [(body.result as string[])[0] ?? ''] : [],
    );
    expect(link).not.toBe('');
    for (const value of [false, null, 0]) await mallory.put(`/${TRIGGERED}/${link}`, { sandboxed: value });
    expect((await getPage(server.as(), `/${button}`)).text).not.toContain('data-svc-');
    expect((await admin.post(`/DOMElement/${button}/event`, {})).status).toBe(422);
  });

  it('an element that he has written sets off nothing, whoever has linked it', async () => {
    const { button, mapping } = await place();
    await admin.put(`/Button/${button}`, { triggeredActions: [mapping] });
    expect((await mallory.post(`/DOMElement/${button}/event`, {})).body.result).toBe('done');
    expect((await mallory.put(`/Button/${button}`, { _html_title: 'hers' })).status).toBe(200);
    expect((await getPage(server.as(), `/${button}`)).text).not.toContain('data-svc-method');
    expect((await mallory.post(`/DOMElement/${button}/event`, {})).status).toBe(422);
  });
});

/** An object of the administrator. */
const make = (type: string, fields: object = {}): Promise<string> => admin.create(type, { ...SHOWN, ...fields });
const refusal = (answer: Answer): void => {
  expect([answer.status, answer.body.message]).toEqual([403, expect.stringMatching(/not permitted/)]);
};

describe('what else belongs to a mapping', () => {
  const SCRIPT = { parameterName: 'word', parameterType: 'script-expression', scriptExpression: "'of the author'" };

  it('a parameter', async () => {
    const { path, mapping } = await place();
    const parameter = await make('ParameterMapping', { ...SCRIPT, ...writable() });
    expect((await mallory.post(`/${PARAMETER}`, { sourceId: mapping, targetId: parameter })).status).toBe(201);
    expect(await tagOf(path, 'i')).not.toContain('data-word');
    await admin.put(`/ActionMapping/${mapping}`, { parameterMappings: [] });
    await admin.put(`/ActionMapping/${mapping}`, { parameterMappings: [parameter] });
    expect(await tagOf(path, 'i')).toContain('data-word="of the author"');
  });

  it('an input', async () => {
    const { path, mapping } = await place();
    const fields = { parameterName: 'word', parameterType: 'user-input', actionMapping: mapping };
    const own = await make('Input', { tag: 'input', ...writable() });
    // His own input does not make the parameter his.
    refusal(await mallory.post(`/${INPUT}`, { sourceId: own, targetId: await make('ParameterMapping', fields) }));
    refusal(await mallory.put(`/Input/${own}`, { parameterMappings: [await make('ParameterMapping', fields)] }));
    const parameter = await make('ParameterMapping', { ...fields, ...writable() });
    expect((await mallory.post(`/${INPUT}`, { sourceId: own, targetId: parameter })).status).toBe(201);
    expect(await tagOf(path, 'i')).not.toContain('data-word');
    await admin.put(`/ParameterMapping/${parameter}`, { inputElement: null });
    await admin.put(`/ParameterMapping/${parameter}`, { inputElement: own });
    expect(await tagOf(path, 'i')).toContain(`data-word="id(${own})"`);
  });

  it('the HTML id of an input counts as long as nobody else has written it', async () => {
    const { path, mapping } = await place();
    const input = await make('Input', { tag: 'input', _html_id: 'word', ...writable() });
    await make('ParameterMapping', {
      ...{ parameterName: 'word', parameterType: 'user-input', actionMapping: mapping },
      inputElement: input,
    });
    expect(await tagOf(path, 'i')).toContain('data-word="css(#word)"');
    await mallory.put(`/Input/${input}`, { _html_id: 'password' });
    expect(await tagOf(path, 'i')).toContain(`data-word="id(${input})"`);
  });

  it.each(TARGETS)('%s', async (relType) => {
    const { path, mapping } = await place(grant('read'));
    const own = await make('Div', { tag: 'div', ...writable() });
    const type = targetType(relType);
    refusal(await mallory.post(`/${type}`, { sourceId: own, targetId: mapping }));
    await admin.put(`/ActionMapping/${mapping}`, {
      ...writable(),
      ...{ successBehaviour: 'partial-refresh-linked', failureBehaviour: 'partial-refresh-linked' },
      ...{ successNotifications: 'custom-dialog-linked', failureNotifications: 'custom-dialog-linked' },
    });
    expect((await mallory.post(`/${type}`, { sourceId: own, targetId: mapping })).status).toBe(201);
    expect(await tagOf(path, 'i')).not.toContain(own);
    for (const [link] of [await idsAt(`/${type}`)]) await admin.delete(`/${type}/${String(link)}`);
    await admin.create(type, { sourceId: own, targetId: mapping });
    expect(await tagOf(path, 'i')).toContain(own);
  });
});

describe('where users decide about such things', () => {
  it('their links count', async () => {
    await server.reload({ 'security.administration.byusers': true });
    const { button, mapping } = await place();
    await mallory.post(`/${TRIGGERED}`, { sourceId: button, targetId: mapping });
    expect((await getPage(server.as(), `/${button}`)).text).toContain('data-svc-method="evil"');
    expect((await mallory.post(`/DOMElement/${button}/event`, {})).body.result).toBe('done');
  });
});
