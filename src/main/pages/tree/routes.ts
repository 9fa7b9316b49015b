/** The path of a route and its parameters, written together (docs/interface/pages.md 2.5). */
import type { GraphNode } from '../../graph/index.js';
import type { JsonValue } from '../../../shared/json/index.js';
import { onlyReadable, SchemaError, type ObjectTransaction } from '../../schema/index.js';
import { link, step, typeNamed } from './relations.js';

const PARAMETERS = 'PagePathHAS_PARAMETERPagePathParameter';

/** A refusal of what a method got. */
export function missing(argument: string): SchemaError {
  return new SchemaError(`Missing or invalid argument: ${argument}`, [
    { token: 'must_not_be_empty', parameter: argument },
  ]);
}

/** Writes the path, makes parameters that are missing, deletes the others, and numbers them; answers them in their order. */
export async function updatePathAndParameters(
  objects: ObjectTransaction,
  pagePath: GraphNode,
  path: JsonValue | undefined,
  names: JsonValue | undefined,
): Promise<GraphNode[]> {
  if (!Array.isArray(names) || !names.every((name): name is string => typeof name === 'string' && name !== ''))
    throw missing('names');
  if (typeof path !== 'string' || path === '') throw missing('path');
  const wanted = [...new Set(names)];
  await objects.update(pagePath, { name: path });
  const along = onlyReadable(step(objects, PARAMETERS, 'out'), objects.access);
  const [there = []] = await objects.tx.related([pagePath.id], along);
  const byName = new Map<string, GraphNode>();
  for (const parameter of there) {
    const { name } = parameter.properties;
    if (typeof name === 'string' && wanted.includes(name) && !byName.has(name)) byName.set(name, parameter);
    else await objects.delete(parameter);
  }
  const type = typeNamed(objects, 'PagePathParameter');
  const sorted: GraphNode[] = [];
  for (const [position, name] of wanted.entries()) {
    const known = byName.get(name);
    if (known !== undefined) sorted.push(await objects.update(known, { position }));
    else {
      const made = await objects.create(type, { name, position, valueType: 'String' });
      await link(objects, PARAMETERS, pagePath, made);
      sorted.push(made);
    }
  }
  return sorted;
}
