/**
 * Who may make, change and remove relationships (docs/rights.md): read on both ends and write on one of
 * them. Where a relationship says what may be done with an end, what it shows, or what it runs, that end has to agree.
 */
import type { GraphNode, Right } from '../../graph/index.js';
import type { RelationDefinition } from '../model/definitions.js';
import { META_RELATIONSHIPS, META_TYPES } from '../model/meta-types.js';
import { isOfAdministratorsAlone } from './credentials.js';
import type { Schema, Type } from '../model/schema.js';

/** On whom which right is needed beside reading both ends. */
export type Need =
  /** To write one of the ends, whichever. */
  | 'one'
  | 'source'
  | 'target'
  | 'both'
  /** `accessControl` on the target: it says who may do what with it. */
  | 'control'
  | 'administrator';

/** What is needed to make such a relationship, and to change or remove it. */
export interface Needs {
  readonly make: Need;
  readonly keep: Need;
}

/** Between ends of these traits; absent: any. */
interface Row extends Needs {
  readonly source?: string;
  readonly target?: string;
}

const PLAIN: Needs = { make: 'one', keep: 'one' };
const ADMINISTRATOR: Row = { make: 'administrator', keep: 'administrator' };
const CONTROL: Row = { make: 'control', keep: 'control' };

/** Whatever is put below something is shown, or run, as a part of it. Taking it out again is everybody's who may write one of them. */
const inside = (source: string, target: string): Row => ({ source, target, make: 'both', keep: 'one' });
/** The source shows or runs what it leads to. */
const ofSource = (source: string, target: string): Row => ({ source, target, make: 'source', keep: 'one' });
const ofTarget = (source: string, target: string): Row => ({ source, target, make: 'target', keep: 'one' });

/** By type in the database, which is what rights and pages go by, whichever relation of the schema uses it. */
const TABLE: ReadonlyMap<string, readonly Row[]> = new Map<string, readonly Row[]>([
  ['OWNS', [CONTROL]],
  ['SECURITY', [CONTROL]],
  // Uploads go there with the right to read alone, and it goes with its user.
  ['HOME_DIR', [ADMINISTRATOR]],
  // They decide which hosts and directories the service uses for whose content.
  ['CONFIGURED_BY', [ADMINISTRATOR]],
  ['CONFIG_ENTRY', [ADMINISTRATOR]],
  [
    'CONTAINS',
    [
      // Members have all the rights of their group.
      { source: 'Group', target: 'Principal', make: 'source', keep: 'source' },
      inside('Folder', 'AbstractFile'),
      inside('DOMNode', 'DOMNode'),
      inside('Site', 'Page'),
    ],
  ],
  ['CONTAINS_NEXT_SIBLING', [inside('DOMNode', 'DOMNode')]],
  ['PAGE', [inside('DOMNode', 'Page')]],
  ['SYNC', [ofTarget('DOMNode', 'DOMNode')]],
  ['TRIGGERED_BY', [ofSource('DOMElement', 'ActionMapping')]],
  ['PARAMETER', [ofSource('ActionMapping', 'ParameterMapping')]],
  // What an action sends, shows anew and tells is the action's own matter: else anybody could fill its lists.
  ['INPUT_ELEMENT', [ofTarget('DOMElement', 'ParameterMapping')]],
  ['SUCCESS_TARGET', [ofTarget('DOMNode', 'ActionMapping')]],
  ['FAILURE_TARGET', [ofTarget('DOMNode', 'ActionMapping')]],
  ['SUCCESS_NOTIFICATION_ELEMENT', [ofTarget('DOMNode', 'ActionMapping')]],
  ['FAILURE_NOTIFICATION_ELEMENT', [ofTarget('DOMNode', 'ActionMapping')]],
  ['HAS_PATH', [ofSource('Page', 'PagePath')]],
  ['HAS_PARAMETER', [ofSource('PagePath', 'PagePathParameter')]],
  ['FLOW', [ofSource('DOMNode', 'FlowContainer'), ofSource('FlowCall', 'FlowContainer')]],
  ['LINK', [ofSource('LinkSource', 'Linkable')]],
  ['WORKING_DIR', [ofSource('User', 'Folder')]],
  ['PICTURE_OF', [ofTarget('Image', 'User')]],
  // These go with what they belong to when that is deleted, by whoever may delete both.
  ['THUMBNAIL', [inside('Image', 'Image')]],
  ['HAS_CONVERTED_VIDEO', [inside('VideoFile', 'VideoFile')]],
  ['HAS_ATTACHMENT', [inside('EMailMessage', 'File')]],
]);

/** Nodes of a flow run each other: what is linked to one of them is run with it. */
const IN_FLOW: readonly string[] = ['FlowBaseNode', 'FlowContainer', 'FlowContainerPackage'];
const WITHIN_FLOW: Needs = { make: 'both', keep: 'one' };

const isMeta = (type: Type): boolean => type.traits.some((trait) => META_TYPES.has(trait));
const isInFlow = (type: Type): boolean => IN_FLOW.some((trait) => type.hasTrait(trait));

/**
 * What a relationship of this type (in the database) between objects of these types needs. `usersDecide`: objects that decide about
 * rights are written by who has the rights to (`security.administration.byusers`).
 */
export function needsOf(relType: string, source: Type, target: Type, usersDecide: boolean): Needs {
  if (META_RELATIONSHIPS.has(relType) && (isMeta(source) || isMeta(target))) return usersDecide ? PLAIN : ADMINISTRATOR;
  const rows = TABLE.get(relType);
  const row = rows?.find(
    (one) =>
      (one.source === undefined || source.hasTrait(one.source)) &&
      (one.target === undefined || target.hasTrait(one.target)),
  );
  // An endpoint permission counts for those who may read it: to grant that is to give the permission.
  if (row?.make === 'control' && !usersDecide && isOfAdministratorsAlone(target)) return ADMINISTRATOR;
  return row ?? (isInFlow(source) && isInFlow(target) ? WITHIN_FLOW : PLAIN);
}

/** Rights that a relationship hands out: those that somebody has on one end hold on this one. */
export interface Handed {
  readonly end: 'source' | 'target';
  /** These, and `accessControl`: who hands out rights on something has to have them, and the right to say who else has. */
  readonly rights: readonly Right[];
}

const RIGHTS: readonly Right[] = ['read', 'write', 'delete', 'accessControl'];
const PROPAGATES: ReadonlySet<string> = new Set(['Add', 'Keep']);

/** Whether and how a right goes along a relation (docs/interface/schema.md 10.3). */
function propagated(relation: RelationDefinition, right: Right): { toTarget: boolean; toSource: boolean } {
  const direction = relation.permissionPropagation ?? 'None';
  const passes = direction !== 'None' && PROPAGATES.has(relation[`${right}Propagation`] ?? 'Remove');
  return { toTarget: passes && direction !== 'In', toSource: passes && direction !== 'Out' };
}

interface Carrier {
  readonly source: string;
  readonly target: string;
  readonly handed: readonly Handed[];
}

const carriers = new WeakMap<Schema, ReadonlyMap<string, readonly Carrier[]>>();

function carriersOf(schema: Schema): ReadonlyMap<string, readonly Carrier[]> {
  let known = carriers.get(schema);
  if (known !== undefined) return known;
  const made = new Map<string, Carrier[]>();
  for (const relation of schema.relations.values()) {
    const handed = (['source', 'target'] as const).flatMap((end): Handed[] => {
      const rights = RIGHTS.filter((right) => {
        const { toSource, toTarget } = propagated(relation, right);
        return end === 'source' ? toSource : toTarget;
      });
      return rights.length === 0 ? [] : [{ end, rights: [...new Set<Right>([...rights, 'accessControl'])] }];
    });
    if (handed.length === 0) continue;
    const { source, target, relType } = relation;
    const list = made.get(relType);
    if (list === undefined) made.set(relType, [{ source, target, handed }]);
    else list.push({ source, target, handed });
  }
  carriers.set(schema, (known = made));
  return known;
}

/** What a relationship between these hands out, by all relations of the schema that use its type in the database. */
export function handedOut(schema: Schema, relType: string, source: GraphNode, target: GraphNode): readonly Handed[] {
  const known = carriersOf(schema).get(relType);
  if (known === undefined) return [];
  const fits = (type: Type, trait: string): boolean => trait === 'NodeInterface' || type.hasTrait(trait);
  const [from, to] = [schema.typeOf(source), schema.typeOf(target)];
  return known.filter((one) => fits(from, one.source) && fits(to, one.target)).flatMap(({ handed }) => handed);
}
