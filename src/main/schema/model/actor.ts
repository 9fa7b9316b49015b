import {
  type AccessRule,
  type GraphEntity,
  type GraphNode,
  type Query,
  type ReadTransaction,
  type Right,
  type Step,
  USERS,
} from '../../graph/index.js';

/** Who acts in a transaction: a user of the graph, the superuser, or nobody. */
export interface Actor {
  /** Uuid; the superuser's 32 zeros; undefined for anonymous. */
  readonly id: string | undefined;
  readonly name: string;
  /** May use every endpoint and reaches every object. */
  readonly isAdmin: boolean;
  readonly isSuperuser: boolean;
  /** Concrete type of the user's object, for messages. */
  readonly type: string;
  /** Ids of all groups above the user, at any distance. */
  readonly groups: readonly string[];
  /** Reaches every object, as a member of an admin group does too (docs/interface/security.md 1.3). */
  readonly reachesAll: boolean;
  /** Gets neither ownership of nor rights on what he creates (docs/interface/security.md 9.7). */
  readonly skipsSecurity: boolean;
}

export const SUPERUSER_ID = '00000000000000000000000000000000';

/** The service itself: start-up work and schedules. */
export const SYSTEM: Actor = {
  id: SUPERUSER_ID,
  name: 'superuser',
  isAdmin: true,
  isSuperuser: true,
  type: 'SuperUser',
  groups: [],
  reachesAll: true,
  skipsSecurity: true,
};
export const ANONYMOUS: Actor = {
  id: undefined,
  name: 'anonymous',
  isAdmin: false,
  isSuperuser: false,
  type: 'anonymous',
  groups: [],
  reachesAll: false,
  skipsSecurity: true,
};

/** What an actor may do with which objects. The security room implements it; this room asks. */
export interface ObjectAccess {
  /** Who has this right on what, for queries; undefined: on everything. */
  rule(right: Right): AccessRule | undefined;
}

export const ALLOW_ALL: ObjectAccess = { rule: () => undefined };

/**
 * Who is shown pages and files, which is not who may read objects: what is for everybody is shown to those who are not logged in, what is for
 * users to those who are (docs/interface/files.md 5.2, docs/interface/pages.md 2.4). Undefined: everything.
 */
export function shownRule(access: ObjectAccess): AccessRule | undefined {
  const rule = access.rule('read');
  if (rule === undefined || !rule.keys.includes(USERS)) return rule;
  let shown = shownRules.get(rule);
  if (shown === undefined) shownRules.set(rule, (shown = { ...rule, keys: FOR_USERS }));
  return shown;
}

const FOR_USERS = [USERS] as const;
const shownRules = new WeakMap<AccessRule, AccessRule>();

/**
 * Whether `access` allows something with an entity. Relationships have no rights of their own: to read one needs that right on both
 * ends, everything else `write` on one of them besides; what they say of rights may need more (`rights/guards.ts`).
 */
export async function allowed(
  tx: ReadTransaction,
  access: ObjectAccess,
  right: Right,
  entity: GraphEntity,
): Promise<boolean> {
  const isNode = entity.kind === 'node';
  const rule = access.rule(isNode ? right : 'read');
  if (rule === undefined) return true;
  if (isNode) return (await tx.permitted([entity], rule))[0] === true;
  const ends = await tx.nodes([entity.sourceId, entity.targetId]);
  const nodes = ends.filter((node) => node !== undefined);
  if (nodes.length < 2 || !(await tx.permitted(nodes, rule)).every(Boolean)) return false;
  const writing = right === 'read' ? undefined : access.rule('write');
  return writing === undefined || (await tx.permitted(nodes, writing)).some(Boolean);
}

/** Those of a list that may be read, in its order. */
export async function readable<E extends GraphNode>(
  tx: ReadTransaction,
  access: ObjectAccess,
  nodes: readonly E[],
): Promise<readonly E[]> {
  const rule = access.rule('read');
  if (rule === undefined || nodes.length === 0) return nodes;
  const permitted = await tx.permitted(nodes, rule);
  return nodes.filter((_, i) => permitted[i] === true);
}

/** A query or step as it is asked for somebody: leading only to objects that he may read. */
export function onlyReadable<Q extends Query | Step>(asked: Q, access: ObjectAccess): Q {
  const rule = access.rule('read');
  return rule === undefined ? asked : { ...asked, access: rule };
}
