/** Maintenance mode of several instances on one database (docs/interface/operations.md 5.4). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Instance, startInstances } from './instances.js';

const THERE = /maintenance mode: the application answers at http:\/\/127.0.0.1:(\d+)\//;

describe('maintenance mode of two instances', () => {
  let instances: Instance[];
  let close: () => Promise<void>;
  const at = (i: number): Instance => {
    const instance = instances[i];
    if (instance === undefined) throw new Error(`there is no instance ${String(i)}`);
    return instance;
  };
  const status = async (i: number): Promise<number> => (await fetch(at(i).server.url)).status;

  beforeAll(async () => {
    ({ instances, close } = await startInstances(2, { 'maintenance.application.http.port': 0 }));
  });
  afterAll(() => close());

  it('is switched for both by one', async () => {
    expect((await at(0).server.admin.post('/maintenance/maintenanceMode', { action: 'enable' })).status).toBe(200);
    expect(await status(0)).toBe(503);
    await expect.poll(() => status(1)).toBe(503);
  });

  it('ends for both by the other', async () => {
    const [line = ''] = await at(1).server.untilLogged(THERE);
    const url = `http://127.0.0.1:${THERE.exec(line)?.[1] ?? ''}/svc/rest/maintenance/maintenanceMode`;
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'X-User': 'admin', 'X-Password': 'admin', 'Content-Type': 'application/json' },
      body: JSON.stringify({ action: 'disable' }),
    });
    expect(answer.status).toBe(200);
    expect(await status(1)).toBe(200);
    await expect.poll(() => status(0)).toBe(200);
  });
});
