/** Who may do what with objects, and who belongs to which group (docs/interface/script-runtime.md 1.3). */
import { SECURITY, type GraphNode, type GraphRelationship, type Right, type Step } from '../../../graph/index.js';
import { askerOf } from '../../../request/index.js';
import { allowed, ANONYMOUS, mayGrant, type Actor, type ObjectAccess } from '../../../schema/index.js';
import { privileged } from '../../run/context.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory } from '../../run/function/function.js';
import { note } from '../../run/notes.js';
import type { ScriptEntity, ScriptValue } from '../../language/values.js';
import { isOn } from '../../run/function/arguments.js';
import { ofObjects } from '../../run/function/pairs.js';

const RIGHTS: ReadonlySet<string> = new Set(['read', 'write', 'delete', 'accessControl']);
const PRINCIPAL = 'Principal';
const MEMBERSHIP = 'GroupCONTAINSPrincipal';
/** Groups above a principal. */
const ABOVE: Step = { relType: 'CONTAINS', direction: 'in', types: ['Group'] };
/** Groups in groups beyond which none is looked for: they may be in a ring. */
const MOST_GROUPS = 10_000;

export const rightsFunctions: FunctionCategory = {
  title: 'Access control',
  functions: [
    ofObjects(
      {
        name: 'grant',
        signature: 'grant(principal, object, permissions)',
        meaning:
          'Grants a user or group rights on an object: read, write, delete, accessControl, separated by commas. Needs the right accessControl.',
        example: "grant(find('Group', 'name', 'Editors')[0], me, 'read, write')",
        min: 3,
        max: 3,
      },
      [PRINCIPAL, undefined],
      (objects, rest, context) => change(objects, rest, context, (had, given) => [...new Set([...had, ...given])]),
    ),
    ofObjects(
      {
        name: 'revoke',
        signature: 'revoke(principal, object, permissions)',
        meaning: 'Takes rights on an object from a user or group. Needs the right accessControl.',
        example: "revoke(find('Group', 'name', 'Editors')[0], me, 'write')",
        min: 3,
        max: 3,
      },
      [PRINCIPAL, undefined],
      (objects, rest, context) =>
        change(objects, rest, context, (had, given) => had.filter((one) => !given.includes(one))),
    ),
    ofObjects(
      {
        name: 'isAllowed',
        signature: 'isAllowed(principal, object, permissions)',
        meaning: 'Whether a user or group has all of these rights on an object, in whatever way.',
        example: "isAllowed(me, me, 'read') // true",
        min: 3,
        max: 3,
      },
      [PRINCIPAL, undefined],
      async ([principal, object], [permissions = null], context) => {
        if (principal === undefined || object === undefined || permissions === null) return null;
        const wanted = rightsIn(permissions, context);
        const access = await accessOf(principal, context);
        const { entity } = object;
        return context.run.transaction.read(async (tx) => {
          for (const right of wanted) if (!(await allowed(tx, access, right, entity))) return false;
          return wanted.length > 0;
        });
      },
    ),
    ofObjects(
      {
        name: 'copyPermissions',
        signature: 'copyPermissions(source, target [, overwrite = false])',
        meaning:
          'Grants on the target what is granted on the source; with overwrite, nothing else. Needs accessControl on the target.',
        example: "copyPermissions(find('Folder')[0], find('File')[0])",
        min: 2,
        max: 3,
      },
      [undefined, undefined],
      async ([from, to], [overwrite], context) => {
        if (from === undefined || to === undefined) return null;
        const only = isOn(overwrite);
        const there = await grantsOf(to, context);
        const left = new Map<string, readonly string[]>(only ? there.map(({ node }) => [node.id, []]) : []);
        for (const { node, rights } of await grantsOf(from, context)) {
          const had = only ? [] : (there.find((one) => one.node.id === node.id)?.rights ?? []);
          left.set(node.id, [...new Set([...had, ...rights])]);
        }
        // His own last: without them he could not write those of the others.
        const own = ([id]: readonly [string, unknown]): number => (id === context.actor.id ? 1 : 0);
        const ordered = [...left].sort((a, b) => own(a) - own(b));
        for (const [id, rights] of ordered) await write(id, to, rights, context);
        return '';
      },
    ),
    ofObjects(
      {
        name: 'addToGroup',
        signature: 'addToGroup(group, principal)',
        meaning: 'Makes a user or group a member of a group; one that is already stays it.',
        example: "addToGroup(find('Group', 'name', 'Editors')[0], me)",
        min: 2,
        max: 2,
      },
      ['Group', PRINCIPAL],
      async ([above, below], _rest, context) => {
        if (above === undefined || below === undefined) return null;
        if ((await membership(above, below, context)) !== undefined) return '';
        const type = context.run.schema.type(MEMBERSHIP);
        if (type === undefined) throw new ScriptError(500, `The schema lacks ${MEMBERSHIP}.`);
        await context.run.entities.create(type, { sourceId: above.id, targetId: below.id }, context);
        return '';
      },
    ),
    ofObjects(
      {
        name: 'removeFromGroup',
        signature: 'removeFromGroup(group, principal)',
        meaning: 'Ends the membership of a user or group in a group.',
        example: "removeFromGroup(find('Group', 'name', 'Editors')[0], me)",
        min: 2,
        max: 2,
      },
      ['Group', PRINCIPAL],
      async ([above, below], _rest, context) => {
        if (above === undefined || below === undefined) return null;
        const link = await membership(above, below, context);
        if (link !== undefined) await context.run.entities.delete(context.run.entities.of(link), context);
        return '';
      },
    ),
    ofObjects(
      {
        name: 'isInGroup',
        signature: 'isInGroup(group, principal [, checkHierarchy = false])',
        meaning: 'Whether a user or group is a member of a group; with checkHierarchy, of a group in it too.',
        example: "isInGroup(find('Group', 'name', 'Editors')[0], me, true)",
        min: 2,
        max: 3,
      },
      ['Group', PRINCIPAL],
      async ([above, below], [deep], context) => {
        if (above === undefined || below === undefined) return null;
        return isMember(above.id, below.id, isOn(deep), context);
      },
    ),
  ],
};

function rightsIn(value: ScriptValue | undefined, context: ScriptContext): Right[] {
  const names = (typeof value === 'string' ? value : '').split(',').map((one) => one.trim());
  return names.filter((one): one is Right => {
    if (RIGHTS.has(one)) return true;
    if (one !== '') note(context, `there is no permission "${one}"; there are ${[...RIGHTS].join(', ')}`);
    return false;
  });
}

interface Grant {
  readonly node: GraphNode;
  readonly relationship: GraphRelationship;
  readonly rights: readonly string[];
}

async function grantsOf(object: ScriptEntity, { run }: ScriptContext): Promise<Grant[]> {
  const [links = []] = await run.transaction.read((tx) =>
    tx.links([object.id], { relType: SECURITY, direction: 'in' }),
  );
  return links.map(({ node, relationship }) => {
    const { allowed: rights } = relationship.properties;
    return { node, relationship, rights: Array.isArray(rights) ? rights.map(String) : [] };
  });
}

async function change(
  [principal, object]: readonly ScriptEntity[],
  [permissions = null]: readonly ScriptValue[],
  context: ScriptContext,
  merge: (had: readonly string[], given: readonly string[]) => readonly string[],
): Promise<ScriptValue> {
  if (principal === undefined || object === undefined || permissions === null) return null;
  const given = rightsIn(permissions, context);
  const had = (await grantsOf(object, context)).find(({ node }) => node.id === principal.id)?.rights ?? [];
  await write(principal.id, object, merge(had, given), context);
  return '';
}

/** Leaves a principal exactly these rights. Throws `ScriptError` 403 without the right to say so. */
async function write(
  principal: string,
  object: ScriptEntity,
  rights: readonly string[],
  context: ScriptContext,
): Promise<void> {
  const { run, actor, access } = context;
  const objects = await run.transaction.objects(actor, access);
  if (!(await mayGrant(objects, object.entity))) {
    throw new ScriptError(403, `Changing the permissions of ${object.type}(${object.id}) is not permitted.`);
  }
  // That is all it needs: neither the object nor the principal has to be readable.
  const within = privileged(context);
  const known = (await grantsOf(object, context)).find(({ node }) => node.id === principal);
  if (known === undefined) {
    if (rights.length === 0) return;
    const type = run.schema.type('Security');
    if (type === undefined) throw new ScriptError(500, 'The schema lacks Security.');
    await run.entities.create(type, { sourceId: principal, targetId: object.id, allowed: [...rights] }, within);
  } else if (rights.length === 0) {
    await run.entities.delete(run.entities.of(known.relationship), within);
  } else {
    await run.entities.setJson(run.entities.of(known.relationship), { allowed: [...rights] }, within);
  }
}

async function accessOf(principal: ScriptEntity, { run }: ScriptContext): Promise<ObjectAccess> {
  const { security } = run.parts;
  const user = await security.principals.get(principal.id);
  const actor: Actor = user?.actor ?? { ...ANONYMOUS, id: principal.id, name: principal.id, type: principal.type };
  return (await askerOf(security, actor)).access;
}

async function membership(
  group: ScriptEntity,
  member: ScriptEntity,
  { run }: ScriptContext,
): Promise<GraphRelationship | undefined> {
  const step: Step = { relType: 'CONTAINS', direction: 'in', types: [group.type] };
  const [links = []] = await run.transaction.read((tx) => tx.links([member.id], step));
  return links.find(({ node, relationship }) => node.id === group.id && relationship.type === MEMBERSHIP)?.relationship;
}

async function isMember(group: string, member: string, deep: boolean, { run }: ScriptContext): Promise<boolean> {
  const types = run.schema.type('Group')?.concreteTypes ?? [];
  const seen = new Set<string>();
  let level = [member];
  while (level.length > 0 && seen.size < MOST_GROUPS) {
    const ids = level;
    const above = await run.transaction.read((tx) => tx.related(ids, { ...ABOVE, types }));
    level = above
      .flat()
      .map((node) => node.id)
      .filter((id) => !seen.has(id));
    if (level.includes(group)) return true;
    if (!deep) return false;
    for (const id of level) seen.add(id);
  }
  return false;
}
