/** Random whole applications survive export, clear and import: the same objects, ids included, and the same files again (docs/interface/deployment.md 2, 3). */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { Deploying } from '../support/deploying.js';
import { writeTree } from '../support/export-tree.js';
import { endedJob } from '../support/jobs.js';
import { randomRuns, tryAll } from '../support/random.js';

let deploying: Deploying;
let admin: Client;

beforeAll(async () => {
  deploying = await Deploying.start();
  ({ admin } = deploying);
  await admin.create('User', { name: 'ada', password: 'correct horse' });
  for (const name of ['editors', 'readers (all, of us)']) await admin.create('Group', { name });
});
afterAll(() => deploying.stop());

/** What could be taken for something else in a file. */
const PIECES = [
  ...[
    'a',
    'Word',
    ' ',
    '\n',
    '\t',
    '\r\n',
    '<',
    '>',
    '&',
    '"',
    "'",
    '(',
    ')',
    ',',
    '@',
    '=',
    '\\',
    '${',
    '}',
    '\u2028',
  ],
  ...['&lt;', '</div>', 'é', '😀', '\u00a0', '\ufeff', '-->', '@svc:public', './x', 'null', '[]', '{'],
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 5 }).map((all) => all.join(''));
const word = fc.array(fc.constantFrom('a', 'B', 'ü', ' ', '-', '.', '(', ')', "'", '&', '😀', '0'), {
  minLength: 1,
  maxLength: 6,
});
/** A name of a file. */
const name = word.map((all) => all.join('').replace(/^[ .]+|[ .]+$/g, '') || 'x');
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null });
const flags = { visibleToPublicUsers: fc.boolean(), visibleToAuthenticatedUsers: fc.boolean() };
const allowed = fc.subarray(['read', 'write', 'delete', 'accessControl'], { minLength: 1 });
const rights = {
  owner: maybe(fc.constant({ name: 'ada' })),
  grantees: fc
    .dictionary(fc.constantFrom('editors', 'readers (all, of us)'), allowed)
    .map((all) => Object.entries(all).map(([who, rightsOf]) => ({ name: who, allowed: rightsOf }))),
};

const property = fc.oneof(
  fc.record({ type: fc.constant('string'), default: fc.constantFrom('x', 'y z'), indexed: fc.constant(true) }),
  fc.record({ type: fc.constantFrom('boolean', 'password') }),
  fc.record({
    type: fc.constant('string'),
    format: fc.constant('date-time'),
    datePattern: fc.constantFrom('yyyy', 'yyyy-MM-dd'),
  }),
  fc.record({ type: fc.constant('string'), enum: fc.constantFrom(['a'], ['b', 'c']) }),
  fc.record({
    type: fc.constantFrom('integer', 'long'),
    minimum: fc.constant(1),
    maximum: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({ type: fc.constant('array'), items: fc.record({ type: fc.constantFrom('string', 'long', 'boolean') }) }),
  fc.record({ type: fc.constant('function'), readFunction: text.map((all) => `{ return ${JSON.stringify(all)}; }`) }),
);
const TYPES = ['Alpha', 'Beta', 'Gamma'];
const keys = fc.constantFrom('one', 'two', 'three');
const type = fc.record({
  type: fc.constant('object'),
  traits: fc.constantFrom([], ['Linkable'], ['File']),
  summary: text,
  properties: fc.dictionary(keys, property),
  methods: fc.dictionary(
    keys,
    fc.record({
      source: text.filter((all) => !all.startsWith('./')).map((all) => `{ return ${JSON.stringify(all)}; }`),
      isStatic: fc.boolean(),
    }),
  ),
  grants: fc.dictionary(
    fc.constantFrom('editors'),
    fc.record({ read: fc.constant(true), write: fc.boolean(), delete: fc.boolean(), accessControl: fc.boolean() }),
  ),
});
const relation = fc.record({
  $source: fc.constantFrom(...TYPES.map((one) => `#/definitions/${one}`)),
  $target: fc.constantFrom(...TYPES.map((one) => `#/definitions/${one}`)),
  cardinality: fc.constantFrom('OneToOne', 'OneToMany', 'ManyToMany'),
});

interface Node {
  readonly name: string;
  readonly children: readonly Node[] | undefined;
  readonly content: string;
  readonly own: object;
}
const tree = fc.letrec<{ node: Node }>((again) => ({
  node: fc.record({
    name,
    children: fc.option(fc.array(again('node'), { maxLength: 3 }), { nil: undefined, maxDepth: 3 }),
    content: text,
    own: fc.record({ ...flags, ...rights, includeInFrontendExport: fc.boolean() }),
  }),
})).node;

const application = fc.record({
  types: fc.dictionary(fc.constantFrom(...TYPES), type),
  relations: fc.array(relation, { maxLength: 2 }),
  functions: fc.dictionary(
    keys,
    fc.record({ source: text.map((all) => `{ return ${JSON.stringify(all)}; }`), ...flags }),
  ),
  permissions: fc.array(
    fc.record({
      signature: fc.constantFrom('Alpha', 'User/Ui', 'File', '_login'),
      flags: fc.nat(16383),
      ...flags,
      grantees: rights.grantees,
    }),
    { maxLength: 3 },
  ),
  files: fc.array(tree, { maxLength: 3 }),
  localizations: fc.array(
    fc.record({ name: text, localizedName: maybe(text), domain: maybe(text), locale: fc.constantFrom('de', 'en_US') }),
    { maxLength: 3 },
  ),
  mails: fc.array(fc.record({ name, locale: fc.constantFrom('de', 'en'), text, ...flags }), { maxLength: 3 }),
  widgets: fc.array(fc.record({ name: text, source: text, selectors: fc.array(text, { maxLength: 2 }), ...flags }), {
    maxLength: 2,
  }),
  settings: fc.array(fc.record({ name: maybe(text), configType: maybe(text), content: text, ...rights }), {
    maxLength: 2,
  }),
  sites: fc.array(fc.record({ name: text, hostname: name, port: maybe(fc.nat(9999)), ...flags, ...rights }), {
    maxLength: 2,
  }),
  pages: fc.array(
    fc.record({
      name,
      body: fc.array(fc.tuple(fc.constantFrom('div', 'p', 'svc', 'my-part'), text, text), { maxLength: 4 }),
      own: fc.record({ ...flags, ...rights }),
    }),
    { maxLength: 3 },
  ),
  subscribers: fc.array(fc.record({ name: text, topic: text, callback: text }), { maxLength: 2 }),
  flows: fc.array(fc.record({ path: fc.array(name, { maxLength: 2 }), name, script: text }), { maxLength: 2 }),
  scratchpads: text,
});
type Application = typeof application extends fc.Arbitrary<infer T> ? T : never;

/** Ids that nothing else has, the same for the same application. */
class Ids {
  #count = 0;
  next(): string {
    return createHash('md5').update(String(++this.#count)).digest('hex');
  }
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (said: string): string => said.replace(/[&<>"]/g, (one) => escapes[one] ?? one);

/** The files of an application, as somebody else might write them. */
function filesOf(app: Application): Record<string, unknown> {
  const ids = new Ids();
  const files: Record<string, unknown> = {
    'deployment.conf': 'visibility-flags-relative-to = parent\nuuid-format = without_dashes\n',
    ...{ 'pages/.keep': '', 'components/.keep': '', 'templates/.keep': '', 'modules/flows/flows/.keep': '' },
    'components.json': {},
    'templates.json': {},
    'page-paths.json': [],
  };
  const withIds = (all: readonly object[]): object[] => all.map((one) => ({ id: ids.next(), ...one }));
  const relations = app.relations.filter(({ $source, $target }) =>
    [$source, $target].every((end) => app.types[end.slice('#/definitions/'.length)] !== undefined),
  );
  files['schema/schema.json'] = {
    definitions: {
      ...app.types,
      ...Object.fromEntries(relations.map((one, i) => [`R${String(i)}`, { ...one, rel: `R${String(i)}` }])),
    },
    methods: Object.entries(app.functions).map(([called, one]) => ({ ...one, name: called })),
  };
  files['security/grants.json'] = withIds(app.permissions);
  files['localizations.json'] = withIds(app.localizations);
  files['widgets.json'] = withIds(app.widgets);
  files['application-configuration-data.json'] = withIds(app.settings);
  files['modules/messaging-module/messaging-engine.json'] = withIds(
    app.subscribers.map((one) => ({ type: 'MessageSubscriber', ...one })),
  );
  files['scratchpads/x.txt'] = app.scratchpads;
  const mails = app.mails.map(({ text: content, ...one }, i) => {
    const filename = `m${String(i)}.html`;
    files[`mail-templates/${filename}`] = content;
    return { ...one, filename };
  });
  files['mail-templates.json'] = withIds(mails);
  const entries: Record<string, object> = {};
  const put = (nodes: readonly Node[], above: string): void => {
    const taken = new Set<string>();
    for (const node of nodes) {
      const path = `${above}/${node.name}`;
      if (taken.has(node.name)) continue;
      taken.add(node.name);
      const isFolder = node.children !== undefined;
      const kind = isFolder ? { type: 'Folder' } : { type: 'File', isTemplate: false, contentType: 'text/plain' };
      const flagged = above === '' ? { includeInFrontendExport: true } : {};
      entries[path] = { id: ids.next(), ...kind, ...node.own, ...flagged };
      if (!isFolder) files[`files${path}`] = node.content;
      put(node.children ?? [], path);
    }
  };
  put(app.files, '');
  files['files.json'] = entries;
  const pages: Record<string, object> = {};
  for (const { name: called, body, own } of app.pages) {
    if (called in pages) continue;
    pages[called] = { id: ids.next(), contentType: 'text/html', ...own };
    const inside = body.map(([tag, title, said]) => {
      const mark =
        said === '' ? '' : `<!-- @svc:content(text/html) -->${escaped(said).replaceAll('@svc:', '&#64;svc:')}`;
      return tag === 'svc'
        ? mark
        : `<${tag} title="${escaped(title)}" data-svc-meta-id="${ids.next()}">${mark}</${tag}>`;
    });
    files[`pages/${called}.html`] =
      `<html data-svc-meta-id="${ids.next()}"><body data-svc-meta-id="${ids.next()}">${inside.join('')}</body></html>`;
  }
  files['pages.json'] = pages;
  files['sites.json'] = withIds(app.sites.map((one) => ({ ...one, pages: Object.keys(pages).slice(0, 2) })));
  for (const { path, name: called, script } of app.flows) {
    const folder = ['modules/flows/flows', [...path, called].join('/__children/')].join('/');
    if (files[`${folder}/flow-container.json`] !== undefined) continue;
    const [flow, node] = [ids.next(), ids.next()];
    files[`${folder}/flow-container.json`] = { id: flow, type: 'FlowContainer', name: called };
    files[`${folder}/nodes/${node}/node.json`] = { id: node, type: 'FlowAction' };
    if (script !== '') files[`${folder}/nodes/${node}/scripts/script`] = script;
    const link = {
      id: ids.next(),
      type: 'FlowContainerBaseNode',
      relType: 'FLOW_CONTAINER',
      sourceId: flow,
      targetId: node,
    };
    files[`${folder}/rels/${link.id}/rel.json`] = link;
  }
  return files;
}

async function imported(files: Readonly<Record<string, unknown>>): Promise<void> {
  const source = deploying.newFolder();
  await writeTree(source, files);
  const answer = await deploying.deploy({ mode: 'import', source, background: true });
  const { status, exception } = await endedJob(admin, answer.body.result[0].jobId as number);
  expect([status, exception]).toEqual(['FINISHED', undefined]);
}

const KINDS = [
  ...['ResourceAccess', 'Localization', 'MailTemplate', 'Widget', 'ApplicationConfigurationDataNode', 'Site', 'Page'],
  ...['AbstractFile', 'DOMElement', 'MessageSubscriber', 'FlowContainer', 'FlowBaseNode', 'DeployedPart'],
];
/** What is said of all objects, by their ids, but for times and what is new with every import. */
async function graph(): Promise<unknown> {
  const said: unknown[] = [];
  for (const kind of KINDS) {
    const all = (await admin.get(`/${kind}/all`)).body.result as Record<string, unknown>[];
    const plain = all
      .map((one) => inOrder(one) as Record<string, unknown>)
      .map((one) =>
        Object.fromEntries(
          Object.entries(one).filter(
            ([key]) =>
              !/^(?:createdDate|lastModifiedDate|createdBy|lastModifiedBy|version|fileModificationDate|children|sortedChildren|childrenIds|elements|syncedNodes|data-svc-hash|checksum|domSortPosition|flowPackage)$/.test(
                key,
              ),
          ),
        ),
      );
    if (kind === 'DeployedPart') said.push([kind, plain.map(({ path, content }) => [path, content]).sort()]);
    else said.push([kind, plain.sort((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1))]);
  }
  return JSON.parse(
    JSON.stringify(said).replace(/"id":"[\da-f]{32}","type":"(?:Security|PrincipalOwnsNode)"/g, '""'),
  ) as unknown;
}

/** Related objects have no order of their own. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    const all: unknown[] = value.map(inOrder);
    const idOf = (one: unknown): string => String((one as { id?: unknown } | null)?.id);
    return all.every((one) => typeof one === 'object') ? all.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1)) : all;
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inOrder(one)]));
}

/** Takes away all that an import leaves. */
async function clear(): Promise<void> {
  await imported({
    ...filesOf({
      ...{
        types: {},
        relations: [],
        functions: {},
        permissions: [],
        files: [],
        localizations: [],
        mails: [],
        widgets: [],
      },
      ...{ settings: [], sites: [], pages: [], subscribers: [], flows: [], scratchpads: '' },
    }),
    'scratchpads.json': [],
  });
  for (const kind of ['File', 'Folder', 'DOMNode', 'Site']) await admin.delete(`/${kind}`);
}

it('random applications', async () => {
  await randomRuns(
    fc.asyncProperty(application, async (app) => {
      await imported(filesOf(app));
      const [first, before] = [await deploying.exported(), await graph()];
      // Over what is there.
      await imported(
        Object.fromEntries(Object.entries(first).map(([path, said]) => [path, Buffer.from(said, 'latin1')])),
      );
      expect(await deploying.exported()).toEqual(first);
      expect(await graph()).toEqual(before);
      await clear();
      await imported(
        Object.fromEntries(Object.entries(first).map(([path, said]) => [path, Buffer.from(said, 'latin1')])),
      );
      expect(await graph()).toEqual(before);
      expect(await deploying.exported()).toEqual(first);
      await clear();
    }),
    tryAll ? 100_000 : 3,
    tryAll ? 25 : 4,
  );
});
