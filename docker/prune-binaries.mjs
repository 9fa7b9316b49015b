/**
 * Removes the binaries of uWebSockets.js for other platforms and other versions of Node: 250 MB of 257. `node prune-binaries.mjs
 * node_modules`; it keeps that of the Node which runs it, and tells how much is gone.
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(process.argv[2] ?? 'node_modules', 'uWebSockets.js');
const own = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;

let bytes = 0;
const names = readdirSync(folder).filter((name) => /^uws_.*\.node$/.test(name));
for (const name of names) {
  if (name === own) continue;
  const path = join(folder, name);
  bytes += statSync(path).size;
  rmSync(path);
}
const kept = names.includes(own) ? `${own} stays` : `there is none for this Node (${own})`;
process.stdout.write(`removed ${String(Math.round(bytes / 1e6))} MB of uWebSockets.js; ${kept}\n`);
