/** A database in a folder of its own whose schema is replaced without a server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { changeSchema, parseSchema, writeSchema, type SchemaChanged } from '../../../src/main/deployment/index.js';
import { openSqliteGraph, type Graph } from '../../../src/main/graph/index.js';
import { ALLOW_ALL, SchemaService, SYSTEM, type WriteOptions } from '../../../src/main/schema/index.js';

const write: WriteOptions = {
  door: 'system',
  unknownKeys: 'reject',
  idPattern: /^/,
  compactIds: true,
  emailPattern: /^/,
};

export interface Options {
  readonly mode?: 'replace' | 'extend';
  readonly dryRun?: boolean;
}

export class SchemaWorld {
  private constructor(
    private readonly path: string,
    readonly graph: Graph,
    readonly schemas: SchemaService,
  ) {}

  static async open(): Promise<SchemaWorld> {
    const path = mkdtempSync(join(tmpdir(), 'svc-schema-document-'));
    const graph = await openSqliteGraph({ path });
    const schemas = await SchemaService.start(graph, {
      dateFormat: "yyyy-MM-dd'T'HH:mm:ssZ",
      zonedDateTimeFormat: "yyyy-MM-dd'T'HH:mm:ssZ",
      timeZone: 'UTC',
      encryptionSecret: 'secret',
      lenientJson: false,
    });
    return new SchemaWorld(path, graph, schemas);
  }

  async close(): Promise<void> {
    await this.graph.indexesReady();
    await this.graph.close();
    rmSync(this.path, { recursive: true, force: true });
  }

  /** Applies a document, or its text. */
  async apply(document: unknown, { mode = 'replace', dryRun = false }: Options = {}): Promise<SchemaChanged> {
    const text = typeof document === 'string' ? document : JSON.stringify(document);
    const { model, notices } = await parseSchema(text);
    const change = { actor: SYSTEM, access: ALLOW_ALL, write, mode, dryRun };
    const { differences, warnings } = await changeSchema(this.schemas, model, change);
    return { differences, warnings: [...notices, ...warnings] };
  }

  clear(): Promise<SchemaChanged> {
    return this.apply({ definitions: {}, methods: [] });
  }

  async text(): Promise<string> {
    return (await this.graph.read((tx) => writeSchema(tx, this.schemas.schema, 'file'))).text;
  }

  /** The document of a schema in a tree. */
  tree(): Promise<{ readonly text: string; readonly code: ReadonlyMap<string, string> }> {
    return this.graph.read((tx) => writeSchema(tx, this.schemas.schema, 'tree'));
  }

  /** One definition as it is written. */
  async definition(name: string): Promise<Record<string, unknown> | undefined> {
    const { definitions } = JSON.parse(await this.text()) as { definitions: Record<string, Record<string, unknown>> };
    return definitions[name];
  }
}
