/** `npm run bench`: measures the built server beside baselines of the same run. See bench/README.md. */
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cases } from './cases/index.js';
import { neo4jCases } from './cases/neo4j.js';
import { Context } from './context.js';
import { slowSyncs, syncTime } from './disk.js';
import { emptyDatabase, neo4jSettings, requireEmpty } from './neo4j.js';
import { OptionError, readOptions, type Options } from './options.js';
import { summarizeFolder } from './profile.js';
import { table, writeResults } from './report.js';
import type { Result } from './result.js';

// Beside the source, wherever the compiled file is.
const RESULTS = fileURLToPath(new URL('../../bench/results', import.meta.url));

const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

async function run(options: Options): Promise<void> {
  const folder = await mkdtemp(join(options.folder ?? tmpdir(), 'svc-bench-'));
  const resultFolder = options.results ?? RESULTS;
  const profileFolder = join(resultFolder, 'profiles', new Date().toISOString().replaceAll(/[:.]/g, '-'));
  const onNeo4j = options.driver === 'neo4j';
  const context = new Context(options, folder, profileFolder, onNeo4j ? neo4jSettings() : {}, say);
  const results: Result[] = [];
  process.once('SIGINT', () => {
    // The servers and children of the terminal's process group get the signal as well; gigabytes are not to stay behind.
    rmSync(folder, { recursive: true, force: true });
    process.exit(130);
  });
  let mine = false;
  let paths: readonly string[] = [];
  try {
    let synced = await syncTime(folder);
    say(`a sync of this disk takes ${synced.toFixed(2)} ms`);
    if (options.sync !== undefined) {
      synced = await slowSyncs(folder, options.sync);
      say(`in this run it takes ${synced.toFixed(2)} ms, on both sides`);
    }
    if (onNeo4j) {
      if (options.wipe) await emptyDatabase();
      await requireEmpty();
      mine = true;
    }
    for (const { number, run: runCase } of onNeo4j ? neo4jCases : cases) {
      if (!options.only.has(number)) continue;
      say(`case ${String(number)} ...`);
      const found = await runCase(context);
      if (found.length === 0) continue;
      results.push(...found);
      results.sort((a, b) => a.case - b.case);
      // At once, and all that there is so far: a run may be ended before its last case.
      if (options.only.size > 1) console.log(`${table(found)}\n`);
      paths = await writeResults(resultFolder, options, results, synced);
    }
    console.log(table(results));
    for (const path of paths) say(`written: ${path}`);
  } finally {
    // A profile is written when its server ends.
    await context.stopAll();
    if (mine) await emptyDatabase();
    await rm(folder, { recursive: true, force: true });
  }
  if (options.profile) console.log(`\n${profileFolder}\n${await summarizeFolder(profileFolder)}`);
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options !== undefined) await run(options);
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  say(`bench: ${error.message}`);
  process.exitCode = 2;
}
