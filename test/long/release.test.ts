/** A release as people get it: packed, installed without development packages, started by one command. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launch } from '../support/launched.js';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);
let folder: string;
/** The installed package. */
let installed: string;

/** It is for Nodes that need no compiler. */
const isForThisNode = Number.parseInt(process.versions.node, 10) >= 22;

beforeAll(async () => {
  if (!isForThisNode) return;
  folder = await mkdtemp(join(tmpdir(), 'svc-release-'));
  const { stdout } = await run(process.execPath, [join(ROOT, 'release.js'), folder]);
  const archive = stdout.trim();
  const place = join(folder, 'place');
  await mkdir(place);
  await writeFile(join(place, 'package.json'), '{"private":true}');
  await run('npm', ['install', '--no-audit', '--no-fund', archive], { cwd: place, maxBuffer: 1 << 26 });
  const { name } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { name: string };
  installed = join(place, 'node_modules', name);
});
afterAll(async () => {
  if (isForThisNode) await rm(folder, { recursive: true, force: true });
});

it.runIf(isForThisNode)('holds what is built and nothing of its sources', async () => {
  expect((await readdir(installed)).sort()).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'bin', 'dist', 'package.json']),
  );
  const files = await readdir(installed, { recursive: true });
  const own = files.filter((file) => !file.startsWith('node_modules'));
  expect(own.filter((file) => /\.(?:ts|map|tsbuildinfo)$|^(?:src|test)\//.test(file))).toEqual([]);
});

it.runIf(isForThisNode)('installs no package that only development needs', () => {
  for (const name of ['typescript', 'vitest', 'eslint']) {
    expect(existsSync(join(installed, '..', name)), name).toBe(false);
  }
});

it.runIf(isForThisNode)('starts by the command that it installs, and answers', async () => {
  const home = join(folder, 'home');
  await mkdir(home);
  const program = join(installed, '../.bin/svc');
  const server = await launch(home, { program });
  expect(await server.started, server.lines.join('\n')).toBeUndefined();
  const answer = await fetch(`http://127.0.0.1:${String(server.port())}/svc/rest/User`, {
    headers: { 'X-User': 'admin', 'X-Password': 'admin' },
  });
  expect(answer.status).toBe(200);
  // What browsers load is in it, too.
  expect((await fetch(`http://127.0.0.1:${String(server.port())}/svc/js/frontend/frontend.js`)).status).toBe(200);
  expect(await server.end()).toBe(0);
});

const hasDpkg = (process.env['PATH'] ?? '').split(':').some((one) => existsSync(join(one, 'dpkg-deb')));
if (isForThisNode && !hasDpkg) console.warn('skipped: the Debian package; there is no dpkg-deb');

it.runIf(isForThisNode && hasDpkg)('becomes a Debian package with the settings where the contract says', async () => {
  const args = [join(ROOT, 'packaging/debian.js'), join(folder, 'place'), folder];
  const { stdout } = await run(process.execPath, args, { maxBuffer: 1 << 26 });
  const made = stdout.trim();
  expect((await run('dpkg-deb', ['-f', made, 'Package', 'Depends'])).stdout).toContain(
    'Package: svc\nDepends: nodejs (>= 22.12)',
  );
  const root = join(folder, 'root');
  await run('dpkg-deb', ['-x', made, root]);
  const unit = await readFile(join(root, 'lib/systemd/system/svc.service'), 'utf8');
  expect(unit).toContain('ExecStart=/usr/bin/svc start --conf /usr/lib/svc/svc.conf');
  expect(await readFile(join(root, 'usr/bin/svc'), 'utf8')).toContain('/usr/lib/svc/app/bin/svc.js');
  const home = join(root, 'usr/lib/svc');
  const server = await launch(home, { program: join(home, 'app/bin/svc.js') });
  expect(await server.started, server.lines.join('\n')).toBeUndefined();
  expect((await fetch(`http://127.0.0.1:${String(server.port())}/svc/health/live`)).status).toBe(200);
  expect(await server.end()).toBe(0);
});
