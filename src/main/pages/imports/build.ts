/** Nodes of HTML made objects, by the way that all doors use: the rules of trees, rights and marks are those of the schema. */
import type { GraphNode } from '../../graph/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { OF_OTHERS, runsScripts, SchemaError, type ObjectTransaction, type Type } from '../../schema/index.js';
import { isAttribute } from '../model/tags.js';
import { insertAll, mustBeChild, removeChild } from '../tree/place.js';
import { markedIf } from '../tree/copies.js';
import { CHILDREN, link, LINK, typeNamed } from '../tree/relations.js';
import { fieldsIn, grantAll, othersIn, standingFor, visibilityIn } from './export-form.js';
import type { HtmlElement, HtmlNode } from './read-html.js';

export interface Building {
  readonly visibleToPublicUsers?: boolean;
  readonly visibleToAuthenticatedUsers?: boolean;
  /**
   * Who has written the HTML. `author`: whoever asks, and what it says of scripts counts as far as he may say that. `data`: perhaps somebody else,
   * so that nothing in it runs, whoever asks. `site`: somebody else, whose page whoever asks takes as it is: in browsers it runs as far as he may say that,
   * on the server nothing does.
   */
  readonly from: 'author' | 'data' | 'site';
}

/** A node that has no place yet, and whether somebody else has given it the one that it is to have. */
interface Built {
  readonly node: GraphNode;
  readonly isPlacedByOthers: boolean;
}

/** Makes objects of nodes and puts them below another one, behind its last child or before one of them. Throws `SchemaError`. */
export async function insert(
  objects: ObjectTransaction,
  parent: GraphNode,
  nodes: readonly HtmlNode[],
  building: Building,
  before?: GraphNode,
): Promise<GraphNode[]> {
  const roots: Built[] = [];
  for (const node of nodes) {
    const made = await make(objects, node, building);
    if (made !== undefined) roots.push(made);
  }
  const all = roots.map(({ node }) => node);
  const placed = new Set(roots.filter((one) => one.isPlacedByOthers).map(({ node }) => node.id));
  await insertAll(objects, parent, all, before, ({ id }) => (placed.has(id) ? OF_OTHERS : {}));
  return all;
}

/** Undefined: the node is none in this place. */
async function make(
  objects: ObjectTransaction,
  node: HtmlNode,
  { from, ...around }: Building,
  parent?: HtmlElement,
): Promise<Built | undefined> {
  await objects.breathe();
  // An export of it would give orders.
  if (from !== 'author' && node.kind === 'comment' && node.text.includes('@svc:')) return undefined;
  if (from === 'author' && runsScripts(objects)) mustBeOwn(node, parent);
  const { marks } = node;
  const others = othersIn(marks);
  // What nothing is said of is seen by whoever sees what is around it.
  const flags = { ...around, ...visibilityIn(marks) };
  const { linkable, ...said } = marks === undefined ? {} : await fieldsIn(objects, marks);
  const { type, values } =
    node.kind === 'element' ? elementOf(objects, node, from) : textOf(objects, node, from, parent?.tag);
  const all = { ...flags, ...values, ...said };
  let made: GraphNode;
  let hasChildren = node.kind === 'element';
  if (node.kind === 'element' && node.source !== undefined) {
    const standing = await standingFor(objects, node, withoutElement(all), others);
    if (standing === undefined) return undefined;
    ({ made, hasChildren } = standing);
  } else {
    made = await objects.create(type, all, markedIf(objects, from === 'data' || others.node));
  }
  if (linkable !== undefined) await lead(objects, made, linkable, others.link);
  await grantAll(objects, made, marks);
  const built = { node: made, isPlacedByOthers: others.place };
  if (node.kind !== 'element' || !hasChildren) return built;
  let position = 0;
  for (const one of node.children) {
    const child = await make(objects, one, { ...flags, from }, node);
    if (child === undefined) continue;
    const mark = child.isPlacedByOthers ? OF_OTHERS : {};
    await link(objects, CHILDREN, made, child.node, { position: position++, ...mark });
  }
  return built;
}

/** In these a comment is a text, for the parser of HTML. */
const RAW: ReadonlySet<string> = new Set([
  'script',
  'style',
  'textarea',
  'title',
  'iframe',
  'noframes',
  'noembed',
  'xmp',
]);

/** Throws `SchemaError` for an export that says what others have written, but is not read as one: all of it would be whoever's who imports it. */
function mustBeOwn(node: HtmlNode, parent: HtmlElement | undefined): void {
  if (node.kind === 'element' || !/@svc:sandboxed/i.test(node.text)) return;
  if (node.kind === 'comment' || RAW.has(parent?.tag ?? ''))
    throw new SchemaError(
      'This HTML says that users who are no administrators have written parts of it (@svc:sandboxed): import it with "processDeploymentInfo", or take these parts out.',
    );
}

/** Has a node lead to a page or file. */
async function lead(
  objects: ObjectTransaction,
  node: GraphNode,
  linkable: JsonValue,
  isOfOthers: boolean,
): Promise<void> {
  const target = typeof linkable === 'string' ? await objects.tx.node(linkable) : undefined;
  if (target === undefined) return;
  objects.mustBeOf(node, 'LinkSource');
  await link(objects, LINK, node, target, isOfOthers ? OF_OTHERS : {});
}

/** Without what an element of exports has as an element. */
function withoutElement({ tag: _tag, _custom_html_src: _src, ...values }: JsonObject): JsonObject {
  return values;
}

interface Made {
  readonly type: Type;
  readonly values: JsonObject;
}

export function textOf(
  objects: ObjectTransaction,
  { kind, text: said }: Exclude<HtmlNode, HtmlElement>,
  from: Building['from'],
  parent: string | undefined,
): Made {
  const text = from === 'site' ? unevaluated(objects, said) : said;
  if (kind === 'comment') return { type: typeNamed(objects, 'Comment'), values: { content: text } };
  const type = typeNamed(objects, 'Content');
  // In scripts the rule of contents says the type.
  const contentType = kind === 'source' ? 'text/xml' : parent === 'style' ? 'text/css' : undefined;
  return { type, values: { content: text, ...(contentType === undefined ? {} : { contentType }) } };
}

/** Text of somebody else that is to be seen as he has written it, where a script would be run. */
function unevaluated(objects: ObjectTransaction, text: string): string {
  return runsScripts(objects) ? text.replaceAll('${', () => "${'$'}{") : text;
}

/** The type of elements with a tag. */
export function typeOfTag(objects: ObjectTransaction, tag: string): Type {
  const name = tag === 'template' ? 'TemplateElement' : tag.charAt(0).toUpperCase() + tag.slice(1);
  const type = objects.schema.type(name);
  return type?.kind === 'node' && type.hasTrait('DOMElement') ? type : typeNamed(objects, 'DOMElement');
}

/** What the service keeps of each object. */
export const OF_SERVICE = /^(?:id|type|created\w*|lastModified\w*|data-svc-id|data-svc-hash)$/;
export const META = 'data-svc-meta-';
const OWN = 'data-svc-';

function elementOf(objects: ObjectTransaction, { tag, attributes, fields }: HtmlElement, from: Building['from']): Made {
  const type = typeOfTag(objects, tag);
  const values = Object.create(null) as JsonObject;
  values['tag'] = tag;
  for (const [name, value] of attributes) {
    const key = keyOf(type, name, from);
    if (key === undefined) continue;
    const property = type.properties.get(key);
    const isFlag = property?.kind === 'value' && property.definition.propertyType === 'Boolean';
    values[key] = isFlag ? value === 'true' : from === 'site' ? unevaluated(objects, value) : value;
  }
  Object.assign(values, fields);
  return { type, values };
}

/** Where the value of an attribute is stored; undefined: nowhere (docs/interface/pages.md 8.2). */
export function keyOf(type: Type, name: string, from: Building['from']): string | undefined {
  if (!isAttribute(name)) return undefined;
  if (name.startsWith(OWN)) {
    // What the service does with an element is its author's to say.
    if (from !== 'author') return undefined;
    const key = name.startsWith(META)
      ? name.slice(META.length).replace(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase())
      : name;
    return isField(type, key) ? key : undefined;
  }
  const key = `_html_${name}`;
  // An attribute that the type does not know would not be shown.
  return type.properties.has(key) ? key : `_custom_html_${name}`;
}

/** Whether a text can be written to a key: not what the service itself keeps. */
function isField(type: Type, key: string): boolean {
  const property = type.properties.get(key);
  if (property?.kind !== 'value' || OF_SERVICE.test(key)) return false;
  const { readOnly, system, constant, propertyType } = property.definition;
  if (readOnly === true || system === true || constant === true) return false;
  return propertyType === 'String' || propertyType === 'Boolean';
}

/** Makes objects of nodes below another one, behind its last child or before one of them. Throws `SchemaError`. */
export async function buildBelow(
  objects: ObjectTransaction,
  parent: GraphNode,
  nodes: readonly HtmlNode[],
  from: Building['from'],
  before?: GraphNode,
): Promise<GraphNode[]> {
  objects.mustBeOf(parent, 'DOMNode');
  // Before thousands of objects are made for nothing.
  if (!(await objects.may('write', parent))) throw objects.notPermitted(parent);
  const { visibleToPublicUsers, visibleToAuthenticatedUsers } = parent.properties;
  // Who sees what it is put into sees it.
  const flags = {
    visibleToPublicUsers: visibleToPublicUsers === true,
    visibleToAuthenticatedUsers: visibleToAuthenticatedUsers === true,
  };
  return insert(objects, parent, nodes, { from, ...flags }, before);
}

/** The same in the place of a child, which goes to the recycle bin. */
export async function buildInstead(
  objects: ObjectTransaction,
  parent: GraphNode,
  child: GraphNode,
  nodes: readonly HtmlNode[],
  from: Building['from'],
): Promise<GraphNode[]> {
  await mustBeChild(objects, parent, child);
  const made = await buildBelow(objects, parent, nodes, from, child);
  await removeChild(objects, parent, child);
  return made;
}
