import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Config } from '../../src/main/config/index.js';
import { openSqliteGraph, type Graph, type ReadTransaction } from '../../src/main/graph/index.js';
import { ALLOW_ALL, SchemaService, SYSTEM, type Actor, type WriteOptions } from '../../src/main/schema/index.js';
import { Security } from '../../src/main/security/index.js';
import { setLogSink } from '../../src/shared/log.js';

const write: WriteOptions = {
  door: 'rest',
  unknownKeys: 'ignore',
  idPattern: /^/,
  compactIds: true,
  emailPattern: /^/,
};

/** A graph whose answers can be held back on their way: what was read is older than what is in the database then. */
class Late {
  #held: Promise<void> | undefined;
  #release: () => void = () => undefined;
  #waiting = 0;
  #reached: () => void = () => undefined;

  over(graph: Graph): Graph {
    const read = async <T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T> => {
      const result = await graph.read(work);
      if (this.#held !== undefined) {
        this.#waiting++;
        this.#reached();
        await this.#held;
      }
      return result;
    };
    return new Proxy(graph, {
      get(target, key) {
        if (key === 'read') return read;
        const value = Reflect.get(target, key) as unknown;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  /** Begins something, and changes the database when its first answer is on its way. */
  async during<T>(begin: () => T | Promise<T>, change: () => Promise<unknown>): Promise<T> {
    this.#held = new Promise((resolve) => (this.#release = resolve));
    const reached = new Promise<void>((resolve) => (this.#reached = resolve));
    const begun = Promise.resolve(begin());
    begun.catch(() => undefined);
    await reached;
    await change();
    this.#held = undefined;
    this.#release();
    return begun;
  }
}

describe('what was read before a change and comes after it', () => {
  let folder: string;
  let graph: Graph;
  let schemas: SchemaService;
  let security: Security;
  let late: Late;
  let user: string;
  let group: string;
  let permission: string;
  let sink: ReturnType<typeof setLogSink>;

  const create = (type: string, input: Record<string, unknown>): Promise<string> =>
    schemas.write(SYSTEM, ALLOW_ALL, write, async (objects) => {
      const found = schemas.schema.type(type);
      if (found === undefined) throw new Error(`no type ${type}`);
      return (await objects.create(found, input as never)).id;
    });
  const update = (id: string, input: Record<string, unknown>): Promise<void> =>
    schemas.write(SYSTEM, ALLOW_ALL, write, async (objects) => {
      const node = await objects.tx.node(id);
      if (node !== undefined) await objects.update(node, input as never);
    });
  const remove = (id: string): Promise<void> =>
    schemas.write(SYSTEM, ALLOW_ALL, write, async (objects) => {
      const node = await objects.tx.node(id);
      if (node !== undefined) await objects.delete(node);
    });
  const actor = async (): Promise<Actor> => {
    const principal = await security.principals.get(user);
    if (principal === undefined) throw new Error('the user is gone');
    return principal.actor;
  };
  const may = async (who: Actor): Promise<boolean> => {
    try {
      await security.resourceAccess.check(who, 'Thing', 'GET', '/Thing');
      return true;
    } catch {
      return false;
    }
  };
  const readable = async (who: Actor): Promise<readonly string[]> =>
    (await security.objectAccess.of(who)).rule('read')?.types ?? [];

  beforeEach(async () => {
    sink = setLogSink(() => undefined);
    folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
    const opened = await openSqliteGraph({ path: folder });
    late = new Late();
    graph = late.over(opened);
    schemas = await SchemaService.start(opened, {
      dateFormat: "yyyy-MM-dd'T'HH:mm:ssZ",
      zonedDateTimeFormat: "yyyy-MM-dd'T'HH:mm:ssZ",
      timeZone: 'UTC',
      encryptionSecret: '',
      lenientJson: false,
    });
    security = await Security.start({ config: Config.of({}), graph, schemas, write: () => write });
    user = await create('User', { name: 'anna' });
    group = await create('Group', { name: 'team', members: [user] });
    permission = await create('ResourceAccess', {
      signature: 'Thing',
      flags: 1,
      grantees: [{ id: group, allowed: ['read'] }],
    });
  });
  afterEach(async () => {
    await graph.close();
    await rm(folder, { recursive: true });
    setLogSink(sink);
  });

  it('is no user of later requests', async () => {
    await late.during(actor, () => update(group, { members: [] }));
    expect((await actor()).groups).toEqual([]);
  });

  it('is no permission of later requests', async () => {
    const who = await actor();
    await late.during(
      () => may(who),
      () => update(permission, { flags: 0 }),
    );
    expect(await may(who)).toBe(false);
  });

  it('decides for no one but the request whose user has changed since', async () => {
    const before = await actor();
    await update(group, { members: [] });
    // A request that has waited for its body comes with the user as he was.
    await may(before);
    expect(await may(await actor())).toBe(false);
    await update(group, { members: [user] });
    expect(await may(await actor())).toBe(true);
  });

  it('is no session of later requests', async () => {
    const value = await security.sessions.begin(user);
    const [session] = await graph.read((tx) =>
      tx.find({ kind: 'nodes', trait: 'SessionDataNode', types: ['SessionDataNode'] }),
    );
    await late.during(
      () => security.sessions.actorOf(value),
      () => remove(session?.id ?? ''),
    );
    expect(await security.sessions.actorOf(value)).toBeUndefined();
  });

  it('is no schema grant, not for those who ask while the new ones are read either', async () => {
    const grant = await create('SchemaGrant', { principal: user, staticSchemaNodeName: 'Folder', allowRead: true });
    const who = await actor();
    expect(await readable(who)).toContain('Folder');
    // One asks right after it is gone and has to wait; others ask meanwhile.
    await remove(grant);
    const others = await late.during(
      () => Promise.all([readable(who), readable(who)]),
      () => Promise.resolve(),
    );
    for (const types of [...others, await readable(who)]) expect(types).not.toContain('Folder');
    // Changed again while it is read.
    const second = await create('SchemaGrant', { principal: user, staticSchemaNodeName: 'Folder', allowRead: true });
    await late.during(
      () => readable(who),
      () => remove(second),
    );
    expect(await readable(who)).not.toContain('Folder');
  });
});
