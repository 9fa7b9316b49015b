/** A release as people get it: packed, installed without development packages, started by one command. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
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

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-release-'));
  // Packing builds anew, which other tests would feel.
  const sources = join(folder, 'sources');
  await mkdir(sources);
  const { stdout: listed } = await run('git', ['ls-files', '-z'], { cwd: ROOT, maxBuffer: 1 << 26 });
  for (const file of listed.split('\0')) {
    if (/^(?:bin|src|bench|docs)\/|^[^/]+$/.test(file)) await cp(join(ROOT, file), join(sources, file));
  }
  await symlink(join(ROOT, 'node_modules'), join(sources, 'node_modules'));
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: sources });
  const archive = join(folder, stdout.trim().split('\n').at(-1) ?? '');
  const place = join(folder, 'place');
  await mkdir(place);
  await writeFile(join(place, 'package.json'), '{"private":true}');
  await run('npm', ['install', '--no-audit', '--no-fund', archive], { cwd: place, maxBuffer: 1 << 26 });
  const { name } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { name: string };
  installed = join(place, 'node_modules', name);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('holds what is built and nothing of its sources, and the versions that were tested', async () => {
  expect((await readdir(installed)).sort()).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'bin', 'dist', 'npm-shrinkwrap.json', 'package.json']),
  );
  const files = await readdir(installed, { recursive: true });
  const own = files.filter((file) => !file.startsWith('node_modules'));
  expect(own.filter((file) => /\.(?:ts|map|tsbuildinfo)$|^(?:src|test)\//.test(file))).toEqual([]);
});

it('installs no package that only development needs', () => {
  for (const name of ['typescript', 'vitest', 'eslint']) {
    for (const place of [join(installed, 'node_modules'), join(installed, '..')])
      expect(existsSync(join(place, name)), name).toBe(false);
  }
});

it('starts by the command that it installs, and answers', async () => {
  const home = join(folder, 'home');
  await mkdir(home);
  const program = join(installed, '../.bin/svc');
  const server = await launch(home, { program });
  expect(await server.started, server.lines.join('\n')).toBeUndefined();
  const answer = await fetch(`http://127.0.0.1:${String(server.port())}/svc/rest/User`, {
    headers: { 'X-User': 'admin', 'X-Password': 'admin' },
  });
  expect(answer.status).toBe(200);
  expect(await server.end()).toBe(0);
});
