/** `configured.services`: what does not run without its service, and what runs anyway (contract, Configuration). */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';
import { until, uploaded } from '../support/storage.js';

const LOCAL = 'org.svc.storage.providers.local.LocalFSStorageProvider';
const WITHOUT = 'SchemaService HttpService';

let server: TestServer | undefined;
let roots = '';
afterEach(async () => {
  await server?.end();
  if (server !== undefined) await rm(server.folder, { recursive: true, force: true });
  await rm(roots, { recursive: true, force: true });
  server = undefined;
});

it('StorageSyncService and CronService can be left out; storages still work by way of the tree', async () => {
  roots = await mkdtemp(join(tmpdir(), 'svc-services-'));
  const disk = join(roots, 'a');
  await mkdir(disk);
  await writeFile(join(disk, 'of-others.txt'), 'others');
  const settings = {
    'application.encryption.secret': 'secret of the tests',
    'application.filesystem.mount.roots': roots,
    'application.filesystem.sweep.delay': 1,
    'cronservice.tasks': 'tick',
    'tick.cronExpression': '* * * * * *',
  };
  server = await TestServer.start({ settings: { ...settings, 'configured.services': WITHOUT } });
  const { admin } = server;
  await admin.create('SchemaMethod', { name: 'tick', source: "log('tick')" });
  const parentId = await admin.create('Folder', {
    name: 'a',
    storageConfiguration: { name: 'a', provider: LOCAL, entries: [{ name: 'mountTarget', value: disk }] },
  });
  await uploaded(admin, { parentId }, 'mine.txt', Buffer.from('mine'));
  await until(
    () => readdir(disk),
    (names) => names.includes('mine.txt'),
  );
  expect((await admin.get('/svc/html/a/mine.txt')).text).toBe('mine');
  await sleep(2500);
  expect((await admin.get('/svc/html/a/of-others.txt')).status).toBe(404);
  expect(server.logged(/without a file removed/)).toEqual([]);
  expect(server.logged(/the task tick ended/)).toEqual([]);
  expect(server.logged(/(StorageSync|Cron)Service is not started/)).toHaveLength(2);
  expect(server.logged(/leaves out NodeService: started all the same/)).toHaveLength(1);

  server = await server.restart({ settings });
  await server.untilLogged(/without a file removed/);
  await server.untilLogged(/the task tick ended/);
  await server.untilLogged(/looked through .*: .*1 new/);
  expect((await server.admin.get('/svc/html/a/of-others.txt')).text).toBe('others');
});
