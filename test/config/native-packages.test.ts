import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { causeOf, type Runtime } from '../../src/shared/native/cause.js';
import { installedName, loadNative, NativeError } from '../../src/shared/native/packages.js';

const ROOT = join(import.meta.dirname, '../..');

interface Script {
  packagesFor(node: string): string[];
  missingPackages(require?: NodeJS.Require, runtime?: object): string[];
}
const loadScript = async (): Promise<Script> => (await import(join(ROOT, 'bin/check-packages.js'))) as Script;

describe('which package a Node takes', () => {
  it.each([
    ['20.19.0', 'better-sqlite3-12', 'isolated-vm-5'],
    ['22.12.0', 'better-sqlite3-13', 'isolated-vm-6'],
    ['24.0.0', 'better-sqlite3-13', 'isolated-vm-7'],
    ['26.1.0', 'better-sqlite3-13', 'isolated-vm-7'],
  ])('Node %s: %s and %s', (node, sqlite, isolates) => {
    expect([installedName('better-sqlite3', node), installedName('isolated-vm', node)]).toEqual([sqlite, isolates]);
  });

  it('the lock file installs exactly those: none is compiled for a Node that does not take it', () => {
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { engines?: { node?: string }; optional?: boolean }>;
    };
    const engines = Object.fromEntries(
      ['better-sqlite3-12', 'better-sqlite3-13', 'isolated-vm-5', 'isolated-vm-6', 'isolated-vm-7'].map((name) => {
        const entry = lock.packages[`node_modules/${name}`];
        return [name, entry?.optional === true ? entry.engines?.node : 'not optional'];
      }),
    );
    expect(engines).toEqual({
      'better-sqlite3-12': '20.x',
      'better-sqlite3-13': '>=22',
      'isolated-vm-5': '20.x',
      'isolated-vm-6': '22.x',
      'isolated-vm-7': '>=24',
    });
  });

  it('the lock file says that none is compiled where its package has a binary', () => {
    // npm does not write this line itself; without it, it runs node-gyp for a package that has a binding.gyp, and leaves the package out
    // where there is no compiler.
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { gypfile?: boolean }>;
    };
    expect(lock.packages['node_modules/better-sqlite3-13']?.gypfile).toBe(false);
  });
});

describe('bin/check-packages.js', () => {
  const require = ((): never => {
    throw Object.assign(new Error("Cannot find module 'better-sqlite3-13'"), { code: 'MODULE_NOT_FOUND' });
  }) as unknown as NodeJS.Require;
  require.resolve = ((name: string) => name) as NodeJS.RequireResolve;
  const told = async (env: Record<string, string>): Promise<string> => {
    const { missingPackages } = await loadScript();
    return missingPackages(require, { versions: { node: '24.1.0' }, env }).join('\n');
  };

  it.each(['20.19.0', '22.12.0', '24.0.0', '26.1.0'])('asks for what Node %s takes', async (node) => {
    const { packagesFor } = await loadScript();
    expect(packagesFor(node)).toEqual([installedName('better-sqlite3', node), installedName('isolated-vm', node)]);
  });

  it('says nothing where all is there', async () => {
    expect((await loadScript()).missingPackages()).toEqual([]);
  });

  it('tells what is missing, why, and what to do', async () => {
    expect(await told({})).toMatch(
      /Node 24\.1\.0 needs better-sqlite3-13 and isolated-vm-7; better-sqlite3-13 is not installed/,
    );
    expect(await told({})).toMatch(/could not be fetched[^]*npm ci --foreground-scripts/);
    expect(await told({ npm_config_omit: 'dev optional' })).toMatch(/told to leave out optional packages/);
  });
});

describe('why a package does not load', () => {
  const debian12: Runtime = { node: '24.1.0', abi: '137', platform: 'linux', arch: 'x64', glibc: () => '2.36' };
  const alpine: Runtime = { ...debian12, glibc: () => undefined };
  const newer: Runtime = { ...debian12, node: '26.0.0', abi: '147' };
  const uws = (why: string): string => `This version of uWS.js supports only some\n\nError: ${why}`;

  it.each([
    [
      'glibc is too old',
      debian12,
      uws("/lib/libc.so.6: version `GLIBC_2.34' not found, version `GLIBC_2.38' not found (required by uws.node)"),
      /needs glibc 2\.38, and this system has 2\.36/,
    ],
    ['musl', alpine, uws('Error loading shared library ld-linux-x86-64.so.2: No such file or directory'), /musl/],
    ['no binary for this Node', newer, uws("Cannot find module './uws_linux_x64_147.node'"), /no binary for Node 26/],
    ['the package is missing', debian12, "Cannot find module 'uWebSockets.js'\nRequire stack:\n- /x", /not installed/],
    [
      'another Node',
      debian12,
      'was compiled against a different Node.js version using NODE_MODULE_VERSION 115. This version of Node.js requires NODE_MODULE_VERSION 137.',
      /built for another Node \(NODE_MODULE_VERSION 115, this one has 137\)/,
    ],
    ['anything else', debian12, 'out of luck\nand more', /the reason was: out of luck$/],
  ])('%s', (_, runtime, message, expected) => {
    const cause = causeOf('uWebSockets.js', 'uWebSockets.js', new Error(message), runtime);
    expect(cause).toMatch(expected);
    expect(cause).not.toContain('\n');
  });

  it('is told by the error, with the package, the Node and the system', () => {
    const failing = (): never => {
      throw new Error("Cannot find module './uws_linux_x64_147.node'");
    };
    expect(() => loadNative('uWebSockets.js', failing, newer)).toThrow(NativeError);
    expect(() => loadNative('uWebSockets.js', failing, newer)).toThrow(
      /^the native package uWebSockets\.js does not load on Node 26\.0\.0 \(linux x64\): it has no binary for Node 26/,
    );
  });
});
