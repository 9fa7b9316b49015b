/** The end of a transaction: what was touched is completed, then checked, all of it together. */
import { SchemaError, type ErrorToken } from '../model/errors.js';
import { rulesOf, transactionRules } from '../rules/table.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';
import { storeIndexedFunctions } from './indexed-functions.js';
import { isConstrained, validateNode, validateRelationship } from './validate.js';

/** Does what the rules of traits complete in touched objects. */
export async function completeTouched(objects: ObjectTransaction): Promise<void> {
  for (const [id, touched] of [...objects.touches.nodes]) {
    await objects.breathe();
    touched.node ??= await objects.tx.node(id);
    if (touched.node === undefined) continue;
    for (const rule of rulesOf(objects.schema.typeOf(touched.node))) {
      if (rule.complete === undefined) continue;
      await rule.complete(touched.node, objects);
      touched.node = await objects.tx.node(id);
      if (touched.node === undefined) break;
    }
  }
}

/** Does what the rules of traits complete in all that the transaction has changed, whoever changed it. */
export async function completeTransaction(objects: ObjectTransaction): Promise<void> {
  for (const rule of transactionRules) await rule(objects);
}

/** Stores the values of the indexed function properties of touched objects. */
export async function storeFunctions(objects: ObjectTransaction): Promise<void> {
  for (const [id, touched] of [...objects.touches.nodes]) {
    if (touched.node !== undefined && objects.schema.typeOf(touched.node).indexedFunctions.length === 0) continue;
    // Scripts may have changed it since, with other rights.
    const node = await objects.tx.node(id);
    if (node !== undefined) touched.node = await storeIndexedFunctions(objects, node);
  }
}

/** Throws `SchemaError` with all that is wrong with touched objects and relationships. */
export async function checkTouched(objects: ObjectTransaction): Promise<void> {
  const { tx, schema, touches } = objects;
  const tokens: ErrorToken[] = [];
  const subjects: string[] = [];
  const add = (id: string, found: readonly ErrorToken[]): void => {
    for (const token of found) {
      tokens.push(token);
      subjects.push(id);
    }
  };
  let message: string | undefined;
  for (const [id, { created, node: known }] of touches.nodes) {
    await objects.breathe();
    const node = known ?? (await tx.node(id));
    if (node === undefined) continue;
    const type = schema.typeOf(node);
    const rules = rulesOf(type);
    if (rules.length === 0 && !isConstrained(type)) continue;
    add(id, await validateNode(objects, node, type, !created));
    for (const rule of rules) {
      const found = (await rule.validate?.(node, objects)) ?? [];
      if (found.length > 0 && rule.message !== undefined) message = rule.message;
      add(id, found);
    }
  }
  for (const id of touches.relationships) {
    const relationship = await tx.relationship(id);
    if (relationship !== undefined)
      add(id, await validateRelationship(objects, relationship, schema.typeOf(relationship)));
  }
  if (tokens.length === 0) return;
  throw new SchemaError(message ?? 'Unable to commit transaction, validation failed', tokens, 'invalid', subjects);
}
