import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Config } from '../../src/main/config/index.js';
import type { FilesContext } from '../../src/main/files/context.js';
import { mayUploadTo } from '../../src/main/files/upload/new-file.js';
import { openSqliteGraph, type Graph } from '../../src/main/graph/index.js';
import {
  ALLOW_ALL,
  ensureFolders,
  SchemaService,
  SYSTEM,
  type Actor,
  type WriteOptions,
} from '../../src/main/schema/index.js';

const options: WriteOptions = {
  door: 'rest',
  unknownKeys: 'ignore',
  idPattern: /^/,
  compactIds: true,
  emailPattern: /^/,
};

/** Before an upload begins that may come in many parts. */
describe('the folder of an upload is looked at', () => {
  let path: string;
  let graph: Graph;
  let schemas: SchemaService;
  let context: FilesContext;
  let folder: string;
  const user: Actor = { ...SYSTEM, id: '1'.repeat(32), isAdmin: false };

  beforeAll(async () => {
    path = await mkdtemp(join(tmpdir(), 'svc-test-'));
    graph = await openSqliteGraph({ path });
    const format = "yyyy-MM-dd'T'HH:mm:ssZ";
    schemas = await SchemaService.start(graph, {
      dateFormat: format,
      zonedDateTimeFormat: format,
      timeZone: 'UTC',
      encryptionSecret: '',
      lenientJson: false,
    });
    folder = await schemas.write(SYSTEM, ALLOW_ALL, options, async (objects) => {
      const made = await ensureFolders(objects, '/._svc_uploads/there');
      const type = objects.schema.type('File');
      if (made === undefined || type === undefined) throw new Error('no folder, or no type');
      await objects.create(type, { name: 'file', parent: made.id });
      return made.id;
    });
    const refused = (): never => {
      throw new Error('a writer');
    };
    context = {
      config: Config.of({}),
      graph: { read: graph.read.bind(graph), write: refused },
      schemas: { schema: schemas.schema, write: refused },
      write: () => options,
    } as unknown as FilesContext;
  });
  afterAll(async () => {
    await graph.close();
    await rm(path, { recursive: true });
  });

  const look = (fields: Record<string, string>): Promise<void> =>
    mayUploadTo(context, user, ALLOW_ALL, new Map(Object.entries(fields)));

  it('without a writer, for which others would have to wait', async () => {
    await look({});
    await look({ parent: folder });
    await look({ uploadFolderPath: '/._svc_uploads/there' });
  });

  it('and nothing of it is made', async () => {
    await look({ uploadFolderPath: '/._svc_uploads/new/below' });
    const found = await graph.read((tx) => tx.find({ kind: 'nodes', trait: 'Folder', types: ['Folder'] }));
    expect(found.map(({ properties }) => properties['name'])).toEqual(['._svc_uploads', 'there']);
  });

  it('and what it would end with is told', async () => {
    await expect(look({ parent: '2'.repeat(32) })).rejects.toMatchObject({ status: 404 });
    await expect(look({ imageParent: '2'.repeat(32) })).rejects.toMatchObject({ status: 404 });
    await expect(look({ uploadFolderPath: '/elsewhere' })).rejects.toMatchObject({ status: 403 });
    const below = '/._svc_uploads/there';
    await expect(look({ uploadFolderPath: `${below}/file/x` })).rejects.toMatchObject(tokensOf('already_taken'));
    await expect(look({ uploadFolderPath: `${below}${'/x'.repeat(300)}` })).rejects.toMatchObject(tokensOf('too_long'));
    await expect(look({ uploadFolderPath: `${below}/a\0b` })).rejects.toMatchObject(tokensOf('must_match'));
  });
});

function tokensOf(token: string): object {
  return { tokens: [expect.objectContaining({ property: 'path', token })] };
}
