import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Native packages, with the module of each that loads its binary. */
const NATIVE = [
  // The package itself opens its binary with the first database only.
  ['better-sqlite3', 'better-sqlite3/build/Release/better_sqlite3.node'],
  ['uWebSockets.js', 'uWebSockets.js'],
  ['@node-rs/argon2', '@node-rs/argon2'],
];

/**
 * Loads the native packages; answers one line on the first that does not load, or undefined. Costs nothing where the
 * server runs, which loads them anyway; the launcher therefore leaves this to the server's process.
 */
export function nativeProblem(load = require) {
  for (const [name, module] of NATIVE) {
    try {
      load(module);
    } catch (error) {
      return `the native package ${name} does not load on Node ${process.versions.node} (${process.platform} ${process.arch}): ${advice(name, error)}`;
    }
  }
  return undefined;
}

function advice(name, error) {
  const text = allMessages(error);
  if (/GLIBC_|GLIBCXX_/.test(text)) {
    return 'the system libraries are too old for it; use a newer system, or Node 20, whose binary needs the least.';
  }
  if (name === 'uWebSockets.js') {
    return 'it supports the even Node versions from 20 on, on Linux with glibc, macOS and Windows; use one of those, then run `npm ci`.';
  }
  if (/NODE_MODULE_VERSION|Cannot find module|MODULE_NOT_FOUND|ERR_DLOPEN_FAILED|native binding/.test(text)) {
    return 'it was installed for another Node or not built; run `npm ci` with this Node (building needs a C++ compiler, make and Python 3).';
  }
  return `run \`npm ci\`; the reason was: ${text.split('\n', 1)[0]}`;
}

/** The messages and codes of an error and of what caused it. */
function allMessages(error) {
  const texts = [];
  for (let cause = error; cause instanceof Error && texts.length < 20; cause = cause.cause) {
    texts.push(`${cause.message} ${cause.code ?? ''}`);
  }
  return texts.length === 0 ? String(error) : texts.join('\n');
}
