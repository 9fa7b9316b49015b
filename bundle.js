import { parse } from 'node:path';
import { build } from 'rolldown';
import { COMMANDS } from './bin/commands.js';

/** Packages of plain JavaScript that a start needs; `neo4j-driver` and its own where the data are in Neo4j. */
const INSIDE = new Set([
  'acorn',
  '@fastify/busboy',
  'croner',
  'csv-parse',
  'ipaddr.js',
  'mime-types',
  'mime-db',
  'otpauth',
  're2js',
  'sax',
  'yauzl',
  'pend',
  'neo4j-driver',
  'neo4j-driver-core',
  'neo4j-driver-bolt-connection',
  'rxjs',
]);
const packageOf = (id) => id.split('/', id.startsWith('@') ? 2 : 1).join('/');

/**
 * Makes a few files of what `tsc` has built, the modules of server and commands, and of those packages: Node takes half a second for hundreds
 * of modules. They are CommonJS, because only of scripts Node keeps what V8 has compiled (bin/compiled.js). Other packages stay
 * where they are. The folder is as deep as src/main, as paths to workers count from it (src/shared/worker-path.ts).
 */
await build({
  input: Object.fromEntries(
    ['main.js', 'front-end.js', ...COMMANDS.map(({ module }) => module)].map((file) => [
      parse(file).name,
      `dist/src/main/${file}`,
    ]),
  ),
  platform: 'node',
  checks: { ineffectiveDynamicImport: false },
  // Otherwise most of it goes into other files, so that the first one exports what it says and nothing else.
  preserveEntrySignatures: 'allow-extension',
  external: (id, _, isResolved) => !isResolved && !id.startsWith('.') && !INSIDE.has(packageOf(id)),
  output: {
    dir: 'dist/src/server',
    format: 'cjs',
    // As the modules were.
    strict: true,
    // Node forgets how to import for a script that is not compiled. It can require packages of modules, too.
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
  },
});
