/** A small application with something in every area, for tests that look at all of them. */
import sharp from 'sharp';
import { file, uploaded } from '../support/files.js';
import type { TestServer } from '../support/server.js';
import { HOSTILE } from './person.js';

const LONG = 'A town at the river, with a market, two churches and a harbour that nobody uses any more. '
  .repeat(4)
  .trim();
/** No space to break at. */
const UNBROKEN = `Llanfair${'pwllgwyngyll'.repeat(20)}`;

/** Where what was made is, by the names below. */
export type World = Readonly<Record<WorldName, string>>;
type WorldName = 'town' | 'method' | 'page' | 'folder' | 'picture' | 'notes' | 'mail' | 'user';

export const WORLD_SETTINGS = {
  'application.title': 'Atlas',
  'application.instance.name': 'atlas-1',
  'application.instance.stage': 'test',
  'application.changelog.enabled': 'true',
  'application.filesystem.indexing.enabled': 'true',
  'application.encryption.secret': 'a secret of tests',
};

async function schema(server: TestServer): Promise<string> {
  const { admin } = server;
  const town = await admin.create('SchemaNode', {
    name: 'Town',
    schemaProperties: [
      { name: 'population', propertyType: 'Integer', indexed: true },
      { name: 'kind', propertyType: 'Enum', format: 'city,village,farm' },
      { name: 'open', propertyType: 'Boolean' },
      { name: 'founded', propertyType: 'Date' },
      { name: 'streets', propertyType: 'StringArray' },
      { name: 'story', propertyType: 'String', format: 'multi-line', category: 'Texts' },
      { name: 'density', propertyType: 'Function', readFunction: 'div(this.population, 10)' },
    ],
    schemaMethods: [{ name: 'grow', source: '{\n  $.this.population = $.this.population + $.args.by;\n}' }],
  });
  const river = await admin.create('SchemaNode', { name: 'River' });
  await admin.create('SchemaNode', { name: 'Harbour' });
  await admin.create('SchemaRelationshipNode', {
    sourceId: town,
    targetId: river,
    relationshipType: 'LIES_AT',
    sourceMultiplicity: '*',
    targetMultiplicity: '*',
    sourceJsonName: 'towns',
    targetJsonName: 'rivers',
  });
  const elbe = await admin.create('River', { name: 'Elbe' });
  await admin.post(
    '/Town',
    Array.from({ length: 60 }, (_, i) => ({
      name: i === 3 ? HOSTILE : i === 4 ? UNBROKEN : `Town ${String(i).padStart(2, '0')}`,
      population: 1234 + i * 1000,
      kind: ['city', 'village', 'farm'][i % 3],
      open: i % 2 === 0,
      founded: `${String(1500 + i)}-03-01T10:00:00+0000`,
      streets: ['High Street', 'Mill Lane'],
      story: i % 5 === 0 ? LONG : '',
      rivers: i === 5 ? [elbe] : [],
    })),
  );
  return admin.create('SchemaMethod', {
    name: 'greet',
    source: "{\n  // Says hello to somebody.\n  return 'Hello ' + $.args.who;\n}",
    parameters: [{ name: 'who', parameterType: 'String', index: 0 }],
  });
}

async function files(server: TestServer): Promise<Pick<World, 'folder' | 'picture' | 'notes'>> {
  const { admin } = server;
  const folder = await admin.create('Folder', { name: 'Documents' });
  await admin.create('Folder', { name: 'Older ones', parent: folder });
  await admin.create('Folder', { name: 'Pictures' });
  const image = await sharp({ create: { width: 600, height: 400, channels: 3, background: '#3a7bd5' } })
    .jpeg()
    .toBuffer();
  const into = { parent: folder };
  const picture = await uploaded(admin, file('picture.jpg', image), into);
  const notes = await uploaded(admin, file('notes.txt', 'first line\nthe garden of the house\n'), into);
  await uploaded(admin, file(`${UNBROKEN}.txt`.slice(-200), 'long'), into);
  return { folder, picture, notes };
}

/** Fills the server. */
export async function lively(server: TestServer): Promise<World> {
  const { admin } = server;
  const method = await schema(server);
  const { result: towns } = (await admin.get('/Town?name=Town%2005')).body as { result: { id: string }[] };
  const town = towns[0]?.id ?? '';
  await admin.put(`/Town/${town}`, { population: 9, story: LONG });
  const [user = ''] = (
    (
      await admin.post('/User', [
        { name: 'anna', eMail: 'anna@example.org', password: 'annas password' },
        { name: 'guest', password: 'a guest' },
        { name: UNBROKEN },
      ])
    ).body as { result: string[] }
  ).result;
  await admin.post('/Group', [{ name: 'staff', members: [user] }, { name: 'editors' }]);
  await admin.create('ResourceAccess', { signature: 'Town', flags: 3 });
  await admin.post('/Page/importPage', {
    name: 'start',
    code:
      '<html><head><title>Atlas</title></head><body><h1>Atlas</h1><p>All the towns of the country.</p>' +
      '<ul><li>one</li><li>two</li></ul><form><input name="q"><button>Search</button></form></body></html>',
    publicVisible: true,
    authVisible: true,
  });
  const { result: pages } = (await admin.get('/Page?name=start')).body as { result: { id: string }[] };
  const mail = await admin.create('MailTemplate', {
    name: 'RESET_PASSWORD_HTML_BODY',
    locale: 'en',
    text: '<h1>Hello ${me.name}</h1><p>Here is <a href="${link}">your link</a>.</p>',
  });
  await admin.create('MailTemplate', { name: 'WELCOME', locale: 'de', text: 'Hallo ${me.name}' });
  await admin.post('/Localization', [
    { name: 'greeting', domain: 'site', locale: 'en', localizedName: 'Hello' },
    { name: 'greeting', domain: 'site', locale: 'de', localizedName: 'Hallo' },
    { name: 'intro', domain: 'site', locale: 'en', localizedName: LONG },
    { name: UNBROKEN, domain: '', locale: 'en', localizedName: UNBROKEN },
  ]);
  await admin.post(
    '/LogEvent',
    Array.from({ length: 80 }, (_, i) => ({
      action: ['VIEW', 'CLICK', 'READ'][i % 3],
      message: `category:${i % 4 === 0 ? 'music' : 'books'}`,
      subject: 'a client',
      object: i === 7 ? UNBROKEN : 'a page',
      timestamp: `2026-01-${String(1 + (i % 7) + (i % 5)).padStart(2, '0')}T12:00:00+0000`,
    })),
  );
  return { town, method, page: pages[0]?.id ?? '', mail, user, ...(await files(server)) };
}
