/**
 * Runs ffmpeg and ffprobe: with little priority, in a group of their own, within limits of time, memory and size, with nothing of the server's
 * environment, and ended with the server whatever ends it (docs/design/media.md, Videos).
 */
import { constants } from 'node:os';
import { basename } from 'node:path';
import { logger } from '../../../shared/log.js';
import { runProgram, type ProgramEnd } from '../../../shared/process-groups.js';
import { MediaError } from '../errors.js';

const log = logger('media.video');

/** What is kept of a program's complaints. */
const MOST_COMPLAINTS = 4000;
const LONGEST_REASON = 300;
const KB = 1024;
/** The unit of `ulimit -f`. */
const BLOCK = 512;

/** Limits of a shell hold for the program it becomes. Where a system does not have one of them, the others count. */
const LIMITED = `
ulimit -c 0 2>/dev/null
ulimit -t "$1" 2>/dev/null
ulimit -f "$2" 2>/dev/null
[ "$3" = 0 ] || ulimit -v "$3" 2>/dev/null
shift 3
exec "$@"`;

/** What a program may take. */
export interface ProgramLimits {
  /** Seconds of processors, all threads together. */
  readonly seconds: number;
  /** Bytes of memory; 0: no limit. */
  readonly memory: number;
  /** Bytes of a file that it writes. */
  readonly fileSize: number;
}

export interface ProgramCall {
  /** Path or name. */
  readonly program: string;
  readonly args: readonly string[];
  readonly limits: ProgramLimits;
  readonly signal: AbortSignal;
  /** What is started instead and starts the program itself, with arguments before it; see `Tools`. */
  readonly launcher: readonly string[];
  /** Where names of files that it writes count from. */
  readonly folder?: string | undefined;
}

/**
 * What a program writes, as it comes; whoever stops reading ends it, and reads no faster than he works. Throws `MediaError` 422 with its reason
 * when it fails, 501 when it cannot be started, and the reason of the signal.
 */
export async function* outputOf(call: ProgramCall): AsyncGenerator<Buffer, void, undefined> {
  const { program, args, limits, signal, launcher, folder } = call;
  const numbers = [limits.seconds, limits.fileSize / BLOCK, limits.memory / KB].map((one) => String(Math.ceil(one)));
  const end = yield* runProgram({
    path: '/bin/sh',
    args: ['-c', LIMITED, 'sh', ...numbers, ...launcher, program, ...args],
    env: environment(),
    folder,
    signal,
    complaints: MOST_COMPLAINTS,
    unstarted: (error) => new MediaError(501, 'Programs cannot be started on this server.', { cause: error }),
  });
  if (end.code !== 0) throw failure(call, end);
}

/** The whole of what a program writes. Throws `MediaError` 422 when that is more than `most` bytes, and as `outputOf`. */
export async function collected(call: ProgramCall, most: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of outputOf(call)) {
    size += piece.length;
    if (size > most) throw new MediaError(422, `${basename(call.program)} had more to say than is read.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Where programs are found; nothing else of the server's environment, in which there are secrets. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C' };
}

function failure({ program, args }: ProgramCall, { code, killedBy, complaints }: ProgramEnd): MediaError {
  const name = basename(program);
  const killed = killedBy ?? signalIn(code);
  const reason = reasonIn(complaints, args);
  log.debug(`${name} ended with ${String(killed ?? code)}: ${reason}`);
  if (killed === 'SIGXCPU') return new MediaError(422, `${name} took too long.`);
  if (killed === 'SIGXFSZ') return new MediaError(422, `${name} wrote a file that is larger than files may be.`);
  if (killed !== null) return new MediaError(422, `${name} was ended by ${killed}.`);
  if (isMissing(code, reason)) return new MediaError(501, missing(name));
  return new MediaError(422, reason === '' ? `${name} failed.` : `${name} failed: ${reason}`);
}

/** A program that cannot load its libraries within its memory ends with the same code as one that is not there. */
function isMissing(code: number | null, reason: string): boolean {
  return code === 126 || (code === 127 && /not found|No such file/i.test(reason) && !/shared/.test(reason));
}

/** What a shell or a launcher ends with when its program was ended by a signal. */
function signalIn(code: number | null): NodeJS.Signals | null {
  if (code === null || code <= 128) return null;
  const found = Object.entries(constants.signals).find(([, number]) => number === code - 128);
  return (found?.[0] as NodeJS.Signals | undefined) ?? null;
}

export function missing(name: string): string {
  return `The program ${name} is not installed on this server: videos are kept as they are.`;
}

/** The last complaint, without paths of this machine. */
function reasonIn(complaints: string, args: readonly string[]): string {
  const last =
    complaints
      .trim()
      .split(/[\r\n]+/)
      .at(-1) ?? '';
  const paths = args.filter((arg) => arg.includes('/')).sort((a, b) => b.length - a.length);
  const hidden = paths.reduce((text, path) => text.replaceAll(path, 'the file'), last);
  const plain = hidden.replace(/(?:file:)?(?:\/[^\s:'"]+){2,}/g, 'the file');
  // Texts of files stand in it.
  return plain.replace(/\p{Cc}/gu, ' ').slice(0, LONGEST_REASON);
}
