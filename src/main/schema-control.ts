/** What `svc schema` does with the database, by the running server or, where none runs, by itself. */
import type { Config } from './config/index.js';
import type { Control } from './control-socket.js';
import { changeSchema, parseSchema, writeSchema } from './deployment/index.js';
import type { Graph } from './graph/index.js';
import { writeOptions } from './rest/index.js';
import { ALLOW_ALL, SchemaError, SYSTEM, type SchemaService } from './schema/index.js';

export const SCHEMA_EXPORT = 'schema export';
export const SCHEMA_APPLY = 'schema apply';

export interface SchemaDatabase {
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
}

/** What was, or would be, different, and what was left out; a line each. */
export interface SchemaApplied {
  readonly differences: readonly string[];
  readonly warnings: readonly string[];
}

/** The text of the document. */
export async function exportSchema({ graph, schemas }: SchemaDatabase): Promise<string> {
  const { text } = await graph.read((tx) => writeSchema(tx, schemas.schema, 'file'), { snapshot: true });
  return text;
}

/** Makes a document the schema, or tries. Throws `SchemaError`. */
export async function replaceSchema(
  { config, schemas }: SchemaDatabase,
  text: string,
  dryRun: boolean,
): Promise<SchemaApplied> {
  const { model, notices } = await parseSchema(text);
  const write = writeOptions(config, 'command');
  const change = { actor: SYSTEM, access: ALLOW_ALL, write, mode: 'replace', dryRun } as const;
  const { differences, warnings } = await changeSchema(schemas, model, change);
  return { differences, warnings: [...notices, ...warnings] };
}

/** Both for the control socket. */
export function schemaControls(database: SchemaDatabase): Readonly<Record<string, Control>> {
  return {
    [SCHEMA_EXPORT]: () => exportSchema(database),
    [SCHEMA_APPLY]: ({ schema, dryRun }) => {
      if (typeof schema !== 'string') throw new SchemaError('schema must be a text');
      return replaceSchema(database, schema, dryRun === true);
    },
  };
}
