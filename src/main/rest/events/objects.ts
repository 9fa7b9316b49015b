/** Actions of events on objects; all of one event are one transaction (docs/interface/pages.md 7.3). */
import type { GraphEntity, GraphNode, ReadTransaction } from '../../graph/index.js';
import { appendNode, removeNode } from '../../pages/index.js';
import { deleteRelationship, updateRelationship, type ObjectTransaction } from '../../schema/index.js';
import { sendEntities, sendValue } from '../answer/envelope.js';
import { RestError } from '../errors.js';
import { read } from '../read.js';
import { findEntity } from '../resources/objects/entity.js';
import { prepare, write } from '../write.js';
import type { SentEvent } from './sent-event.js';
import { isFixed, mustBePermitted, said, targetsOf } from './targets.js';

/** The answer of actions that have no result. */
function done({ request }: SentEvent): Promise<void> {
  return sendValue(request, {}, 1);
}

/** Creates an object of the type that the mapping or, where that is left to the page, the request says. */
export async function createObject(event: SentEvent): Promise<void> {
  const { request, data } = event;
  const name = said(event, 'dataType', 'svcTarget', 'svcDataType');
  if (name === undefined)
    throw new RestError(422, 'Cannot execute the action create without a type (data-svc-target).');
  const type = request.schema.type(name);
  if (type?.kind !== 'node') throw new RestError(422, `Cannot execute the action create: unknown type ${name}.`);
  if (!isFixed(event, 'dataType')) await mustBePermitted(event, type.name);
  await prepare(request, type, [data]);
  const { id } = await write(request, type.name, (objects) => objects.create(type, data));
  await read(request, async (tx) => {
    const node = await tx.node(id);
    if (node === undefined) throw new RestError(404, `No ${type.name} with UUID ${id} found.`);
    await sendEntities(request, tx, node, undefined);
  });
}

/** Writes the values to all targets. */
export async function updateTargets(event: SentEvent): Promise<void> {
  const { request, data } = event;
  const ids = await targetsOf(event);
  const before = await read(request, (tx) => all(event, tx, ids));
  for (const one of before) await prepare(request, request.schema.typeOf(one), [data], one);
  await change(event, before, async (objects, one) => {
    if (one.kind === 'relationship') await updateRelationship(objects, one.id, data);
    else await objects.update(one, data);
  });
}

export async function deleteTargets(event: SentEvent): Promise<void> {
  const { request } = event;
  const ids = await targetsOf(event);
  const before = await read(request, (tx) => all(event, tx, ids));
  await change(event, before, async (objects, one) => {
    if (one.kind === 'relationship') await deleteRelationship(objects, one.id);
    else if (await objects.may('delete', one)) await objects.delete(one);
    else throw objects.notPermitted(one);
  });
}

/** Moves a node of a page to the end of the targets' children; a node has one place, so the last target gets it. */
export async function appendChild(event: SentEvent): Promise<void> {
  await moveChild(event, (objects, child, target) => appendNode(objects, target, child));
}

/** Takes a node of a page out of it. */
export async function removeChild(event: SentEvent): Promise<void> {
  await moveChild(event, (objects, child, target) => removeNode(objects, target, child));
}

async function moveChild(
  event: SentEvent,
  move: (objects: ObjectTransaction, child: GraphNode, target: GraphNode) => Promise<unknown>,
): Promise<void> {
  const { request, control, mapping } = event;
  const action = String(mapping.properties['action']);
  const childId = control.get('childId');
  if (childId === undefined) throw new RestError(422, `Cannot execute the action ${action} without a child (childId).`);
  const ids = await targetsOf(event);
  const before = await read(request, (tx) => all(event, tx, ids));
  await change(event, before, async (objects, target) => {
    const child = await nodeOfPage(event, objects.tx, childId);
    await move(objects, child, await nodeOfPage(event, objects.tx, target.id));
  });
}

/** A node of a page, for callers who may read it. Throws `RestError` 404, 422. */
export async function nodeOfPage({ request }: SentEvent, tx: ReadTransaction, id: string): Promise<GraphNode> {
  const found = request.settings.write.idPattern.test(id) ? await findEntity(request, tx, undefined, id) : undefined;
  if (found?.kind !== 'node' || !request.schema.typeOf(found).hasTrait('DOMNode')) {
    throw new RestError(422, `${id.slice(0, 200)} is no node of a page.`);
  }
  return found;
}

/** All of them, as far as the caller may read them. Throws `RestError` 404. */
async function all(
  { request }: SentEvent,
  tx: ReadTransaction,
  ids: readonly string[],
): Promise<readonly GraphEntity[]> {
  const found: GraphEntity[] = [];
  for (const id of ids) found.push(await findEntity(request, tx, undefined, id));
  return found;
}

/** Does something to each of the targets, as they are within the transaction. */
async function change(
  event: SentEvent,
  targets: readonly GraphEntity[],
  work: (objects: ObjectTransaction, one: GraphEntity) => Promise<void>,
): Promise<void> {
  const { request } = event;
  const { schemas } = request.services;
  const types = [...new Set(targets.map(({ type }) => type))];
  await write(
    request,
    types.find((type) => schemas.runsMethods(type)) ?? types[0],
    async (objects) => {
      for (const { id } of targets) await work(objects, await findEntity(request, objects.tx, undefined, id));
    },
    targets.length >= MANY,
  );
  await done(event);
}

/** Objects from which on others must not wait for the writer. */
const MANY = 200;
