/**
 * Makes the package of a release from what is built: `npm run release` (it builds before), `node release.js [FOLDER]`. It stands in FOLDER,
 * by default dist/release, as NAME-VERSION.tgz.
 *
 * It is for Nodes whose packages with a binary have it inside: npm does not look into lock files of packages, so on newer Nodes it would
 * build the ones for Node 20. Whoever is bound to that runs a clone.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ONLY_FOR_NODE_20 = ['better-sqlite3-12', 'isolated-vm-5'];
const FILES = ['bin', 'dist/src', 'docs', 'monitoring', 'svc.conf.example', 'README.md', 'CHANGELOG.md', 'LICENSE'];
/** Of those: what a build leaves behind that nothing runs. */
const LEFT_OUT = /\.map$|\/tsbuildinfo$|\/server\/compiled(?:\/|$)/;
const SCRIPTS = ['preinstall', 'postinstall'];

const root = import.meta.dirname;
const target = resolve(process.argv[2] ?? join(root, 'dist/release'));
const staged = join(target, 'package');
rmSync(staged, { recursive: true, force: true });
mkdirSync(staged, { recursive: true });
for (const file of FILES) {
  cpSync(join(root, file), join(staged, file), { recursive: true, filter: (from) => !LEFT_OUT.test(from) });
}
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
for (const name of ['devDependencies', 'private', 'allowScripts', 'scarfSettings']) delete manifest[name];
for (const name of ONLY_FOR_NODE_20) delete manifest.optionalDependencies[name];
manifest.engines = { node: '^22.12 || >=24' };
manifest.scripts = Object.fromEntries(SCRIPTS.map((name) => [name, manifest.scripts[name]]));
writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const packed = execFileSync(npm, ['pack', '--silent', '--pack-destination', target], { cwd: staged, encoding: 'utf8' });
rmSync(staged, { recursive: true });
console.log(join(target, packed.trim().split('\n').at(-1)));
