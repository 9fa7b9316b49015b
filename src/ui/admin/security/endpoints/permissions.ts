/** Objects `ResourceAccess`, as the matrix reads and writes them. */
import { create, list } from '../../server/rest.js';
import { changeNow } from '../../server/save-over.js';
import { flagsOf, VISIBILITY, type Audience, type Method } from './flags.js';

export interface Permission {
  readonly id: string;
  readonly signature: string;
  readonly flags: number;
  readonly hidden?: boolean;
  readonly visibleToPublicUsers?: boolean;
  readonly visibleToAuthenticatedUsers?: boolean;
}

/** What is read of them. */
export const PERMISSION: readonly string[] = [
  'id',
  'type',
  'signature',
  'flags',
  'hidden',
  'visibleToPublicUsers',
  'visibleToAuthenticatedUsers',
];

/** Changes one as it is now: what somebody else has ticked meanwhile stays. Returns the permission as it is then. */
export const changePermission = (
  id: string,
  decide: (now: Permission) => Readonly<Partial<Permission>>,
): Promise<Permission> => changeNow(`ResourceAccess/${id}`, PERMISSION, decide);

/** Those with exactly these signatures, at most 100. */
export async function permissionsOf(signatures: readonly string[]): Promise<readonly Permission[]> {
  // These signs mean something in a search; no signature of a type or method has them.
  const plain = signatures.filter((signature) => /^[\w/.-]+$/.test(signature));
  if (plain.length === 0) return [];
  const query = { signature: plain.join(';'), _pageSize: 100, _page: 1 };
  return (await list<Permission>('ResourceAccess/ui', query, { properties: PERMISSION })).result;
}

/** Permits these methods to all of an audience: by the permission that they can read already, else by a new one. */
export async function permit(signature: string, audience: Audience, methods: readonly Method[]): Promise<void> {
  const flags = flagsOf(audience, methods);
  const visible = VISIBILITY[audience];
  const known = (await permissionsOf([signature])).find((one) => one[visible] === true && one.hidden !== true);
  if (known === undefined) await create('ResourceAccess', { signature, flags, [visible]: true });
  else await changePermission(known.id, (now) => ({ flags: now.flags | flags }));
}
