/** Scheduled tasks run on one instance of all, and on another when that one dies (docs/interface/operations.md 5.2). */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startInstances, stateAt, type Instance } from './instances.js';

let instances: Instance[];
let close: () => Promise<void>;

beforeAll(async () => {
  ({ instances, close } = await startInstances(2, {
    'cluster.lease.time': 8000,
    'cronservice.tasks': 'tick',
    'tick.cronExpression': '* * * * * *',
  }));
  const [first] = instances as [Instance];
  await first.server.admin.create('SchemaNode', { name: 'Note' });
  await first.server.admin.create('SchemaMethod', { name: 'tick', source: "create('Note')" });
});
afterAll(() => close());

const ran = ({ server }: Instance): number => server.logged(/the task tick ended/).length;

it('by the coordinator alone; another takes over', async () => {
  const [first, second] = instances as [Instance, Instance];
  const { coordinator, members } = await stateAt(second);
  const leads = members.find((one) => one.self)?.name === coordinator ? second : first;
  const other = leads === first ? second : first;
  await leads.server.untilLogged(/the task tick ended/);
  await sleep(2500);
  expect([ran(leads) > 1, ran(other)]).toEqual([true, 0]);
  await leads.server.end('SIGKILL');
  const before = ran(leads);
  await other.server.untilLogged(/the task tick ended/);
  expect(ran(leads)).toBe(before);
  const { body } = await other.server.admin.get('/Note');
  // The one that was killed may have been about to say that its last run had ended.
  const made = (body as { result_count: number }).result_count;
  expect(made - ran(leads) - ran(other)).toBeLessThanOrEqual(1);
});
