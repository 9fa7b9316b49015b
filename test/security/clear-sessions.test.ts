import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Cluster, MemberState } from '../../src/main/cluster/index.js';
import { Config } from '../../src/main/config/index.js';
import { openSqliteGraph, type Graph } from '../../src/main/graph/index.js';
import { SchemaService, type WriteOptions } from '../../src/main/schema/index.js';
import { ensureInitialUser, Security } from '../../src/main/security/index.js';
import { setLogSink } from '../../src/shared/log.js';

const write: WriteOptions = {
  door: 'rest',
  unknownKeys: 'ignore',
  idPattern: /^/,
  compactIds: true,
  emailPattern: /^/,
};

/** The instances on a database: this one, and others that live or have been silent. */
function clusterOf(others: readonly Pick<MemberState, 'name' | 'alive'>[]): Cluster {
  const own = { name: 'one', alive: true, self: true };
  const members = [own, ...others.map((other) => ({ ...other, self: false }))];
  return { repeat: () => undefined, members: () => Promise.resolve(members) } as unknown as Cluster;
}

describe('sessions that end with the start or stop of an instance', () => {
  let folder: string;
  let graph: Graph;
  let schemas: SchemaService;
  let lines: string[];
  let sink: ReturnType<typeof setLogSink>;

  beforeEach(async () => {
    lines = [];
    sink = setLogSink((line) => lines.push(line));
    folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
    graph = await openSqliteGraph({ path: folder });
    const settings = {
      dateFormat: "yyyy-MM-dd'T'HH:mm:ssZ",
      zonedDateTimeFormat: "yyyy-MM-dd'T'HH:mm:ssZ",
      timeZone: 'UTC',
      encryptionSecret: '',
      lenientJson: false,
    };
    schemas = await SchemaService.start(graph, settings);
    await ensureInitialUser(graph, schemas, write, { create: true, name: 'anna', password: 'the-password' });
  });
  afterEach(async () => {
    await graph.close();
    await rm(folder, { recursive: true });
    setLogSink(sink);
  });

  const start = (setting?: string): Promise<Security> =>
    Security.start({
      config: Config.of(setting === undefined ? {} : { [`application.session.clear.${setting}`]: true }),
      graph,
      schemas,
      write: () => write,
    });
  /** Of the one user a session; whether it still holds for another instance. */
  const begin = async (security: Security): Promise<() => Promise<boolean>> => {
    const [user] = await security.principals.find(['name'], 'anna');
    const value = await security.sessions.begin(user?.id ?? '');
    return async () => (await (await start()).sessions.actorOf(value)) !== undefined;
  };

  it.each(['onstartup', 'onshutdown'])('do so where %s says it and no other instance lives', async (setting) => {
    const holds = await begin(await start());
    const security = await start(setting);
    await security.keepTidy(clusterOf([{ name: 'two', alive: false }]));
    expect(await holds()).toBe(setting !== 'onstartup');
    await security.stop();
    expect(await holds()).toBe(false);
    expect(lines.join('')).toContain(`ended 1 sessions: application.session.clear.${setting}`);
  });

  it.each(['onstartup', 'onshutdown'])(
    'go on in spite of %s while another instance lives; the log says why',
    async (setting) => {
      const holds = await begin(await start());
      const security = await start(setting);
      await security.keepTidy(
        clusterOf([
          { name: 'two', alive: true },
          { name: 'three', alive: false },
        ]),
      );
      await security.stop();
      expect(await holds()).toBe(true);
      expect(lines.filter((line) => / WARN .*in spite of .*shared with two$/.test(line.trimEnd()))).toHaveLength(1);
    },
  );

  it('go on where no setting ends them', async () => {
    const security = await start();
    const holds = await begin(security);
    await security.keepTidy(clusterOf([]));
    await security.stop();
    expect(await holds()).toBe(true);
  });
});
