#!/usr/bin/env node
/**
 * Run behind an installation (`postinstall`): are the packages with a binary there that the running Node takes? They are optional
 * dependencies, of which npm leaves out in silence what it cannot fetch or build; the server would not start. Ends with 1 and the cause.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** As in src/shared/native/packages.ts, which is not built yet (test/config/native-packages.test.ts compares them). */
const CHOICES = {
  'better-sqlite3': [
    [22, 'better-sqlite3-13'],
    [0, 'better-sqlite3-12'],
  ],
  'isolated-vm': [
    [24, 'isolated-vm-7'],
    [22, 'isolated-vm-6'],
    [0, 'isolated-vm-5'],
  ],
};

/** The packages that a Node takes, by the names they are installed under. */
export function packagesFor(node) {
  const major = Number.parseInt(node, 10);
  return Object.values(CHOICES).map((choice) => choice.find(([from]) => major >= from)[1]);
}

/** Lines on the packages that are missing, or whose binary does not load; none: all is well. */
export function missingPackages(require = createRequire(import.meta.url), { versions, env } = process) {
  const { node } = versions;
  const major = Number.parseInt(node, 10);
  const problems = packagesFor(node).flatMap((name) => {
    try {
      // This one takes more than a moment, and flags of Node.
      if (name.startsWith('isolated-vm')) require.resolve(name);
      else new (require(name))(':memory:').close();
      return [];
    } catch (error) {
      const isGone = error.code === 'MODULE_NOT_FOUND' && String(error.message).includes(`'${name}'`);
      return [isGone ? `${name} is not installed` : `${name} does not load (${String(error.message).split('\n')[0]})`];
    }
  });
  if (problems.length === 0) return [];
  return [
    `svc cannot start with what is installed here: Node ${node} needs ${packagesFor(node).join(' and ')}; ${problems.join(', ')}.`,
    ...causes(major, env),
    'Then run the installation again. To see what npm says of them: npm ci --foreground-scripts --loglevel=verbose',
  ];
}

function causes(major, env) {
  if (/\boptional\b/.test(env.npm_config_omit ?? '') || env.npm_config_optional === 'false') {
    return [
      'The cause: npm was told to leave out optional packages (omit=optional), and these are some. Take that setting away.',
    ];
  }
  return [
    'npm leaves out an optional package, without an error, when',
    '- it could not be fetched: the registry or a proxy refuses its archive, or its certificate is unknown here (cafile);',
    '- its installation failed: ' +
      (major < 22
        ? 'on Node 20 it is built here, which needs a C++ compiler, make and Python 3;'
        : 'install scripts are switched off (ignore-scripts), or there is no binary for this system (musl, a rare processor);'),
    '- node_modules was made with another version of Node, or copied from another system.',
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lines = missingPackages();
  if (lines.length > 0) {
    console.error(lines.join('\n'));
    process.exitCode = 1;
  }
}
