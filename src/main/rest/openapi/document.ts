/** Puts the document together as text, in slices: it may be large, and other requests do not wait for it. */
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import type { Schema } from '../../schema/index.js';
import { RESPONSES, SECURITY, SECURITY_SCHEMES, sharedParameters } from './schemas/components.js';
import { FIXED_SCHEMAS, FIXED_TYPES } from './schemas/envelope-schemas.js';
import { methodPath } from './paths/method-paths.js';
import { viewComponent } from './names.js';
import type { DocumentSettings, PathEntry } from './paths/operation.js';
import { tagsOf, type Selection } from './selection.js';
import { Slices } from './slices.js';
import { maintenancePaths, sessionPaths } from './paths/system-paths.js';
import { typePaths } from './paths/type-paths.js';
import { typeSchemas, viewSchema, type SchemaEntry } from './schemas/type-schemas.js';

/** Characters collected before they become bytes. */
const CHUNK = 65_536;

/** JSON text that grows piece by piece. */
class TextParts {
  private readonly chunks: Buffer[] = [];
  private pending = '';

  add(text: string): void {
    this.pending += text;
    if (this.pending.length >= CHUNK) this.flush();
  }

  /** In pieces: putting a large document together would hold up other requests, as sending it in one would. */
  bytes(): readonly Buffer[] {
    this.flush();
    return this.chunks;
  }

  private flush(): void {
    this.chunks.push(Buffer.from(this.pending));
    this.pending = '';
  }
}

/** The document after `documentHead`: everything that does not depend on the request, up to the last brace. */
export async function documentBody(
  selection: Selection,
  schema: Schema,
  settings: DocumentSettings,
): Promise<readonly Buffer[]> {
  const slices = new Slices();
  const out = new TextParts();
  const components: JsonObject = {
    securitySchemes: SECURITY_SCHEMES,
    responses: RESPONSES,
    parameters: sharedParameters(settings.legacyNames),
  };
  out.add(`"components":${JSON.stringify(components).slice(0, -1)},"schemas":`);
  await writeObject(out, schemaEntries(selection, schema), slices);
  out.add('},"paths":');
  await writeObject(out, pathEntries(selection, schema, settings), slices);
  const tags = tagsOf(selection).map((name) => ({ name }));
  out.add(`,"tags":${JSON.stringify(tags)},"security":${JSON.stringify(SECURITY)}}`);
  return out.bytes();
}

/** The part that depends on the request and the titles: which server, which name. */
export function documentHead(title: string, version: string, serverUrl: string): Buffer {
  const head: JsonObject = { openapi: '3.0.2', info: { title, version }, servers: [{ url: serverUrl }] };
  return Buffer.from(`${JSON.stringify(head).slice(0, -1)},`);
}

/** Of entries with one key the first counts. */
async function writeObject(
  out: TextParts,
  entries: Iterable<readonly [string, JsonValue]>,
  slices: Slices,
): Promise<void> {
  const written = new Set<string>();
  for (const [key, value] of entries) {
    if (!written.has(key)) {
      out.add(`${written.size === 0 ? '{' : ','}${JSON.stringify(key)}:${JSON.stringify(value)}`);
      written.add(key);
    }
    await slices.breathe();
  }
  out.add(written.size === 0 ? '{}' : '}');
}

function* schemaEntries({ types }: Selection, schema: Schema): Generator<SchemaEntry> {
  yield* FIXED_SCHEMAS;
  for (const { type, annotation } of types) yield* typeSchemas(type, annotation.description, schema);
  for (const name of FIXED_TYPES) {
    const type = schema.type(name);
    if (type !== undefined) yield viewSchema(type, 'public', schema);
  }
}

function* pathEntries(
  { tag, types, methods }: Selection,
  schema: Schema,
  settings: DocumentSettings,
): Generator<PathEntry> {
  for (const selected of types) yield* typePaths(selected, schema, settings);
  const components = new Set(types.map((t) => viewComponent(t.type.name, 'public')));
  // Functions come first: they take the place of endpoints that have their name, as in the router (docs/interface/rest.md 1.2).
  for (const method of methods) yield methodPath(method, settings, components);
  yield* sessionPaths();
  if (tag === undefined) yield* maintenancePaths();
}
