/** Packages with a binary: which of the installed ones this Node takes. The one place that picks. */
import { createRequire } from 'node:module';
import { causeOf, thisRuntime, type Runtime } from './cause.js';

export type NativeName = 'better-sqlite3' | 'isolated-vm' | 'uWebSockets.js' | '@node-rs/argon2';

/** A name under which `package.json` installs a package, and the first major version of Node that takes it. */
interface Choice {
  readonly from: number;
  readonly installed: string;
}

/**
 * Newest first. A newer major has binaries for the newer Nodes inside its package, so that nothing is compiled there; the lock file
 * keeps the others from being installed (test/config/native-packages.test.ts).
 */
const CHOICES: Readonly<Record<NativeName, readonly Choice[]>> = {
  'better-sqlite3': [
    { from: 22, installed: 'better-sqlite3-13' },
    { from: 0, installed: 'better-sqlite3-12' },
  ],
  'isolated-vm': [
    { from: 24, installed: 'isolated-vm-7' },
    { from: 22, installed: 'isolated-vm-6' },
    { from: 0, installed: 'isolated-vm-5' },
  ],
  'uWebSockets.js': [{ from: 0, installed: 'uWebSockets.js' }],
  '@node-rs/argon2': [{ from: 0, installed: '@node-rs/argon2' }],
};

/** A package with a binary does not load. The message is one line: which, on what Node and system, why, and what to do. */
export class NativeError extends Error {
  override readonly name = 'NativeError';
}

/** The name that a package is installed under for a version of Node (`24.1.0`). */
export function installedName(name: NativeName, node: string = process.versions.node): string {
  const major = Number.parseInt(node, 10);
  const choice = CHOICES[name].find(({ from }) => major >= from);
  return choice?.installed ?? name;
}

/** Loads a package for this Node, by the `require` of who asks. Throws `NativeError`. */
export function loadNative(
  name: NativeName,
  require: (id: string) => unknown = createRequire(import.meta.url),
  runtime: Runtime = thisRuntime(),
): unknown {
  const installed = installedName(name, runtime.node);
  try {
    return require(installed);
  } catch (error) {
    throw nativeError(name, installed, error, runtime);
  }
}

/** The error that says why a package does not load. `installed`: the name it was looked for under. */
export function nativeError(name: NativeName, installed: string, error: unknown, runtime = thisRuntime()): NativeError {
  const { node, platform, arch } = runtime;
  const where = `Node ${node} (${platform} ${arch})`;
  const text = `the native package ${name} does not load on ${where}: ${causeOf(name, installed, error, runtime)}`;
  return new NativeError(text, { cause: error });
}
