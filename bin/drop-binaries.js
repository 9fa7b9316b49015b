#!/usr/bin/env node
/**
 * Takes what this machine never loads out of node_modules: binaries for other platforms, of which uWebSockets.js alone brings 250 MB.
 * Run after each installation (`postinstall`), so in images and where a release is installed, too. Nothing that is missing
 * is an error.
 *
 *   node bin/drop-binaries.js [--lean]
 *
 * With --lean, which is for images: also binaries for other versions of Node, what packages were built from, and their source maps and
 * types. Nothing can be built again or compiled there.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Binary interfaces of the Nodes that svc runs on: 20, 22, 24 and 26. Those stay, as Node may be changed behind an installation. */
const ABIS = new Set(['115', '127', '137', '147']);
const { platform, arch } = process;
const isLean = process.argv.includes('--lean');

const isKept = (abi) => abi === process.versions.modules || (!isLean && ABIS.has(abi));

/** By the name a package is installed under: which of its files stay, of those below `folder` that are binaries. */
const BINARIES = {
  'uWebSockets.js': {
    folder: '.',
    stays: (name) => {
      const [, of, on, abi] = /^uws_([a-z0-9]+)_([a-z0-9]+)_(\d+)\.node$/.exec(name) ?? [];
      return of === undefined || (of === platform && on === arch && isKept(abi));
    },
  },
  'isolated-vm-6': { folder: 'prebuilds', stays: (name) => name === `${platform}-${arch}` },
  'isolated-vm-7': { folder: 'prebuilds', stays: (name) => name === `${platform}-${arch}` },
  'better-sqlite3-13': {
    folder: 'prebuilds',
    stays: (name) => name === `${platform}-${arch}.node` || name === `${platform}musl-${arch}.node`,
  },
};

/** What packages were built from, and what only those need who develop them, below their folders. */
const SOURCES = {
  'better-sqlite3-12': [
    'deps',
    'src',
    'build/deps',
    'build/Release/obj',
    'build/Release/obj.target',
    'build/Release/.deps',
    'build/Release/test_extension.node',
  ],
  'better-sqlite3-13': ['deps', 'src'],
  'isolated-vm-5': ['src', 'vendor', 'build'],
  'isolated-vm-6': ['src', 'vendor'],
  'isolated-vm-7': ['src', 'vendor', 'isolated-vm-7.0.1.tgz'],
};

/** Files of all packages that nothing loads: they are for who debugs, or compiles. */
const UNUSED = /\.(?:map|d\.[cm]?ts)$/;

/** The folder of an installed package; undefined: it is not there. */
function folderOf(name) {
  for (const modules of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    const folder = join(modules, name);
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  return undefined;
}

/** Whether the package belongs to this installation alone: others that share it may run on something else. */
function isOurs(folder) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  // In a tree of its own, or installed as a package beside it.
  return folder.startsWith(root) || dirname(folder) === dirname(root);
}

function sizeOf(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

/** Removes; answers how many bytes that were. */
function drop(path) {
  if (!existsSync(path)) return 0;
  const size = sizeOf(path);
  rmSync(path, { recursive: true, force: true });
  return size;
}

let dropped = 0;
for (const [name, { folder, stays }] of Object.entries(BINARIES)) {
  const found = folderOf(name);
  const place = found === undefined || !isOurs(found) ? undefined : join(found, folder);
  if (place === undefined || !existsSync(place)) continue;
  for (const file of readdirSync(place)) if (!stays(file)) dropped += drop(join(place, file));
}
if (isLean) {
  for (const [name, parts] of Object.entries(SOURCES)) {
    const found = folderOf(name);
    if (found !== undefined && isOurs(found)) for (const part of parts) dropped += drop(join(found, part));
  }
  const modules = fileURLToPath(new URL('../node_modules', import.meta.url));
  for (const file of existsSync(modules) ? readdirSync(modules, { recursive: true }) : []) {
    if (UNUSED.test(file)) dropped += drop(join(modules, file));
  }
}
if (dropped > 0) console.log(`${(dropped / 1e6).toFixed(0)} MB that are not loaded here dropped from node_modules`);
