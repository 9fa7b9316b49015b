import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Cluster } from '../../src/main/cluster/index.js';
import { Config } from '../../src/main/config/index.js';
import { openSqliteGraph, type Graph } from '../../src/main/graph/index.js';
import { ALLOW_ALL, SchemaService, SYSTEM, type Actor, type WriteOptions } from '../../src/main/schema/index.js';
import { Security } from '../../src/main/security/index.js';

const write: WriteOptions = {
  door: 'rest',
  unknownKeys: 'ignore',
  idPattern: /^/,
  compactIds: true,
  emailPattern: /^/,
};

describe('what was decided about endpoints', () => {
  let folder: string;
  let graph: Graph;
  let security: Security;
  let schemas: SchemaService;
  const actors: Actor[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
    graph = await openSqliteGraph({ path: folder });
    schemas = await SchemaService.start(graph, {
      dateFormat: "yyyy-MM-dd'T'HH:mm:ssZ",
      zonedDateTimeFormat: "yyyy-MM-dd'T'HH:mm:ssZ",
      timeZone: 'UTC',
      encryptionSecret: '',
      lenientJson: false,
    });
    security = await Security.start({ config: Config.of({}), graph, schemas, write: () => write });
    const ids = await schemas.write(SYSTEM, ALLOW_ALL, write, async (objects) => {
      const [user, access] = ['User', 'ResourceAccess'].map((name) => schemas.schema.type(name));
      if (user === undefined || access === undefined) throw new Error('no such type');
      await objects.create(access, { signature: 'User', flags: 1, visibleToAuthenticatedUsers: true });
      return [(await objects.create(user, { name: 'anna' })).id, (await objects.create(user, { name: 'bert' })).id];
    });
    actors.length = 0;
    for (const id of ids) {
      const principal = await security.principals.get(id);
      if (principal !== undefined) actors.push(principal.actor);
    }
  });
  afterEach(async () => {
    await security.keepTidy({ repeat: () => undefined, members: () => Promise.resolve([]) } as unknown as Cluster);
    await security.stop();
    await graph.indexesReady();
    await graph.close();
    await rm(folder, { recursive: true });
  });

  /** Whether it has to be decided anew. */
  const asks = async ({ id }: Actor): Promise<boolean> => {
    const actor = (await security.principals.get(id ?? ''))?.actor;
    if (actor === undefined) throw new Error('no such user');
    const answer = security.resourceAccess.check(actor, 'User', 'GET', '/User');
    await answer;
    return answer !== undefined;
  };

  it('is kept for others when a user changes, as with each wrong password', async () => {
    const [anna, bert] = actors;
    if (anna === undefined || bert === undefined) throw new Error('no users');
    expect([await asks(anna), await asks(bert), await asks(anna), await asks(bert)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    await graph.write((tx) => tx.updateNode(bert.id ?? '', { passwordAttempts: 1 }));
    expect([await asks(anna), await asks(bert), await asks(bert)]).toEqual([false, true, false]);
  });

  it('is not kept when its user changed while it was being decided', async () => {
    const [anna] = actors;
    if (anna === undefined) throw new Error('no user');
    const deciding = security.resourceAccess.check(anna, 'User', 'GET', '/User');
    await graph.write((tx) => tx.updateNode(anna.id ?? '', { passwordAttempts: 1 }));
    await deciding;
    expect([await asks(anna), await asks(anna)]).toEqual([true, false]);
  });
});
