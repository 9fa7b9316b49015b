/** `user`: the users of the server, for administrators (docs/interface/admin-ui.md, Console). */
import { change, create, list, remove, type Entity } from '../server/rest.js';
import { exactly } from '../server/named.js';
import type { Said } from './command.js';

/** Names that `user list` shows. */
const SHOWN = 1_000;
const ID = /^[0-9a-f]{32}$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const fault = (key: Said['key'], word: string): Said => ({ key, values: { word }, isFault: true });

/** Does what stands behind `user`. Throws `RefusedError` with what the server says against it. */
export async function user([action = '', ...args]: readonly string[]): Promise<Said> {
  const [name = '', second, third] = args;
  if (action === 'list' && args.length === 0) return listed();
  if (action === 'add' && name !== '') return added(name, second, third);
  if (action === 'delete' && name !== '' && third === undefined) return deleted(name, second);
  if (action === 'password' && second !== undefined && third === undefined) return newPassword(name, second);
  return fault('console.fault.arguments', USAGE[action] ?? Object.values(USAGE).join(' | '));
}

const USAGE: Readonly<Record<string, string>> = {
  list: 'user list',
  add: 'user add <name> [<eMail>|isAdmin] [isAdmin]',
  delete: 'user delete <name or id> [confirm]',
  password: 'user password <name> <password>',
};

async function listed(): Promise<Said> {
  const { result, result_count: count = result.length } = await list('User', { _sort: 'name', _pageSize: SHOWN });
  const names = result.map(({ id, name }) => name ?? id).join(', ');
  return count > result.length
    ? { key: 'console.user.some', values: { names, n: count - result.length } }
    : { key: 'console.user.all', values: { names } };
}

async function added(name: string, second: string | undefined, third: string | undefined): Promise<Said> {
  const isAdmin = second === 'isAdmin' || third === 'isAdmin';
  if (third !== undefined && third !== 'isAdmin') return fault('console.fault.arguments', USAGE['add'] ?? '');
  const eMail = second === undefined || second === 'isAdmin' ? {} : { eMail: second };
  await create('User', { name, ...eMail, ...(isAdmin ? { isAdmin } : {}) });
  return { key: 'console.user.added' };
}

/** Who owns objects is deleted after a word that nobody types by accident: four characters of the id. */
async function deleted(name: string, confirm: string | undefined): Promise<Said> {
  const found = await one(name);
  if (found === undefined) return fault('console.user.unknown', name);
  const owned = await list('NodeInterface', { owner: found.id, _pageSize: 1 });
  const word = found.id.replaceAll('-', '').slice(7, 11);
  const n = owned.result_count ?? owned.result.length;
  if (n > 0 && confirm !== word) return { key: 'console.user.confirm', values: { n, word, name }, isFault: true };
  await remove(`User/${found.id}`);
  return { key: 'console.user.deleted' };
}

async function newPassword(name: string, password: string): Promise<Said> {
  const found = await one(name);
  if (found === undefined) return fault('console.user.unknown', name);
  await change(`User/${found.id}`, { password });
  return { key: 'console.user.password' };
}

/** The user of a name or an id, and nobody else: a search takes a name that has its signs for more than one. */
async function one(name: string): Promise<Entity | undefined> {
  if (ID.test(name)) return (await list('User', { id: name })).result[0];
  const wanted = exactly('name', name);
  for (let page = 1; ; page += 1) {
    const { result } = await list('User', { ...wanted, _sort: 'name', _pageSize: SHOWN, _page: page });
    const found = result.find((user) => user.name === name);
    if (found !== undefined || result.length < SHOWN) return found;
  }
}
