/** `svc graph copy`: arguments, signals, exit codes. The work is in `graph-copy/`. */
import { EXIT, exitCodeOf } from '../exit-codes.js';
import {
  accessOf,
  CopyError,
  type CopyErrorCode,
  copyGraph,
  HELP,
  parseArguments,
  placeOf,
  Progress,
} from '../graph-copy/index.js';

/** One Ctrl-C comes twice under npm; only a later one ends the process at once. */
const SAME_INTERRUPT_MS = 250;

function exitCode(code: CopyErrorCode): number {
  switch (code) {
    case 'usage':
      return EXIT.usage;
    case 'not_empty':
      return EXIT.databaseNotEmpty;
    case 'source_changed':
    case 'differs':
      return EXIT.copyDiffers;
    case 'interrupted':
      return EXIT.interrupted;
    default:
      return exitCodeOf(code);
  }
}

/** Runs the command with the arguments behind its name; the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const controller = new AbortController();
  const stop = stopper(controller);
  // To the end of the process: the echo of a Ctrl-C must not end it in another way.
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const progress = new Progress(process.stderr);
  try {
    const given = parseArguments(args);
    if (given === undefined) {
      process.stdout.write(HELP);
      return EXIT.ok;
    }
    const access = await accessOf(given, process.env);
    const from = placeOf(given.from, '--from', access);
    const to = placeOf(given.to, '--to', access);
    const { resume, overwrite } = given;
    const { signal } = controller;
    const copied = await copyGraph({ from, to, resume, overwrite, reporter: progress, signal });
    process.stdout.write(
      `copied ${String(copied.nodes)} nodes and ${String(copied.relationships)} relationships ` +
        `from ${from.name} to ${to.name}; counts and checksums agree\n`,
    );
    return EXIT.ok;
  } catch (error) {
    progress.end();
    if (!(error instanceof CopyError)) throw error;
    process.stderr.write(`svc graph copy: ${error.message}\n`);
    return exitCode(error.code);
  }
}

function stopper(controller: AbortController): () => void {
  let first: number | undefined;
  return () => {
    const now = performance.now();
    first ??= now;
    controller.abort();
    // What waits for a database that does not answer is not waited for any longer.
    if (now - first > SAME_INTERRUPT_MS) process.exit(EXIT.interrupted);
  };
}
