/** Writing schema objects by what they say. */
import type { JsonObject } from '../../../../shared/json/index.js';
import type { GraphNode } from '../../../graph/index.js';
import type { ObjectTransaction } from '../../../schema/index.js';
import { differing, toWrite, type KeyTable, type Values } from '../keys.js';

/** Writes schema objects, each by its type. */
export class Writing {
  private readonly gone = new Set<string>();

  constructor(readonly objects: ObjectTransaction) {}

  create(type: string, input: JsonObject): Promise<GraphNode> {
    const found = this.objects.schema.type(type);
    if (found === undefined) throw new Error(`the built-in tables lack ${type}`);
    return this.objects.create(found, input);
  }

  async update(node: GraphNode, input: JsonObject): Promise<void> {
    if (Object.keys(input).length > 0) await this.objects.update(node, input);
  }

  /** What goes along with another object may be gone already. */
  async delete(node: GraphNode): Promise<void> {
    if (this.gone.has(node.id) || (await this.objects.tx.node(node.id)) === undefined) return;
    this.gone.add(node.id);
    await this.objects.delete(node);
  }
}

/** What to write so that an object says something else. */
export function changes(table: KeyTable, present: Values, wanted: Values): JsonObject {
  const input: JsonObject = {};
  for (const rule of differing(table, present, wanted)) input[rule.key] = toWrite(rule, wanted[rule.key]);
  return input;
}

/** What to write of a new object; its type knows the defaults. */
export function allOf(values: Values): JsonObject {
  const input: JsonObject = {};
  for (const [key, value] of Object.entries(values)) input[key] = typeof value === 'object' ? [...value] : value;
  return input;
}
