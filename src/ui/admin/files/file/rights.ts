/** Reads and writes the rights of a file or folder (docs/interface/security.md 9). */
import { change, list, readState } from '../../server/rest.js';
import { onlyOver } from '../../server/save-over.js';
import { resourceOf, type Entry } from '../tree-server.js';

export const RIGHTS = ['read', 'write', 'delete', 'accessControl'] as const;
export type Right = (typeof RIGHTS)[number];

/** What a user or group may do. */
export interface Grant {
  readonly id: string;
  readonly name: string;
  readonly allowed: readonly Right[];
}

export interface Rights {
  /** Tag of the state of the file (rest.md 4.6). Grants are links, of which it does not tell. */
  readonly state?: string | undefined;
  readonly isPublic: boolean;
  readonly forUsers: boolean;
  /** Null: nobody; undefined: whoever it is. */
  readonly owner: { readonly id: string; readonly name: string } | null | undefined;
  readonly grants: readonly Grant[];
}

type Thing = Pick<Entry, 'id' | 'isFolder'>;

const MOST_GRANTS = 1000;

const isRight = (value: unknown): value is Right => RIGHTS.some((right) => right === value);

/** A related object as an answer shows it. */
function namedOf(value: unknown): { readonly id: string; readonly name: string } | null {
  if (typeof value !== 'object' || value === null || !('id' in value) || typeof value.id !== 'string') return null;
  return { id: value.id, name: 'name' in value && typeof value.name === 'string' ? value.name : value.id };
}

export async function readRights({ id, isFolder }: Thing): Promise<Rights> {
  const { entity, state } = await readState(
    `${resourceOf({ id, isFolder })}/all`,
    { _outputNestingDepth: 1 },
    { properties: ['id', 'type', 'name', 'owner', 'visibleToPublicUsers', 'visibleToAuthenticatedUsers'] },
  );
  const { result } = await list(
    'Security',
    { accessControllableId: id, _pageSize: MOST_GRANTS, _page: 1 },
    { properties: ['id', 'type', 'name', 'sourceNode', 'allowed'] },
  );
  const grants = result.flatMap(({ sourceNode, allowed }: Readonly<Record<string, unknown>>) => {
    const principal = namedOf(sourceNode);
    return principal === null ? [] : [{ ...principal, allowed: Array.isArray(allowed) ? allowed.filter(isRight) : [] }];
  });
  return {
    state,
    isPublic: entity['visibleToPublicUsers'] === true,
    forUsers: entity['visibleToAuthenticatedUsers'] === true,
    owner: namedOf(entity['owner']),
    grants: grants.sort((a, b) => a.name.localeCompare(b.name)),
  };
}

/** Whether they say the same. */
export function sameRights(a: Rights, b: Rights): boolean {
  const key = ({ isPublic, forUsers, owner, grants }: Rights): string =>
    JSON.stringify([
      isPublic,
      forUsers,
      owner?.id,
      grants.map(({ id, allowed }) => [id, ...RIGHTS.filter((right) => allowed.includes(right))].join()).sort(),
    ]);
  return key(a) === key(b);
}

/** Writes them; with a tag only when nobody else has changed the file since. */
export async function writeRights(thing: Thing, { state, isPublic, forUsers, owner, grants }: Rights): Promise<void> {
  const values = {
    visibleToPublicUsers: isPublic,
    visibleToAuthenticatedUsers: forUsers,
    ...(owner === undefined ? {} : { owner: owner === null ? null : owner.id }),
    // A grant of nothing is none.
    grantees: grants.filter(({ allowed }) => allowed.length > 0).map(({ id, allowed }) => ({ id, allowed })),
  };
  await change(resourceOf(thing), values, onlyOver(state));
}

const PAGE = 200;

/** Does something with all that lies in a folder and below. */
export async function inAll(folder: string, work: (thing: Thing) => Promise<void>): Promise<void> {
  for (const type of ['File', 'Folder'] as const)
    for (let page = 1; ; page++) {
      const query = { parent: folder, _sort: 'id', _pageSize: PAGE, _page: page };
      const { result } = await list(type, query, { properties: ['id'] });
      for (const { id } of result) {
        await work({ id, isFolder: type === 'Folder' });
        if (type === 'Folder') await inAll(id, work);
      }
      if (result.length < PAGE) break;
    }
}
