/** What went wrong in a script, as its caller is told and as it is logged (docs/interface/script-runtime.md 3.1, 3.4). */
import { ScriptError, ScriptFailure, type Position } from '../../language/errors.js';
import { placed, within, type Place } from '../../language/place.js';
import type { Limits } from './isolates/isolates.js';
import { unshifted } from './source/edits.js';
import type { EvaluatedSource } from './source/evaluated.js';
import { isList, type Wire } from './wire.js';

/** How a source stands in the text that was evaluated. */
export type Setting = Pick<EvaluatedSource, 'title' | 'offset' | 'origin' | 'shifts'>;

/** Where a frame of a script is in the text that was evaluated: number of the source, line, column. */
export type ScriptFrame = readonly [source: number, line: number, column: number];

/** An exception of a script; `number`: what the isolate knows it by. */
export interface ScriptException {
  readonly text: string;
  /** The innermost one; undefined: its stack names no script. */
  readonly frame: ScriptFrame | undefined;
  readonly isSyntax: boolean;
  readonly number: number | undefined;
  /** Number of the error of the loop it is. */
  readonly hostError: number | undefined;
  /** What was thrown is an `Error`, and no text or other object. */
  readonly isError: boolean;
}

export function readException(wire: Wire | undefined): ScriptException {
  const [text, frame, isSyntax, number, hostError, isError] = isList(wire) ? wire : [];
  return {
    text: typeof text === 'string' ? text : 'an exception that cannot be shown',
    frame: readFrame(frame),
    isSyntax: isSyntax === true,
    number: typeof number === 'number' ? number : undefined,
    hostError: typeof hostError === 'number' ? hostError : undefined,
    isError: isError === true,
  };
}

/** Undefined: it is none. */
export function readFrame(wire: Wire | undefined): ScriptFrame | undefined {
  if (!isList(wire)) return undefined;
  const [source, line, column] = wire.map(Number);
  return source === undefined || line === undefined || column === undefined ? undefined : [source, line, column];
}

/** Sources by the numbers that isolates know them by; of very many the oldest are forgotten. */
export class Sources {
  private readonly byNumber = new Map<number, EvaluatedSource>();
  private next = 0;

  constructor(private readonly most = 10_000) {}

  add(source: EvaluatedSource): number {
    if (this.byNumber.size >= this.most)
      for (const oldest of this.byNumber.keys()) {
        this.byNumber.delete(oldest);
        break;
      }
    this.byNumber.set(this.next, source);
    return this.next++;
  }

  get(number: number): EvaluatedSource | undefined {
    return this.byNumber.get(number);
  }

  isTitle(title: string): boolean {
    return [...this.byNumber.values()].some((source) => source.title === title);
  }
}

const TOO_DEEP = /^RangeError: Maximum call stack size exceeded/;

/** The error that an exception is for the loop, without its place. */
export function failure({ text }: Pick<ScriptException, 'text'>): ScriptFailure {
  return new ScriptFailure(TOO_DEEP.test(text) ? 'The script calls itself too deeply.' : text);
}

/** `last`: the source that ran, for what has no frame. */
export function placeAt(
  frame: ScriptFrame | undefined,
  sources: Sources,
  last: EvaluatedSource | undefined,
): Place | undefined {
  const source = frame === undefined ? undefined : sources.get(frame[0]);
  if (frame === undefined || source === undefined) return last === undefined ? undefined : { title: last.title };
  return inSource(source, { line: frame[1], column: frame[2] });
}

/** The innermost place in the text of a stack as scripts see it (`prelude-errors.ts`). */
export function placeInStack(stack: string, sources: Sources): Place | undefined {
  const [, title, line, column] = /^ {4}at (?:[^\n]*? \()?([^\n]+):(\d+):(\d+)\)?$/m.exec(stack) ?? [];
  if (title === undefined || !sources.isTitle(title)) return undefined;
  return { title, position: { line: Number(line), column: Number(column) } };
}

/** Where a script was that has run out of time: V8 tells its innermost ten frames. Undefined: none of them is in a script. */
export function frameInTimeout(error: unknown): ScriptFrame | undefined {
  if (!(error instanceof Error) || !error.message.includes('timed out')) return undefined;
  const [, source, line, column] = /^ {4}at (?:.* \()?svc-script-(\d+):(\d+):(\d+)\)?$/m.exec(error.stack ?? '') ?? [];
  return source === undefined ? undefined : [Number(source), Number(line), Number(column)];
}

/** `position`: in the text that was evaluated. */
export function inSource({ title, offset, origin, shifts }: Setting, { line, column }: Position): Place {
  const own = { line, column: Math.max(1, line === 1 ? column - offset : column) };
  return { title, position: within(unshifted(own, shifts), origin) };
}

/** What the isolate is told of a source, so that the stacks which scripts read name it as the log does. */
export function describedSource(number: number, { title, offset, origin, shifts }: Setting): Wire {
  return [number, title, offset, origin.line, origin.column, shifts.flat()];
}

/** Which limit ended a run. */
export type Limit = 'memory' | 'cpu' | 'total' | 'lost' | 'killed';

/** `frame`: where it was. `seen`: where it was seen last, perhaps a while ago. */
export function limitError(
  limit: Limit,
  limits: Limits,
  {
    frame,
    seen,
    sources,
  }: { readonly frame?: ScriptFrame | undefined; readonly seen?: Place | undefined; sources: Sources },
): ScriptError {
  const place = placeAt(frame, sources, undefined);
  const error = describedLimit(limit, limits, place === undefined && seen !== undefined);
  const known = place ?? seen;
  return known === undefined ? error : placed(error, known);
}

function describedLimit(limit: Limit, limits: Limits, isSeen: boolean): ScriptError {
  switch (limit) {
    case 'memory':
      return new ScriptError(
        422,
        `The script was ended: it needs more than ${String(limits.memory)} MB of memory${isSeen ? ' (the place is where it called a function not long before)' : ''}.`,
      );
    case 'cpu':
      return new ScriptError(422, `The script was ended: it computed for more than ${String(limits.cpu)} ms.`);
    case 'total':
      return new ScriptError(422, `The script was ended: it took more than ${String(limits.total)} ms.`);
    case 'killed':
      return new ScriptError(422, 'The script was ended by an administrator.');
    case 'lost':
      return new ScriptError(500, 'The script was ended: its isolate is gone.');
  }
}

/** Computing belongs to the whole time, which may be the shorter one. */
export function limitOf(error: unknown, { cpu, total }: Pick<Limits, 'cpu' | 'total'>): Limit {
  const message = error instanceof Error ? error.message : '';
  if (message.includes('memory limit') || message.includes('out-of-memory')) return 'memory';
  if (!message.includes('timed out')) return 'lost';
  return total < cpu ? 'total' : 'cpu';
}
