/** What `npm run bench` can be told. */
import { parseArgs } from 'node:util';

export interface Options {
  /** Numbers of the cases to run. */
  readonly only: ReadonlySet<number>;
  /** Length of one measurement. */
  readonly seconds: number;
  /** Measurements of each side of a case; the median counts. */
  readonly rounds: number;
  /** Numbers of objects: of most cases, and of the two ends of the cases about growth. */
  readonly objects: { readonly normal: number; readonly few: number; readonly many: number };
  readonly connections: number;
  /** Name of the result file to keep beside latest.json. */
  readonly save: string | undefined;
  /** Folder of the result files and profiles; undefined: bench/results. */
  readonly results: string | undefined;
  /** Parent of the folder with the databases; its disk is what durable writes are measured on. */
  readonly folder: string | undefined;
  readonly profile: boolean;
  readonly quick: boolean;
}

export const CASES = [1, 2, 3, 4, 5, 6, 7] as const;

const HELP = `Usage: npm run bench -- [options]

  --only 1,3       run only these cases of the table in bench/README.md
  --seconds N      length of one measurement; default: 5
  --rounds N       measurements of each side of a case; default: 3, the median counts
  --quick          few objects, short measurements: shows that it works, its figures say little
  --profile        record CPU profiles of the server in bench/results and print its most expensive functions;
                   slows the server a little, so best with --only
  --save NAME      keep the result as bench/results/NAME.json, to be committed
  --results PATH   folder for results instead of bench/results
  --folder PATH    where the databases go while it runs; default: the folder of temporary files
  --help           print this
`;

/** A mistake in the options; its message is for the user. */
export class OptionError extends Error {}

/** Undefined when all that was asked for is the help, which is printed. */
export function readOptions(args: readonly string[]): Options | undefined {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        seconds: { type: 'string' },
        rounds: { type: 'string' },
        quick: { type: 'boolean', default: false },
        profile: { type: 'boolean', default: false },
        save: { type: 'string' },
        results: { type: 'string' },
        folder: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }));
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : String(error));
  }
  const { quick } = values;
  if (values.help) {
    process.stdout.write(HELP);
    return undefined;
  }
  const only = values.only?.split(',').map(Number) ?? [...CASES];
  const wrong = only.find((n) => !CASES.some((c) => c === n));
  if (wrong !== undefined)
    throw new OptionError(`--only takes numbers from 1 to ${String(CASES.length)}, such as 1,3.`);
  if (values.save !== undefined && !/^[\w.-]+$/.test(values.save)) throw new OptionError('--save takes a plain name.');
  return {
    only: new Set(only),
    seconds: positive('--seconds', values.seconds, quick ? 1 : 5),
    rounds: positive('--rounds', values.rounds, quick ? 1 : 3),
    objects: quick ? { normal: 2000, few: 1000, many: 4000 } : { normal: 100_000, few: 10_000, many: 1_000_000 },
    connections: 64,
    save: values.save,
    results: values.results,
    folder: values.folder,
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
