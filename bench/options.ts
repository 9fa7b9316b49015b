/** What `npm run bench` can be told. */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import type { LoadTool } from './children/load-order.js';

export interface Options {
  /** Where the server keeps its data; each has cases of its own. */
  readonly driver: Driver;
  /** Empty the Neo4j database before; without it one that is not empty is refused. */
  readonly wipe: boolean;
  /** Numbers of the cases to run. */
  readonly only: ReadonlySet<number>;
  /** Length of one measurement. */
  readonly seconds: number;
  /** Measurements of each side of a case; the median counts. */
  readonly rounds: number;
  /** Numbers of objects: of most cases, and of the two ends of the cases about growth. */
  readonly objects: { readonly normal: number; readonly few: number; readonly many: number };
  /** Objects of each type in the cases about readers. */
  readonly readerObjects: number;
  /** Objects of each database in the cases about growth, from the smallest to the largest. */
  readonly sizes: readonly number[];
  readonly connections: number;
  /** Name of the result file to keep beside latest.json. */
  readonly save: string | undefined;
  /** Folder of the result files and profiles; undefined: bench/results. */
  readonly results: string | undefined;
  /** Parent of the folder with the databases; its disk is what durable writes are measured on. */
  readonly folder: string | undefined;
  /** Folder in which the databases of the cases about growth stay, and are found by the next run; undefined: they go. */
  readonly keep: string | undefined;
  /** Milliseconds that each sync takes at least, on both sides; undefined: what the disk takes. */
  readonly sync: number | undefined;
  /** What sends the requests of most cases. */
  readonly load: LoadTool;
  readonly profile: boolean;
  readonly quick: boolean;
}

export type Driver = 'embedded' | 'neo4j';

/** Numbers of the cases; those on Neo4j do the same work as those of the same number without. */
export const CASES: Readonly<Record<Driver, readonly number[]>> = {
  embedded: [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    32, 33, 34, 35, 36, 37, 40, 41, 43, 50, 51, 55, 56, 60, 61, 62, 63, 65, 70, 71, 72, 73, 74, 80, 81, 82, 83, 90, 91,
    92, 93, 94,
  ],
  neo4j: [1, 2, 4, 75],
};

const HELP = `Usage: npm run bench -- [options]

  --driver neo4j   measure the server on the Neo4j of NEO4J_URL (NEO4J_USER, NEO4J_PASSWORD) beside neo4j-driver alone;
                   its database "neo4j" must be empty, and is emptied again at the end
  --wipe           delete everything in that database first
  --only 1,3       run only these cases of the table in bench/README.md
  --seconds N      length of one measurement; default: 5
  --rounds N       measurements of each side of a case; default: 3, the median counts
  --objects N      objects of each of the five types of case 25, and of 26; default: 100000
  --sizes A,B      objects of the databases of cases 37 and 70 to 74, from the smallest to the largest; default: 10000,100000; case 75 takes the first
  --quick          few objects, short measurements: shows that it works, its figures say little
  --profile        record CPU profiles of the server in bench/results and print its most expensive functions;
                   slows the server a little, so best with --only
  --save NAME      keep the result as bench/results/NAME.json, to be committed
  --results PATH   folder for results instead of bench/results
  --folder PATH    where the databases go while it runs; default: the folder of temporary files
  --keep PATH      leave the databases of cases 37 and 70 to 74 in this folder, and use those that are there
  --load TOOL      wrk or autocannon; default: wrk where it is installed, as it takes a fifth of the processor; with --quick autocannon
  --sync MS        lets no sync of a file take less than so many milliseconds, on both sides (cc, Linux): this disk's is printed
  --help           print this
`;

/** A mistake in the options; its message is for the user. */
export class OptionError extends Error {}

/** Whether wrk can be started here. */
export function wrkInstalled(): boolean {
  return spawnSync('wrk', ['-v']).error === undefined;
}

/** Undefined when all that was asked for is the help, which is printed. */
export function readOptions(args: readonly string[]): Options | undefined {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        driver: { type: 'string', default: 'embedded' },
        wipe: { type: 'boolean', default: false },
        only: { type: 'string' },
        seconds: { type: 'string' },
        rounds: { type: 'string' },
        objects: { type: 'string' },
        sizes: { type: 'string' },
        quick: { type: 'boolean', default: false },
        profile: { type: 'boolean', default: false },
        save: { type: 'string' },
        results: { type: 'string' },
        folder: { type: 'string' },
        keep: { type: 'string' },
        sync: { type: 'string' },
        load: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }));
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : String(error));
  }
  const { quick, driver } = values;
  // wrk measures in whole seconds.
  const load = values.load ?? (!quick && wrkInstalled() ? 'wrk' : 'autocannon');
  if (values.help) {
    process.stdout.write(HELP);
    return undefined;
  }
  if (driver !== 'embedded' && driver !== 'neo4j') throw new OptionError('--driver takes embedded or neo4j.');
  if (load !== 'autocannon' && load !== 'wrk') throw new OptionError('--load takes autocannon or wrk.');
  if (load === 'wrk' && !wrkInstalled()) {
    throw new OptionError('wrk is not installed; leave --load out, or install its package.');
  }
  if (values.wipe && driver !== 'neo4j') throw new OptionError('--wipe goes with --driver neo4j.');
  if (values.sync !== undefined && driver === 'neo4j')
    throw new OptionError('--sync reaches no Neo4j: it runs elsewhere.');
  const known = CASES[driver];
  const only = values.only?.split(',').map(Number) ?? known;
  if (!only.every((n) => known.includes(n))) {
    throw new OptionError(`--only takes some of the numbers ${known.join(',')}.`);
  }
  if (values.save !== undefined && !/^[\w.-]+$/.test(values.save)) throw new OptionError('--save takes a plain name.');
  return {
    driver,
    wipe: values.wipe,
    only: new Set(only),
    seconds: positive('--seconds', values.seconds, quick ? 1 : 5),
    rounds: positive('--rounds', values.rounds, quick ? 1 : 3),
    objects: quick ? { normal: 2000, few: 1000, many: 4000 } : { normal: 100_000, few: 10_000, many: 1_000_000 },
    readerObjects: Math.ceil(positive('--objects', values.objects, quick ? 2000 : 100_000)),
    sizes: increasing('--sizes', values.sizes, quick ? [1000, 4000] : [10_000, 100_000]),
    connections: 64,
    save: values.save,
    results: values.results,
    folder: values.folder,
    keep: values.keep,
    sync: values.sync === undefined ? undefined : positive('--sync', values.sync, 0),
    load,
    profile: values.profile,
    quick,
  };
}

function positive(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new OptionError(`${name} takes a number above 0.`);
  return value;
}

function increasing(name: string, text: string | undefined, otherwise: readonly number[]): readonly number[] {
  const sizes = text?.split(',').map((one) => positive(name, one, 0)) ?? otherwise;
  if (sizes.length < 2 || !sizes.every((size, i) => Number.isInteger(size) && size > (sizes[i - 1] ?? 0)))
    throw new OptionError(`${name} takes two or more whole numbers, each above the one before.`);
  return sizes;
}
