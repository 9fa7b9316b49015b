/** Operations on trees as methods of objects, which REST and scripts call alike (docs/interface/pages.md). */
import type { GraphNode } from '../../graph/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { SchemaError, type ObjectTransaction, type Type } from '../../schema/index.js';
import { cloneNode } from './clone.js';
import { createComponent, insertComponent } from './components.js';
import { clonePage, createSimplePage } from './pages.js';
import { appendChild, insertBefore, ownerDocument, removeChild, removeNode, replaceChild, wrapNode } from './place.js';
import { emptyRecycleBin, recycleBin } from './recycle.js';
import { missing, updatePathAndParameters } from './routes.js';

/** Nothing, an object, several, or a number. */
export type TreeResult = GraphNode | readonly GraphNode[] | number | undefined;

interface Named {
  readonly trait: string;
  readonly name: string;
}

/** A method of the objects of a trait. */
export interface TreeMethod extends Named {
  readonly isStatic?: false;
  run(objects: ObjectTransaction, node: GraphNode, input: JsonObject): Promise<TreeResult>;
}

/** One of the type itself. */
export interface TreeTypeMethod extends Named {
  readonly isStatic: true;
  run(objects: ObjectTransaction, input: JsonObject): Promise<TreeResult>;
}

/** Nodes of the recycle bin in one answer. */
const MOST_IN_BIN = 10_000;

/** The node that an argument names: its UUID, or an object with one. Throws `SchemaError` 422 without it. */
async function nodeIn(objects: ObjectTransaction, input: JsonObject, key: string): Promise<GraphNode> {
  const node = await optionalNode(objects, input, key);
  if (node === undefined) throw missing(key);
  return node;
}

async function optionalNode(
  objects: ObjectTransaction,
  input: JsonObject,
  key: string,
): Promise<GraphNode | undefined> {
  const value: JsonValue = input[key] ?? null;
  if (value === null) return undefined;
  const id = typeof value === 'object' && !Array.isArray(value) ? value['id'] : value;
  if (typeof id !== 'string') throw missing(key);
  const node = await objects.tx.node(id);
  // What the actor may not read is not there for him.
  if (node === undefined || !(await objects.may('read', node)))
    throw new SchemaError(`No DOMNode with UUID ${id} found.`, [
      { token: 'object_not_found', parameter: key, detail: id },
    ]);
  return objects.mustBeOf(node, 'DOMNode');
}

function flag(input: JsonObject, key: string): boolean {
  const value = input[key] ?? false;
  if (typeof value !== 'boolean') throw missing(key);
  return value;
}

async function append(objects: ObjectTransaction, node: GraphNode, input: JsonObject): Promise<GraphNode> {
  const child = await nodeIn(objects, input, 'newChild');
  await appendChild(objects, node, child);
  return child;
}

const ofNodes: readonly TreeMethod[] = [
  {
    trait: 'DOMNode',
    name: 'cloneNode',
    run: (objects, node, input) => cloneNode(objects, node, { deep: flag(input, 'deep') }),
  },
  { trait: 'DOMNode', name: 'appendChild', run: append },
  { trait: 'DOMNode', name: 'setOwnerDocument', run: append },
  { trait: 'DOMNode', name: 'getOwnerDocument', run: (objects, node) => readableOwner(objects, node) },
  {
    trait: 'DOMNode',
    name: 'insertBefore',
    async run(objects, node, input) {
      const child = await nodeIn(objects, input, 'newChild');
      await insertBefore(objects, node, child, await optionalNode(objects, input, 'refChild'));
      return child;
    },
  },
  {
    trait: 'DOMNode',
    name: 'replaceChild',
    async run(objects, node, input) {
      const child = await nodeIn(objects, input, 'newChild');
      await replaceChild(objects, node, child, await nodeIn(objects, input, 'refChild'));
      return child;
    },
  },
  {
    trait: 'DOMNode',
    name: 'removeChild',
    async run(objects, node, input) {
      await removeChild(objects, node, await nodeIn(objects, input, 'child'));
      return undefined;
    },
  },
  {
    trait: 'DOMNode',
    name: 'removeNode',
    async run(objects, node) {
      await removeNode(objects, node);
      return undefined;
    },
  },
  {
    trait: 'DOMNode',
    name: 'wrapNode',
    async run(objects, node, input) {
      const wrapper = await nodeIn(objects, input, 'wrapper');
      await wrapNode(objects, node, wrapper);
      return wrapper;
    },
  },
  { trait: 'DOMNode', name: 'createComponent', run: (objects, node) => createComponent(objects, node) },
  {
    trait: 'DOMNode',
    name: 'insertComponent',
    run: async (objects, node, input) => {
      const component = await nodeIn(objects, input, 'component');
      return insertComponent(objects, node, component, await optionalNode(objects, input, 'refChild'));
    },
  },
  { trait: 'Page', name: 'clonePage', run: (objects, node) => clonePage(objects, node) },
  {
    trait: 'PagePath',
    name: 'updatePathAndParameters',
    run: (objects, node, { path, names }) => updatePathAndParameters(objects, node, path, names),
  },
];

async function readableOwner(objects: ObjectTransaction, node: GraphNode): Promise<GraphNode | undefined> {
  const page = await ownerDocument(objects, node);
  return page !== undefined && (await objects.may('read', page)) ? page : undefined;
}

const ofTypes: readonly TreeTypeMethod[] = [
  {
    trait: 'Page',
    name: 'createSimplePage',
    isStatic: true,
    run(objects, input) {
      const { name } = input;
      if (typeof name !== 'string' || name === '') throw missing('name');
      return createSimplePage(objects, {
        name,
        visibleToPublicUsers: flag(input, 'visibleToPublicUsers'),
        visibleToAuthenticatedUsers: flag(input, 'visibleToAuthenticatedUsers'),
      });
    },
  },
  {
    trait: 'DOMNode',
    name: 'getRecycleBin',
    isStatic: true,
    run: ({ tx, schema, access }) => recycleBin(tx, schema, access, MOST_IN_BIN),
  },
  { trait: 'DOMNode', name: 'emptyRecycleBin', isStatic: true, run: (objects) => emptyRecycleBin(objects) },
];

/** All of them; names are used once a trait. */
export const treeMethods: readonly (TreeMethod | TreeTypeMethod)[] = [...ofNodes, ...ofTypes];

/** The one of this name that objects of a type have, or the type itself. */
export function treeMethod(type: Type, name: string, isStatic: true): TreeTypeMethod | undefined;
export function treeMethod(type: Type, name: string, isStatic: false): TreeMethod | undefined;
export function treeMethod(type: Type, name: string, isStatic: boolean): TreeMethod | TreeTypeMethod | undefined {
  return treeMethods.find(
    (method) => method.name === name && (method.isStatic === true) === isStatic && type.hasTrait(method.trait),
  );
}
