#!/usr/bin/env node
/** A public site about the cities of the atlas, made in a running svc over REST. */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { AtlasClient, AtlasError } from '../atlas/client.mjs';
import { DataError, readAtlas } from '../atlas/data.mjs';
import { defineModel, loadAtlas } from '../atlas/load.mjs';
import { filesOf } from './files.mjs';
import { pages, texts } from './pages.mjs';
import { EVERYBODY, makePage } from './tree.mjs';

const HELP = `Usage: npm run example:site -- [options]

  --url URL            the server; default: http://localhost:8082
  --user NAME          an administrator; default: admin
  --password PASSWORD  default: admin
  --limit N            the N most populous cities; default: 2000
  --visitor PASSWORD   password of the user "visitor", who may write; default: a random one, which is printed
  --help               print this
`;

/** What the pages of the site have in common. */
const CATEGORY = 'atlas-site';
const BATCH = 1000;

function readOptions() {
  const string = (value) => ({ type: 'string', default: value });
  let values;
  try {
    ({ values } = parseArgs({
      options: {
        url: string('http://localhost:8082'),
        user: string('admin'),
        password: string('admin'),
        limit: string('2000'),
        visitor: string(randomBytes(9).toString('base64url')),
        help: { type: 'boolean', short: 'h', default: false },
      },
    }));
  } catch (error) {
    throw new AtlasError(`${error.message.split('\n')[0].replace(/\.$/, '')}; try --help`, { cause: error });
  }
  if (!URL.canParse(values.url)) throw new AtlasError(`--url must be the server's address, and not '${values.url}'`);
  if (!/^\d+$/.test(values.limit)) throw new AtlasError(`--limit must be a number of cities, not '${values.limit}'`);
  return { ...values, limit: Number(values.limit) };
}

/** Lets everybody see objects of a type that nobody but administrators saw. */
async function show(client, type) {
  for (;;) {
    const { result } = await client.get(`/${type}`, { visibleToPublicUsers: false, _pageSize: BATCH });
    if (result.length === 0) return;
    await client.change(
      type,
      result.map(({ id }) => ({ id, ...EVERYBODY })),
    );
  }
}

/** Creates those of the objects that are not there, by the values of `keys`. */
async function ensure(client, type, objects, ...keys) {
  for (const object of objects) {
    const parameters = Object.fromEntries(keys.map((key) => [key, object[key]]));
    const { result } = await client.get(`/${type}`, { ...parameters, _pageSize: 1 });
    if (result.length === 0) await client.create(type, object);
  }
}

async function loadData(client, limit) {
  await defineModel(client);
  const atlas = readAtlas(limit);
  await loadAtlas(client, atlas);
  for (const type of ['Country', 'City']) await show(client, type);
  const note = {
    name: 'AtlasNote',
    schemaProperties: [
      { name: 'text', propertyType: 'String', notNull: true },
      { name: 'city', propertyType: 'String', indexed: true, notNull: true },
    ],
  };
  await ensure(client, 'SchemaNode', [note], 'name');
  return atlas;
}

async function permit(client, visitorPassword) {
  // POST for users (4), for others (64).
  const permissions = [
    { signature: '_login', flags: 64, visibleToPublicUsers: true },
    { signature: 'DOMElement/_id/event', flags: 68, ...EVERYBODY },
  ];
  await ensure(client, 'ResourceAccess', permissions, 'signature', 'flags');
  const { result } = await client.get('/User', { name: 'visitor' });
  if (result.length > 0) return 'the user visitor was there already';
  await client.create('User', { name: 'visitor', password: visitorPassword });
  return `log in as visitor with the password ${visitorPassword}`;
}

async function build(client, atlas) {
  const localizations = Object.entries(texts).flatMap(([name, [en, de]]) => [
    { name, domain: 'atlas', locale: 'en', localizedName: en },
    { name, domain: 'atlas', locale: 'de', localizedName: de },
  ]);
  await ensure(client, 'Localization', localizations, 'name', 'domain', 'locale');
  for (const file of filesOf(atlas.cities)) {
    const { result } = await client.get('/File', { name: file.name, _pageSize: 1 });
    if (result.length === 0) await client.upload(file);
  }
  for (const { fields, trees, route, parameter } of pages) {
    const page = await makePage(client, { category: CATEGORY, ...fields }, trees);
    if (route === undefined) continue;
    const [path] = await client.create('PagePath', { name: route, page, ...EVERYBODY });
    const [name] = /(?<=\{)\w+(?=\})/.exec(route) ?? [];
    const position = 0;
    const values = { name, position, valueType: parameter, isOptional: false, ...EVERYBODY };
    await client.create('PagePathParameter', { ...values, path });
  }
}

async function main() {
  const options = readOptions();
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  const client = new AtlasClient(options);
  const { result } = await client.get('/Page', { category: CATEGORY });
  if (result.some(({ name }) => name === 'atlas')) {
    console.log(`the site is there already: ${client.url}/atlas`);
    return;
  }
  // What a run has left behind that was interrupted.
  for (const { id } of result) await client.remove('Page', id);
  const atlas = await loadData(client, options.limit);
  const visitor = await permit(client, options.visitor);
  await build(client, atlas);
  console.log(`the site is ready: ${client.url}/atlas\n${visitor}`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof AtlasError || error instanceof DataError)) throw error;
  console.error(`site: ${error.message}`);
  process.exitCode = 1;
}
