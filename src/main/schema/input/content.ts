/**
 * Content of files in inputs (`base64Data`, `imageData`; docs/interface/files.md 3.7): stored before the transaction begins, published by
 * it. The files room implements it; this room asks.
 */
import type { JsonObject } from '../../../shared/json.js';
import type { GraphNode, PropertyChanges } from '../../graph/index.js';
import { SchemaError } from '../model/errors.js';
import type { Type } from '../model/schema.js';
import type { ObjectTransaction } from '../objects/transaction.js';

/** Content that is stored and belongs to no object yet. */
export interface PreparedContent {
  /** Id of the object it was stored for; a new object gets it. */
  readonly id: string;
  /** What the object becomes with it. `before`: what it was; absent: it is new. */
  published(before: GraphNode | undefined): PropertyChanges;
}

/** What an input, and the object as it is, say about content. */
export interface ContentFacts {
  readonly name: string | undefined;
  readonly contentType: string | undefined;
  /** Of the object, if it is known. */
  readonly id: string | undefined;
  /** Id of the folder that it will lie in, or of the object that lies there already; undefined: none is named. */
  readonly near: string | undefined;
}

export interface InputContents {
  /** Stores what an input says; returns what stands for it in the input. Throws `SchemaError` for what is no content. */
  store(text: string, facts: ContentFacts): Promise<string>;
  /** What was stored under this name. */
  get(name: string): PreparedContent | undefined;
}

/** The content that an input brings; prepared ones only: nothing is stored while writers wait. Throws `SchemaError`. */
export function contentIn(
  input: JsonObject,
  type: Type,
  contents: Pick<InputContents, 'get'> | undefined,
): PreparedContent | undefined {
  if (!type.hasTrait('File')) return undefined;
  let found: PreparedContent | undefined;
  for (const key of Object.keys(input)) {
    const property = type.properties.get(key);
    const value = input[key];
    if (property?.kind !== 'computed' || property.isContent !== true || value === null) continue;
    found = typeof value === 'string' ? contents?.get(value) : undefined;
    if (found !== undefined) continue;
    throw new SchemaError(`Property ${key} takes content as base64 or as a data URI.`, [
      { type: type.name, property: key, token: 'must_be_of_type', detail: 'base64' },
    ]);
  }
  return found;
}

/** Throws `SchemaError` (forbidden) for who may not write what is evaluated with the rights of whoever reads it (`isTemplate`). */
export function mayReplaceContent({ actor }: ObjectTransaction, file: GraphNode): void {
  if (actor.isAdmin || file.properties['isTemplate'] !== true) return;
  throw new SchemaError('Only administrators may write to files whose content is evaluated.', [], 'forbidden');
}
