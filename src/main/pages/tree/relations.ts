/** The relations and types that trees are made of, as operations on trees write them: with the rights of the actor of the transaction. */
import type { GraphNode, GraphRelationship, PropertyMap, Step } from '../../graph/index.js';
import {
  deleteRelationship,
  linkNodes,
  OF_OTHERS,
  SchemaError,
  typesOf,
  type ObjectTransaction,
  type RelationDefinition,
  type Type,
} from '../../schema/index.js';
import { isMarked } from '../model/stored-values.js';

export const CHILDREN = 'DOMNodeCONTAINSDOMNode';
export const PAGE = 'DOMNodePAGEPage';
export const LINK = 'LinkSourceLINKLinkable';
export const SYNC = 'DOMNodeSYNCDOMNode';

/** A step along one of them. */
export function step({ schema }: ObjectTransaction, relation: string, direction: Step['direction']): Step {
  const { relType, source, target } = relationNamed(schema, relation);
  return { relType, direction, ...typesOf(schema, direction === 'out' ? target : source) };
}

function relationNamed(schema: ObjectTransaction['schema'], name: string): RelationDefinition {
  const relation = schema.relations.get(name);
  if (relation === undefined) throw new SchemaError(`There is no relation ${name}.`);
  return relation;
}

/** A type of the schema. Throws `SchemaError` when there is none. */
export function typeNamed({ schema }: ObjectTransaction, name: string): Type {
  const type = schema.type(name);
  if (type === undefined) throw new SchemaError(`There is no type ${name}.`);
  return type;
}

/** Links two nodes; what takes the place of another removes that link. Throws `SchemaError` (forbidden) without the right to. */
export function link(
  objects: ObjectTransaction,
  relation: string,
  source: GraphNode,
  target: GraphNode,
  values: PropertyMap = {},
): Promise<string> {
  return linkNodes(objects, relationNamed(objects.schema, relation), source, target, { ...values });
}

/** Removes a link. Throws `SchemaError` (forbidden) without the right to. */
export function unlink(objects: ObjectTransaction, { id }: GraphRelationship): Promise<void> {
  return deleteRelationship(objects, id);
}

/** The first node that a relation leads to, whoever may read it. */
export async function relatedOne(
  objects: ObjectTransaction,
  node: GraphNode,
  relation: string,
  direction: Step['direction'],
): Promise<GraphNode | undefined> {
  return (await objects.tx.related([node.id], step(objects, relation, direction), 1))[0]?.[0];
}

/** What a link has that stands for another one: what users without administrators' rights have made stays theirs, whoever copies or moves it. */
export function markOf(link: GraphRelationship | undefined): PropertyMap {
  return link !== undefined && isMarked(link) ? OF_OTHERS : {};
}

/** Of the children of nodes those that such users have put where they are, by their ids. */
export async function placedByOthers(
  objects: ObjectTransaction,
  parents: readonly GraphNode[],
): Promise<ReadonlySet<string>> {
  const ids = parents.map(({ id }) => id);
  const links = (await objects.tx.links(ids, step(objects, CHILDREN, 'out'))).flat();
  return new Set(links.filter(({ relationship }) => isMarked(relationship)).map(({ node }) => node.id));
}

/** The link to the parent, if there is one. */
export async function parentLink(
  objects: ObjectTransaction,
  node: GraphNode,
): Promise<{ readonly relationship: GraphRelationship; readonly node: GraphNode } | undefined> {
  return (await objects.tx.links([node.id], step(objects, CHILDREN, 'in'), 1))[0]?.[0];
}

export function isOf({ schema }: ObjectTransaction, node: GraphNode, trait: string): boolean {
  return schema.typeOf(node).hasTrait(trait);
}

/** A refusal of an operation on a tree (422). */
export function refused(node: GraphNode, token: string, message: string): SchemaError {
  return new SchemaError(message, [{ type: node.type, token, detail: node.id }]);
}
