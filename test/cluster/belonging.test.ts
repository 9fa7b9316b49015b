import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { file, uploaded } from '../support/files.js';
import { TestServer } from '../support/server.js';

/** The identity of a Neo4j database, and folders of content that instances share or have alone. */

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});
const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-cluster-files-'));
  folders.push(folder);
  return folder;
};

it('instances share files.path, or have one each, and none starts beside content that is gone or of another database', async () => {
  const first = await TestServer.start();
  folders.push(first.folder);
  await uploaded(first.admin, file('first.txt'));
  // Shared, and of its own: nothing lies there yet.
  const shared = await TestServer.start({
    folder: await newFolder(),
    settings: { 'files.path': join(first.folder, 'files') },
  });
  const own = await TestServer.start({ folder: await newFolder() });
  expect(await shared.end()).toBe(0);
  expect(await own.end()).toBe(0);
  expect(await first.end()).toBe(0);
  // Alone, too: its mark says that it belongs here.
  const again = await TestServer.start({ folder: own.folder });
  expect(await again.end()).toBe(0);
  await rename(join(first.folder, 'files'), join(first.folder, 'elsewhere'));
  const { code, server, lines } = await TestServer.tryStart(first.folder, { folder: first.folder });
  await server?.end();
  expect([code, lines.filter((line) => line.includes(' ERROR '))]).toEqual([
    22,
    [expect.stringMatching(/the database has files with content, and files\.path .* has none/)],
  ]);
  await rename(join(first.folder, 'elsewhere'), join(first.folder, 'files'));
  // Another database.
  await (await TestServer.start()).stop();
  const other = await TestServer.tryStart(first.folder, { folder: first.folder });
  await other.server?.end();
  expect([other.code, other.lines.filter((line) => line.includes(' ERROR '))]).toEqual([
    22,
    [expect.stringMatching(/files\.path .* has the content of another database/)],
  ]);
});
