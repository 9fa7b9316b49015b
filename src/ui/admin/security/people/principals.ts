/** Users and groups, and who is in which (docs/interface/security.md 1). */
import { create, list, read, remove } from '../../server/rest.js';
import type { Values } from '../../server/save-over.js';

export interface Principal {
  readonly id: string;
  readonly type: string;
  readonly name?: string | null;
  readonly eMail?: string | null;
  readonly isGroup?: boolean;
  readonly isAdmin?: boolean;
  readonly blocked?: boolean;
  readonly passwordAttempts?: number | null;
  readonly isTwoFactorUser?: boolean;
}

/** One of them with all that its form shows. */
export type Opened = Principal & Values;

/** What lists of them show. */
export const SHOWN: readonly string[] = [
  'id',
  'type',
  'name',
  'eMail',
  'isGroup',
  'isAdmin',
  'blocked',
  'passwordAttempts',
  'isTwoFactorUser',
];

const MEMBERSHIP = 'GroupCONTAINSPrincipal';
/** What is dragged: users and groups, as JSON. */
export const DRAGGED = 'application/x-svc-principals';

export const nameOf = ({ name, eMail, id }: Principal): string =>
  [name, eMail].find((one) => typeof one === 'string' && one !== '') ?? id;

/** Makes it a member. Refused: 422 when it is one already, or the group would be in itself. */
export async function putInto(group: string, member: string): Promise<void> {
  await create(MEMBERSHIP, { sourceId: group, targetId: member });
}

/** Whether it is a member itself, not by another group. */
export async function isIn(group: string, member: string): Promise<boolean> {
  return (await membership(group, member)) !== undefined;
}

/** Takes it out; whoever is not in stays out. */
export async function takeOut(group: string, member: string): Promise<void> {
  const id = await membership(group, member);
  if (id !== undefined) await remove(`${MEMBERSHIP}/${id}`);
}

async function membership(group: string, member: string): Promise<string | undefined> {
  const { result } = await list<{ readonly id: string }>(MEMBERSHIP, {
    sourceId: group,
    targetId: member,
    _pageSize: 1,
  });
  return result[0]?.id;
}

/** Names of the types that are users, or groups; the built-in one comes first. */
export async function typesOf(trait: 'User' | 'Group'): Promise<readonly string[]> {
  interface Told {
    readonly name: string;
    readonly traits?: readonly string[];
    readonly isAbstract: boolean;
    readonly isServiceClass: boolean;
  }
  const types = await read<readonly Told[]>('_schema');
  const own = types
    .filter(({ traits = [], isAbstract, isServiceClass }) => !isAbstract && !isServiceClass && traits.includes(trait))
    .map(({ name }) => name)
    .filter((name) => name !== trait);
  return [trait, ...own.sort((a, b) => a.localeCompare(b))];
}

/** What a search means: an address has an `@`. */
export const searchFor = (text: string): Readonly<Record<string, string | number>> =>
  text.trim() === '' ? {} : { [text.includes('@') ? 'eMail' : 'name']: text.trim(), _inexact: 1 };
