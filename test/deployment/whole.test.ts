/** An application with something in every file of an export: what each of them holds survives (docs/interface/deployment.md 2, 3). */
import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { Deploying, id } from '../support/deploying.js';
import { treeOf, writeTree } from '../support/export-tree.js';
import { endedJob } from '../support/jobs.js';
import type { TestServer } from '../support/server.js';
import { makePrincipals, WHOLE, writeWhole } from '../support/whole-application.js';

let deploying: Deploying;
let server: TestServer;
let admin: Client;

beforeAll(async () => {
  deploying = await Deploying.start();
  ({ server, admin } = deploying);
  await makePrincipals(admin);
});
afterAll(() => deploying.stop());

/** An id that nothing of the application has. */
const two = (digits: string): string => digits.repeat(16);

/** Imports as a job, for its notes. */
async function imported(source: string): Promise<{ readonly status: string; readonly result: { notes: unknown[] } }> {
  const answer = await deploying.deploy({ mode: 'import', source, background: true });
  const { status, result, exception } = await endedJob(admin, answer.body.result[0].jobId as number);
  expect([status, exception]).toEqual(['FINISHED', undefined]);
  return { status, result };
}

describe('an application', () => {
  it('comes in without a warning, goes out, and comes back after all was cleared', async () => {
    const source = deploying.newFolder();
    await writeWhole(source);
    expect((await imported(source)).result.notes).toEqual([]);
    const first = await deploying.exported();
    const kept = Object.entries(WHOLE).filter(([path]) =>
      /^(?:scratchpads|data-|component-c|modules\/(?:process|own))/.test(path),
    );
    expect(kept).toHaveLength(6);
    for (const [path, text] of kept) expect([path, first[path]]).toEqual([path, text]);
    // Every file that came is there again.
    expect(Object.keys(first)).toEqual(expect.arrayContaining(Object.keys(WHOLE)));
    const empty = deploying.newFolder();
    const lists = Object.keys(first).filter((path) => path.endsWith('.json') && !path.startsWith('modules/flows'));
    await writeTree(empty, {
      ...Object.fromEntries(
        lists.map((path) => [
          path,
          path.startsWith('modules/') ? '[]' : /^\s*\{/.test(first[path] ?? '') ? '{}' : '[]',
        ]),
      ),
      'schema/schema.json': { definitions: {}, methods: [] },
      'pages.json': {},
      'modules/flows/flows/.keep': '',
      'deployment.conf': WHOLE['deployment.conf'],
    });
    expect((await imported(empty)).result.notes).toEqual([]);
    await admin.delete('/File');
    await admin.delete('/Folder');
    await admin.delete('/DOMNode');
    const cleared = await deploying.exported();
    expect(cleared['scratchpads.json']).toBe('[]');
    expect(
      Object.keys(cleared).filter((path) => /^(?:modules\/(?!process|api|messaging)|scratchpads\/)/.test(path)),
    ).toEqual([]);
    const again = deploying.newFolder();
    await writeTree(again, first);
    expect((await imported(again)).result.notes).toEqual([]);
    expect(await deploying.exported()).toEqual(first);
  });

  it('has its parts where they belong', async () => {
    const [flow] = (await admin.get('/FlowContainer/all')).body.result as {
      id: string;
      flowPackage: { name: string };
    }[];
    expect(flow).toMatchObject({ name: 'order', flowPackage: { name: 'shop' }, startNode: { type: 'FlowReturn' } });
    expect((await admin.get('/FlowReturn/all')).body.result).toMatchObject([{ result: '1 + 1\n' }]);
    expect((await admin.get('/KafkaClient/all')).body.result).toMatchObject([
      { servers: ['a:1'], subscribers: [{ name: 's' }] },
    ]);
    expect((await admin.get('/VirtualType/all')).body.result).toMatchObject([
      { properties: [{ type: 'VirtualProperty' }] },
    ]);
    expect((await admin.get('/DeployedPart')).body.result_count).toBe(6);
  });

  it('goes out to the group that the setting names', async () => {
    const group = userInfo().gid;
    await server.reload({ 'deploymentservlet.filegroup.name': 'root' });
    const target = deploying.newFolder();
    await deploying.exported(target);
    if (group === 0) {
      const facts = await Promise.all(['', 'pages', 'pages/home.html'].map((path) => stat(join(target, path))));
      expect(facts.map(({ gid, mode }) => [gid, (mode & 0o070).toString(8)])).toEqual([
        [0, '70'],
        [0, '70'],
        [0, '60'],
      ]);
    }
    await server.reload({ 'deploymentservlet.filegroup.name': 'no-such-group' });
    expect(Object.keys(await deploying.exported())).toContain('pages.json');
    await server.untilLogged(/The system knows no group no-such-group/);
    await server.reload({ 'deploymentservlet.filegroup.name': '' });
  });
});

describe('objects in the folder data/ of an application', () => {
  const withData = (data: Readonly<Record<string, unknown>>): Promise<string> => {
    const source = deploying.newFolder();
    const files = Object.fromEntries(Object.entries(data).map(([path, value]) => [`data/${path}`, value]));
    return writeTree(source, { 'schema/schema.json': WHOLE['schema/schema.json'], ...files }).then(() => source);
  };

  it('are imported when the application is there, with its types', async () => {
    await admin.delete('/SchemaNode');
    const source = await withData({
      'nodes/Task.json': [{ id: two('ab'), type: 'Task', name: 'first', owner: { name: 'owner' } }],
      'nodes/Part.json': [{ id: two('cd'), type: 'Part', label: 'wheel' }],
      'relationships/TaskHASPart.json': [{ id: two('ef'), sourceId: two('ab'), targetId: two('cd'), relType: 'HAS' }],
    });
    expect((await imported(source)).result).toMatchObject({ created: 2, relationships: 1 });
    expect((await admin.get('/Task/all')).body.result).toMatchObject([{ name: 'first', parts: [{ id: two('cd') }] }]);
  });

  it('that are wrong are told before anything is changed', async () => {
    const before = await deploying.exported();
    const source = await withData({ 'nodes/Task.json': [{ id: id('1') }] });
    await writeTree(source, { 'localizations.json': [{ id: id('7'), name: 'new' }] });
    const answer = await deploying.deploy({ mode: 'import', source });
    expect([answer.status, answer.body.message]).toEqual([
      422,
      expect.stringContaining('data/nodes/Task.json[0] (line 1).type'),
    ]);
    expect(await deploying.exported()).toEqual(before);
    expect(await treeOf(source)).toHaveProperty(['data/nodes/Task.json']);
  });
});
