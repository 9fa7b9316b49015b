/** The schema of the database as a document, and a document made the schema of the database. */
import { JsonLimitError, JsonSyntaxError, parseJson } from '../../../shared/json/index.js';
import type { ReadTransaction } from '../../graph/index.js';
import {
  SchemaError,
  type Actor,
  type ObjectAccess,
  type ObjectTransaction,
  type Schema,
  type SchemaService,
  type WriteOptions,
} from '../../schema/index.js';
import { PrincipalNames } from '../tree/principal-names.js';
import { applySchema, type ApplyMode } from './apply/apply.js';
import { splitCode, type CodeFiles } from './format/code-files.js';
import { compareSchemas } from './compare.js';
import { readSchema, schemaDocument, type ReadDocument } from './format/document.js';
import { documentText } from './format/document-text.js';
import { loadSchema } from './load.js';
import type { SchemaModel } from './model.js';

/** Nesting of a document; its own is nine. */
const DEEPEST = 32;
/** Elements and members of a document. */
const MOST_VALUES = 2_000_000;

/** `file`: scripts stand in the document; `tree`: in files of their own. */
export type SchemaForm = 'file' | 'tree';

export interface WrittenSchema {
  /** `schema.json`. */
  readonly text: string;
  /** Scripts by their path beside it, without `./`; none with the form `file`. */
  readonly code: CodeFiles;
}

/** The document of what a transaction sees; the same database has the same text. `compiled`: the schema of that state. */
export async function writeSchema(tx: ReadTransaction, compiled: Schema, form: SchemaForm): Promise<WrittenSchema> {
  return textOf(await loadSchema(tx), form, compiled);
}

/** The text of a schema; without `compiled` names that were made up are left out. */
export async function textOf(model: SchemaModel, form: SchemaForm, compiled?: Schema): Promise<WrittenSchema> {
  const document = schemaDocument(model, compiled);
  const code: CodeFiles = form === 'tree' ? splitCode(document) : new Map();
  return { text: await documentText(document), code };
}

/** Reads the text of a document, see `readSchema`. Throws `SchemaError`. */
export async function parseSchema(text: string, code?: CodeFiles): Promise<ReadDocument> {
  try {
    return readSchema(await parseJson(text, { maxDepth: DEEPEST, maxValues: MOST_VALUES, distinctNames: true }), code);
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof JsonLimitError)
      throw new SchemaError(`The schema cannot be read: ${error.message}`);
    throw error;
  }
}

/** Who changes the schema. */
export interface SchemaChange {
  readonly actor: Actor;
  readonly access: ObjectAccess;
  readonly write: WriteOptions;
  readonly mode: ApplyMode;
  /** Checks all, compiles the new schema, and takes it back. */
  readonly dryRun: boolean;
}

export interface SchemaChanged {
  /** What was left out, a line each. */
  readonly warnings: readonly string[];
  /** What was, or would be, different, a line each. */
  readonly differences: readonly string[];
}

/** Makes `wanted` the schema, in one transaction. Throws `SchemaError` with nothing changed. */
export async function changeSchema(
  schemas: SchemaService,
  wanted: SchemaModel,
  { actor, access, write, mode, dryRun }: SchemaChange,
): Promise<SchemaChanged> {
  const work = async (objects: ObjectTransaction): Promise<SchemaChanged> => {
    const before = await loadSchema(objects.tx);
    const principals = new PrincipalNames();
    const notices = await applySchema(objects, wanted, mode, principals);
    const without = (names: Iterable<string>, why: string): string[] =>
      [...names].map((name) => `grants for ${name} are left out, as ${why}`);
    const warnings = [
      ...notices,
      ...without(principals.missing, 'there is no such user or group'),
      ...without(principals.ambiguous, 'several users or groups have this name'),
    ];
    return { warnings, differences: compareSchemas(before, await loadSchema(objects.tx)) };
  };
  if (!dryRun) return schemas.writeLast(actor, access, write, work);
  const opened = schemas.open('now', { quietly: true, write: () => write, actor });
  try {
    const objects = await opened.begin(actor, access);
    const result = await work(objects);
    await objects.finish();
    (await schemas.compileWritten(opened.tx, objects.schema))?.();
    return result;
  } finally {
    await opened.rollBack(undefined);
  }
}
