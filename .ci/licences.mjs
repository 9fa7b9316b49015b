// Which licences the packages of an installation for production have, by the lock file: node .ci/licences.mjs [LOCK FILE]
// Ends with 1 where one is not on the list below: unknown, or one that asks more of who runs a server (AGPL, SSPL).
import { readFileSync } from 'node:fs';

const PERMITTED = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
  'Zlib',
  'Python-2.0',
  'PSF-2.0',
  'EDL-1.0',
  // libvips, which sharp loads as a library that anybody may exchange.
  'LGPL-3.0-or-later',
]);
/** Packages whose manifest says it in another form, with what their LICENSE file is: looked at by a person. */
const LOOKED_AT = new Map([
  ['uwebsockets', 'Apache-2.0'],
  ['async', 'MIT'],
]);

const lock = JSON.parse(readFileSync(process.argv[2] ?? 'package-lock.json', 'utf8'));
const wrong = [];
const counts = new Map();
for (const [path, { dev, license, name }] of Object.entries(lock.packages)) {
  if (path === '' || dev === true) continue;
  const called = name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const licence = LOOKED_AT.get(called) ?? license ?? 'unknown';
  counts.set(licence, (counts.get(licence) ?? 0) + 1);
  if (!isPermitted(licence)) wrong.push(`${called}: ${licence}`);
}

/** Of alternatives one has to be permitted, of what counts together all. */
function isPermitted(expression) {
  const bare = expression.replace(/[()]/g, '');
  return bare.split(/ OR /i).some((one) => one.split(/ AND /i).every((part) => PERMITTED.has(part.trim())));
}

console.log(
  [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([licence, count]) => `${count} ${licence}`)
    .join(', '),
);
for (const line of wrong) console.error(`licence not permitted: ${line}`);
process.exitCode = wrong.length > 0 ? 1 : 0;
