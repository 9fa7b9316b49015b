import { writeFileSync } from 'node:fs';
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
 * Each thread has the source of what it runs in memory, with two bytes a character as soon as there is one beyond Latin-1 in a file: such are written as
 * escapes. One that has a backslash before it means itself.
 */
const latin1 = (code) =>
  code.replaceAll(/(\\*)([\u0100-\uffff])/g, (_, slashes, character) => {
    const before = slashes.length % 2 === 0 ? slashes : slashes.slice(1);
    return `${before}\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

/**
 * Makes a few files of what `tsc` has built, the modules of server and commands, and of those packages: Node takes half a second for hundreds
 * of modules. They are CommonJS, because only of scripts Node keeps what V8 has compiled (bin/compiled.js). Other packages stay
 * where they are. The folder is as deep as src/main, as paths to workers count from it (src/shared/worker-path.ts).
 */
const { output } = await build({
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
// Behind the build, which would write the characters themselves again.
for (const { fileName, code } of output)
  if (code !== undefined) writeFileSync(`dist/src/server/${fileName}`, latin1(code));
