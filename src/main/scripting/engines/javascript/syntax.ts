/** Where a source cannot be read: V8 tells it for compiled scripts, but not for evaluated ones. */
import type ivm from 'isolated-vm';
import type { Position } from '../../language/errors.js';
import { openIsolate } from './isolates/open-isolate.js';

const MEMORY = 32;
/** The isolate ends when it was not needed for this time (ms). */
const IDLE_TIME = 30_000;
/** Longer sources are not read a second time. */
const LONGEST = 1_000_000;

let isolate: ivm.Isolate | undefined;
let end: NodeJS.Timeout | undefined;

export interface SyntaxProblem {
  readonly position: Position;
  readonly reason: string;
}

/** The first syntax error; undefined: the source can be read. */
export async function syntaxErrorIn(source: string): Promise<SyntaxProblem | undefined> {
  if (source.length > LONGEST) return undefined;
  if (isolate === undefined || isolate.isDisposed) isolate = openIsolate(MEMORY);
  clearTimeout(end);
  end = setTimeout(() => {
    if (isolate?.isDisposed === false) isolate.dispose();
    isolate = undefined;
  }, IDLE_TIME).unref();
  try {
    (await isolate.compileScript(source, { filename: 'svc-syntax' })).release();
    return undefined;
  } catch (error) {
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    const [, line, column] = /svc-syntax:(\d+):(\d+)/.exec(`${message} ${stack}`) ?? [];
    if (line === undefined) return undefined;
    return {
      position: { line: Number(line), column: Number(column) },
      reason: message.replace(/ \[svc-syntax:[^\]]*\]$/, ''),
    };
  }
}
