/** What the clients of a soak work on: a type, its permissions, users, a page, a file. Made once, over REST. */
import { create, makePage, type Requester } from '../pages/trees.js';
import { upload } from '../upload.js';

export const ENTRY = 'SoakEntry';
export const PAGE = 'soak-page';
/** Objects that everybody reads and nobody changes. */
const ENTRIES = 5000;
const BATCH = 500;
const USERS = 20;

export interface Login {
  readonly name: string;
  readonly password: string;
}

/** Plain data, so that it can be handed to another process. */
export interface World {
  readonly entries: readonly string[];
  readonly users: readonly Login[];
  /** Path of a public file of 10 KB. */
  readonly file: string;
}

/** GET, PUT, POST and DELETE for users; GET for everybody. */
const READ_BY_ALL = 1 | 16;
const WRITTEN_BY_USERS = READ_BY_ALL | 2 | 4 | 8;
const POST_BY_ALL = 4 | 64;
const VISIBLE = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };

/** Throws when the server refuses anything of it. */
export async function makeWorld(server: Requester & { readonly url: string }): Promise<World> {
  await server.request('POST', '/SchemaNode', {
    name: ENTRY,
    schemaProperties: [
      { name: 'rank', propertyType: 'Integer', indexed: true },
      { name: 'text', propertyType: 'String' },
    ],
    schemaViews: [{ name: 'public', nonGraphProperties: 'id, name, rank, text' }],
  });
  await server.request('POST', '/SchemaMethod', [
    { schemaNode: { name: ENTRY }, name: 'double', source: '{ return $.this.rank * 2; }' },
    { schemaNode: { name: ENTRY }, name: 'fail', source: "{ throw new Error('as it is meant to'); }" },
  ]);
  const access = (signature: string, flags: number): object => ({ signature, flags, ...VISIBLE });
  await server.request('POST', '/ResourceAccess', [
    access(ENTRY, WRITTEN_BY_USERS),
    access(`${ENTRY}/_id`, WRITTEN_BY_USERS),
    access(`${ENTRY}/_id/double`, POST_BY_ALL),
    access(`${ENTRY}/_id/fail`, POST_BY_ALL),
    access('_login', POST_BY_ALL),
    access('_logout', POST_BY_ALL),
  ]);
  const users = Array.from({ length: USERS }, (_, i) => ({
    name: `soak-${String(i)}`,
    password: `Soak-password-${String(i)}`,
  }));
  for (const user of users) await create(server, 'User', user);
  const entries: string[] = [];
  for (let at = 0; at < ENTRIES; at += BATCH) {
    const objects = Array.from({ length: BATCH }, (_, i) => ({
      name: `entry ${String(at + i)}`,
      rank: at + i,
      ...VISIBLE,
    }));
    entries.push(...((await server.request('POST', `/${ENTRY}`, objects)).result as string[]));
  }
  const query = `find('${ENTRY}', sort('rank'), page(1, 10))`;
  await makePage(server, PAGE, [
    ['p', {}, 'Entries'],
    ['ul', {}, ['li', { dataKey: 'entry', functionQuery: query }, '${entry.name}']],
  ]);
  const fields = { visibleToPublicUsers: 'true', visibleToAuthenticatedUsers: 'true' };
  const id = await upload(server, 'soak.txt', new Blob(['0123456789'.repeat(1000)]), fields);
  return { entries, users, file: `/${id}` };
}
