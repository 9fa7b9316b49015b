/** What exports say of nodes beyond their HTML, made fields, links and rights (docs/interface/pages.md 8.6). */
import { SECURITY, type GraphNode } from '../../graph/index.js';
import {
  childAt,
  linkNodes,
  markAsOfOthers,
  OF_OTHERS,
  onlyReadable,
  SchemaError,
  segmentsOf,
  typesOf,
  type ObjectTransaction,
} from '../../schema/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import { shadowDocument } from '../tree/components.js';
import { isMarked } from '../model/stored-values.js';
import { copyNode, markedIf } from '../tree/copies.js';
import { isOf, link, PAGE, parentLink, relatedOne, SYNC, typeNamed } from '../tree/relations.js';
import type { HtmlElement, Mark } from './read-html.js';

export const VISIBILITY: Readonly<Record<string, readonly [toPublic: boolean, toUsers: boolean]>> = {
  public: [true, true],
  'public-only': [true, false],
  protected: [false, true],
  private: [false, false],
};
export const FIELDS: Readonly<Record<string, string>> = {
  content: 'contentType',
  name: 'name',
  show: 'showConditions',
  hide: 'hideConditions',
  'show-for-locales': 'showForLocales',
  'hide-for-locales': 'hideForLocales',
};
/** What a copy has of its own, or not at all. */
const OWN = [
  'name',
  'dataKey',
  'cypherQuery',
  'functionQuery',
  'selectedValues',
  'showForLocales',
  'hideForLocales',
].concat(['showConditions', 'hideConditions', 'eventMapping', 'sharedComponentConfiguration']);
/** What a template and all that stands for it have in common. */
const OF_COMPONENT = ['name', 'content', 'contentType'];
export const MARK = 'sandboxed';
export const LETTERS: Readonly<Record<string, string>> = { r: 'read', w: 'write', d: 'delete', a: 'accessControl' };

/** The two flags that instructions give a node, and what is in it. */
export function visibilityIn(marks: readonly Mark[] = []): JsonObject {
  const [toPublic, toUsers] = marks.map(([name]) => VISIBILITY[name]).findLast((one) => one !== undefined) ?? [];
  return toPublic === undefined || toUsers === undefined
    ? {}
    : { visibleToPublicUsers: toPublic, visibleToAuthenticatedUsers: toUsers };
}

/** The fields that instructions give a node. Throws `SchemaError` for an unknown one, and for what is not there. */
export async function fieldsIn(objects: ObjectTransaction, marks: readonly Mark[] = []): Promise<JsonObject> {
  const fields: JsonObject = {};
  for (const [name, value] of marks) {
    const key = FIELDS[name];
    if (key !== undefined) fields[key] = value;
    else if (name === 'hidden') fields['hidden'] = true;
    else if (name === 'link') fields['linkable'] = (await fileAt(objects, value)).id;
    else if (name === 'pagelink')
      fields['linkable'] = (await named(objects, 'Page', value.replace(/^\//, ''), name)).id;
    else if (name === 'owner') fields['owner'] = (await named(objects, 'Principal', value, name)).id;
    else if (name !== 'grant' && name !== MARK && VISIBILITY[name] === undefined)
      throw new SchemaError(`There is no instruction @svc:${name.slice(0, 100)}.`);
  }
  return fields;
}

/** What others than administrators have done, whoever imports it: the node itself, and the links that give it its place, its component and its target. */
export type Others = Readonly<Record<(typeof OTHERS)[number], boolean>>;
const OTHERS = ['node', 'place', 'component', 'link'] as const;

/** What instructions say of that. Throws `SchemaError` for a word that says more than is understood. */
export function othersIn(marks: readonly Mark[] = []): Others {
  const said = new Set<string>();
  for (const [name, value] of marks) {
    if (name !== MARK) continue;
    for (const word of value === '' ? ['node'] : value.split(',')) said.add(word.trim());
  }
  for (const word of said) {
    if (!OTHERS.some((one) => one === word))
      throw new SchemaError(`@svc:${MARK} says ${word.slice(0, 100)}, which is none of ${OTHERS.join(', ')}.`);
  }
  return {
    node: said.has('node'),
    place: said.has('place'),
    component: said.has('component'),
    link: said.has('link'),
  };
}

/** Grants what instructions say, as far as it is not granted. Throws `SchemaError`. */
export async function grantAll(
  objects: ObjectTransaction,
  node: GraphNode,
  marks: readonly Mark[] = [],
): Promise<void> {
  const relation = objects.schema.relations.get('Security');
  for (const [name, value] of marks) {
    if (name !== 'grant' || relation === undefined) continue;
    const [, who = '', letters = ''] = /^([^]*),\s*([rwda]+)$/.exec(value) ?? [];
    const principal = await named(objects, 'Principal', who, name);
    const [known = []] = await objects.tx.links([node.id], { relType: SECURITY, direction: 'in' });
    if (known.some((one) => one.node.id === principal.id)) continue;
    const allowed = [...letters].map((one) => LETTERS[one] ?? '');
    await linkNodes(objects, relation, principal, node, { allowed });
  }
}

/**
 * The node that an element of the service stands for: a copy that refers to its shared component, of a template one with its text. `values`: what is said of it. Undefined:
 * nothing stands here. Throws `SchemaError`.
 */
export async function standingFor(
  objects: ObjectTransaction,
  { tag, attributes, source = '' }: HtmlElement,
  values: JsonObject,
  others: Others,
): Promise<{ readonly made: GraphNode; readonly hasChildren: boolean } | undefined> {
  const said = (name: string): string => attributes.find(([key]) => key === name)?.[1] ?? '';
  if (tag === 'svc:shared-template') {
    await shareTemplate(objects, said('name'), source, values, others);
    return undefined;
  }
  if (tag !== 'svc:template' && tag !== 'svc:component')
    throw new SchemaError(`There is no element ${tag.slice(0, 100)}.`);
  const key = said('src');
  const isTemplate = tag === 'svc:template';
  const found = await byKey(objects, key, isTemplate);
  if (found === undefined) {
    if (!isTemplate) throw new SchemaError(`There is no shared component ${key.slice(0, 200)}.`);
    const name = values['name'] ?? (key === '' ? null : key);
    const fields = { contentType: 'text/html', ...values, name, content: source.trim() };
    const made = await objects.create(typeNamed(objects, 'Template'), fields, markedIf(objects, others.node));
    return { made, hasChildren: false };
  }
  const none = Object.fromEntries(OWN.map((one) => [one, null]));
  const known = objects.schema.typeOf(found).properties;
  const copy = await copyNode(objects, found, { refers: false });
  const shares = await isShared(objects, found);
  // What a reference writes of these the component gets.
  const isOfComponent = (key: string): boolean => shares && isTemplate && OF_COMPONENT.includes(key);
  const own = Object.entries({ ...none, ...values }).filter(
    ([one]) => (known.has(one) || !(one in none)) && !isOfComponent(one),
  );
  const written = await objects.update(copy, Object.fromEntries(own));
  // Of a copy with nothing left of the copied an administrator would be the only writer.
  const made = others.node && !isMarked(written) ? await markAsOfOthers(objects, written) : written;
  if (shares) await link(objects, SYNC, found, made, others.component ? OF_OTHERS : {});
  return { made, hasChildren: isTemplate };
}

async function shareTemplate(
  objects: ObjectTransaction,
  name: string,
  source: string,
  values: JsonObject,
  others: Others,
): Promise<void> {
  if (name === '') throw new SchemaError('A shared template needs a name.');
  if ((await sharedNamed(objects, name)).some((one) => isOf(objects, one, 'Template'))) return;
  const type = typeNamed(objects, 'Template');
  const fields = { contentType: 'text/html', ...values, name, content: source.trim() };
  const made = await objects.create(type, fields, markedIf(objects, others.node));
  await link(objects, PAGE, made, await shadowDocument(objects));
}

/** By the id, by `name-id`, or by its name among shared components. */
export async function byKey(
  objects: ObjectTransaction,
  key: string,
  isTemplate: boolean,
): Promise<GraphNode | undefined> {
  for (const id of new Set([key, key.slice(key.lastIndexOf('-') + 1), key.slice(-36)])) {
    if (!objects.options.idPattern.test(id)) continue;
    const node = await objects.tx.node(id);
    const fits = node !== undefined && isOf(objects, node, isTemplate ? 'Template' : 'DOMNode');
    if (fits && (isTemplate || (await isShared(objects, node))) && (await objects.may('read', node))) return node;
  }
  const all = await sharedNamed(objects, key);
  return all.find((one) => isOf(objects, one, 'Template') === isTemplate);
}

async function sharedNamed(objects: ObjectTransaction, name: string): Promise<GraphNode[]> {
  if (name === '') return [];
  const shared: GraphNode[] = [];
  for (const one of await allNamed(objects, 'DOMNode', name)) if (await isShared(objects, one)) shared.push(one);
  return shared;
}

export async function isShared(objects: ObjectTransaction, node: GraphNode): Promise<boolean> {
  const page = await relatedOne(objects, node, PAGE, 'out');
  return page !== undefined && isOf(objects, page, 'ShadowDocument') && (await parentLink(objects, node)) === undefined;
}

function allNamed(objects: ObjectTransaction, trait: string, name: string): Promise<GraphNode[]> {
  const types = typesOf(objects.schema, trait);
  const where = { op: 'equals', key: 'name', value: name } as const;
  return objects.tx.find(onlyReadable({ kind: 'nodes', trait, ...types, where, limit: 100 } as const, objects.access));
}

async function named(objects: ObjectTransaction, trait: string, name: string, mark: string): Promise<GraphNode> {
  if (objects.options.idPattern.test(name)) {
    const node = await objects.tx.node(name);
    if (node !== undefined && isOf(objects, node, trait) && (await objects.may('read', node))) return node;
  }
  const [found, another] = await allNamed(objects, trait, name);
  if (found !== undefined && another === undefined) return found;
  const problem = found === undefined ? `There is no ${trait}` : `There are several objects of the type ${trait} named`;
  throw new SchemaError(`${problem} ${name.slice(0, 200)}, as @svc:${mark} says.`);
}

async function fileAt(objects: ObjectTransaction, path: string): Promise<GraphNode> {
  let node: GraphNode | undefined;
  for (const name of segmentsOf(path)) {
    node = await childAt(objects.tx, objects.schema, node?.id, name);
    if (node === undefined || !(await objects.may('read', node))) break;
  }
  if (node !== undefined && isOf(objects, node, 'File') && (await objects.may('read', node))) return node;
  throw new SchemaError(`There is no file at ${path.slice(0, 200)}, as @svc:link says.`);
}
