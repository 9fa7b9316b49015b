/** What runs steps of migration, with steps made up here (contract, Startup migration mode; docs/design/migrations.md). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Cluster } from '../../src/main/cluster/index.js';
import type { SettingValues } from '../../src/main/config/index.js';
import {
  CoordinatorError,
  Migrations,
  type MigrationsOptions,
} from '../../src/main/maintenance/migrations/migrations.js';
import { refuseNewer } from '../../src/main/maintenance/migrations/record.js';
import { MigrationError } from '../../src/main/maintenance/migrations/run.js';
import { END, type MigrationStep, type StepWork } from '../../src/main/maintenance/migrations/step.js';
import { ScriptWorld } from '../scripting/support.js';

let world: ScriptWorld;
/** What steps have done, in order. */
let done: string[];
/** What `open` has opened without closing it. */
beforeEach(() => {
  done = [];
});
afterEach(() => world.close());

const folderStep = (name: string, more: Partial<MigrationStep> = {}): MigrationStep => ({
  name,
  version: '0.1.0',
  kind: 'change',
  about: `folder ${name}`,
  async run({ transaction, change }) {
    await transaction(END, async (objects) => {
      const type = objects.schema.type('Folder');
      if (type === undefined) throw new Error('no folders');
      await objects.create(type, { name });
    });
    change(`folder ${name} is made`);
    done.push(name);
  },
  ...more,
});

async function open(
  steps: readonly MigrationStep[],
  settings: Partial<SettingValues> = {},
  cluster: Pick<Cluster, 'isCoordinator'> = { isCoordinator: true },
  options: MigrationsOptions = {},
): Promise<Migrations> {
  world = await ScriptWorld.open(settings);
  return again(steps, cluster, options);
}

/** As after a crash: on the same database. */
function again(
  steps: readonly MigrationStep[],
  cluster: Pick<Cluster, 'isCoordinator'> = { isCoordinator: true },
  options: MigrationsOptions = {},
): Migrations {
  const { config, graph, schemas, write } = world.parts;
  // Steps made up here read no files.
  const parts = { config, graph, schemas, write, cluster } as unknown as ConstructorParameters<typeof Migrations>[0];
  return new Migrations(parts, { steps, ...options });
}

async function folders(): Promise<unknown[]> {
  const types = world.parts.schemas.schema.type('Folder')?.concreteTypes ?? [];
  const nodes = await world.graph.read((tx) => tx.find({ kind: 'nodes', trait: 'Folder', types }));
  return nodes.map(({ properties }) => properties['name']).sort();
}

const report = (name: string): MigrationStep => ({
  ...folderStep(name),
  kind: 'report',
  run({ finding }: StepWork) {
    done.push(name);
    finding('look at this');
    return Promise.resolve();
  },
});

describe('a start', () => {
  it('does what changes something once a database, and reports every time, in the order of the table', async () => {
    const steps = [folderStep('a'), folderStep('b'), report('r')];
    expect(await (await open(steps)).atStart()).toBe(true);
    expect(await again([...steps, folderStep('c')]).atStart()).toBe(true);
    expect(done).toEqual(['a', 'b', 'r', 'r', 'c']);
    expect(await folders()).toEqual(['a', 'b', 'c']);
    const log = world.lines.join('');
    expect(log).toMatch(/a: folder a is made/);
    expect(log).toMatch(/step r \(folder r\): changed 0, 1 to look at/);
  });

  it('with dry-run does each step and takes it back before the next, says what would change, and ends', async () => {
    const steps = [
      folderStep('a'),
      folderStep('b', {
        async run({ transaction, finding }) {
          // Each piece is taken back by itself, and answers.
          const found = await transaction('1', async (objects) => objects.create(folderType(objects), { name: 'b' }));
          finding(`made ${String(found.properties['name'])}`);
          finding(`there are ${JSON.stringify(await folders())}`);
        },
      }),
    ];
    const migrations = await open(steps, { 'application.migration.mode': 'dry-run' });
    expect(await migrations.atStart()).toBe(false);
    expect(await folders()).toEqual([]);
    expect(world.lines.join('')).toMatch(
      /a: would: folder a is made[^]*step a .*would change 1[^]*b: made b[^]*b: there are \[\][^]*nothing was changed; the start ends here/,
    );
    // Nothing is done: it is done again.
    expect((await migrations.run('apply')).map(({ step }) => step)).toEqual(['a', 'b']);
  });

  it.each([
    ['off', { 'application.migration.mode': 'off' as const }],
    ['no MigrationService', { 'configured.services': ['HttpService' as const] }],
    ['no MigrationService, dry-run', { 'configured.services': [], 'application.migration.mode': 'dry-run' as const }],
  ])('with %s runs nothing, and says what is missing', async (_, settings) => {
    const migrations = await open([folderStep('a'), report('r')], settings);
    expect(await migrations.atStart()).toBe(true);
    expect(done).toEqual([]);
    expect(world.lines.join('')).toMatch(/WARN .*served without migrations that it needs: a \(0\.1\.0\)/);
  });

  it('takes back what fails, names it, and begins nothing behind it; a report that fails is only told', async () => {
    const fails = folderStep('b', {
      run: ({ transaction }) =>
        transaction(END, async (objects) => {
          await objects.create(folderType(objects), { name: 'b' });
          throw new Error('no room');
        }),
    });
    const migrations = await open([
      { ...report('r'), run: () => Promise.reject(new Error('cannot read')) },
      folderStep('a'),
      fails,
      folderStep('c'),
    ]);
    await expect(migrations.atStart()).rejects.toThrow(MigrationError);
    await expect(migrations.atStart()).rejects.toThrow(/step b \(folder b\) of version 0\.1\.0 has failed.*: no room/);
    expect(done).toEqual(['a']);
    expect(await folders()).toEqual(['a']);
    expect(world.lines.join('')).toMatch(/WARN .*step r .* has failed; the others go on: cannot read/);
  });

  it('sets off no methods of users', async () => {
    const migrations = await open([folderStep('a')]);
    const used: string[] = [];
    const lifecycle = new Proxy(
      {},
      { get: (_, name) => (): boolean => (used.push(String(name)), true) },
    ) as unknown as typeof world.parts.schemas.lifecycle;
    world.parts.schemas.lifecycle = lifecycle;
    await migrations.atStart();
    expect(await folders()).toEqual(['a']);
    expect(used).toEqual([]);
  });
});

function folderType(
  objects: Parameters<Parameters<StepWork['transaction']>[1]>[0],
): Parameters<typeof objects.create>[0] {
  const type = objects.schema.type('Folder');
  if (type === undefined) throw new Error('no folders');
  return type;
}

describe('a large step', () => {
  /** Ten folders in pieces of two; dies before the piece `dies`. */
  const large = (dies: number): MigrationStep =>
    folderStep('large', {
      async run({ position, transaction }) {
        for (let from = Number(position ?? 0); from < 10; from += 2) {
          if (from === dies) throw new Error('the end');
          done.push(String(from));
          await transaction(from + 2 === 10 ? END : String(from + 2), async (objects) => {
            for (const n of [from, from + 1]) await objects.create(folderType(objects), { name: `f${String(n)}` });
          });
        }
      },
    });

  it('goes on behind its last piece, after steps that are done', async () => {
    const migrations = await open([folderStep('a'), large(4)]);
    await expect(migrations.atStart()).rejects.toThrow('the end');
    expect(
      await again([folderStep('a'), large(8)])
        .atStart()
        .catch(String),
    ).toMatch(/the end/);
    await again([folderStep('a'), large(99)]).atStart();
    expect(done).toEqual(['a', '0', '2', '4', '6', '8']);
    expect((await folders()).length).toBe(11);
    // Nothing is left of the positions.
    expect(await world.graph.journal('migrations', () => []).read(0, 10)).toEqual([]);
  });

  it('whose last piece is committed is done, even if nobody could say so', async () => {
    const migrations = await open([large(99)]);
    const { set } = world.graph.notes;
    // What would tell that it is done.
    world.graph.notes.set = () => Promise.reject(new Error('power cut'));
    await expect(migrations.atStart()).rejects.toThrow('power cut');
    world.graph.notes.set = set;
    done = [];
    await again([large(99)]).atStart();
    expect(done).toEqual([]);
    expect((await folders()).length).toBe(10);
  });

  it('ends when this instance is the coordinator no more, and is not called failed', async () => {
    const cluster = { isCoordinator: true };
    const step = folderStep('long', {
      async run({ checkpoint, transaction }) {
        await transaction('1', (objects) => objects.create(folderType(objects), { name: 'one' }));
        cluster.isCoordinator = false;
        for (;;) await checkpoint(1);
      },
    });
    const migrations = await open([step], {}, cluster, { poll: 1, patience: 20 });
    await expect(migrations.atStart()).rejects.toThrow(CoordinatorError);
    expect(world.lines.join('')).not.toMatch(/has failed/);
  });
});

describe('the version of the data', () => {
  it('is that of the last step that changes something, from before it begins', async () => {
    const fails = folderStep('b', { version: '0.10.0', run: () => Promise.reject(new Error('no room')) });
    const migrations = await open([folderStep('a'), fails, { ...report('r'), version: '9.0.0' }]);
    await expect(migrations.atStart()).rejects.toThrow('no room');
    await expect(refuseNewer(world.graph, [folderStep('a', { version: '0.9.9' })])).rejects.toMatchObject({
      code: 'too_new',
      message:
        'The data of the database have version 0.10.0; this program knows data up to version 0.9.9: start svc 0.10.0 or newer, or restore the backup from before its update.',
    });
    await refuseNewer(world.graph, [fails]);
    await refuseNewer(world.graph, [folderStep('c', { version: '1.0.0' })]);
  });
});

describe('several instances', () => {
  it('wait until the coordinator is done', async () => {
    const first = await open([folderStep('a')]);
    const waits = again([folderStep('a')], { isCoordinator: false }, { poll: 1 }).atStart();
    await expect.poll(() => world.lines.join('')).toMatch(/waiting for the coordinator to migrate the database: a/);
    await first.atStart();
    expect(await waits).toBe(true);
    expect(done).toEqual(['a']);
  });

  it('give up when it never is, and do it themselves when they become the coordinator', async () => {
    const cluster = { isCoordinator: false };
    const migrations = await open([folderStep('a')], {}, cluster, { poll: 1, patience: 30 });
    await expect(migrations.atStart()).rejects.toThrow(/has not migrated the database within 0 s: a \(0\.1\.0\)/);
    const waits = again([folderStep('a')], cluster, { poll: 1 }).atStart();
    cluster.isCoordinator = true;
    expect(await waits).toBe(true);
    expect(done).toEqual(['a']);
  });

  it('end a dry run without a look when another one is the coordinator', async () => {
    const settings = { 'application.migration.mode': 'dry-run' as const };
    expect(await (await open([folderStep('a')], settings, { isCoordinator: false })).atStart()).toBe(false);
    expect(done).toEqual([]);
    expect(world.lines.join('')).toMatch(/nothing was looked at, another instance is the coordinator/);
  });
});
