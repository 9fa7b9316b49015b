import { createRequire } from 'node:module';

/** Native packages that nothing goes without; transports have a choice of their own (src/main/http/transport/choose-transport.ts). */
const NEEDED = ['better-sqlite3', 'isolated-vm', '@node-rs/argon2'];

/**
 * Looks for the native packages; answers one line on the first that does not load, or undefined. Costs nothing where the
 * server runs, which loads them anyway; the launcher therefore leaves this to the server's process.
 */
export async function nativeProblem(require = createRequire(import.meta.url)) {
  const { installedName, nativeError } = await import('../dist/src/shared/native/index.js');
  for (const name of NEEDED) {
    const installed = installedName(name);
    try {
      if (name === 'isolated-vm') {
        // Loaded with the first script in JavaScript, which most starts have none of.
        require.resolve(installed);
      } else {
        const library = require(installed);
        // This one opens its binary with the first database only.
        if (name === 'better-sqlite3') new library(':memory:').close();
      }
    } catch (error) {
      return nativeError(name, installed, error).message;
    }
  }
  return undefined;
}
