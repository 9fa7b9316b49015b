/** What went wrong in a script, as its caller is told and as it is logged (scripting.md 8.1, 8.4). */
import { GENERAL_MESSAGE, ScriptError } from '../errors.js';
import type { ScriptContext } from '../context.js';
import type { Limits } from './isolates.js';
import { isList, type Wire } from './wire.js';

/** A script as it was evaluated. */
export interface EvaluatedSource {
  /** `Project.close` */
  readonly name: string;
  readonly context: ScriptContext;
  /** As the user wrote it. */
  readonly source: string;
  /** Characters in front of the first line that are not the user's. */
  readonly offset: number;
}

/** An exception of a script; `number`: what the isolate knows it by. */
export interface ScriptException {
  readonly text: string;
  readonly stack: string;
  readonly isSyntax: boolean;
  readonly number: number | undefined;
  /** Number of the error of the loop it is. */
  readonly hostError: number | undefined;
}

export function readException(wire: Wire | undefined): ScriptException {
  const [text, stack, isSyntax, number, hostError] = isList(wire) ? wire : [];
  return {
    text: typeof text === 'string' ? text : 'an exception that cannot be shown',
    stack: typeof stack === 'string' ? stack : '',
    isSyntax: isSyntax === true,
    number: typeof number === 'number' ? number : undefined,
    hostError: typeof hostError === 'number' ? hostError : undefined,
  };
}

/** What an exception tells; the text is for the log and for scripts that catch it, not for the caller of a method. */
export class ScriptFailure extends ScriptError {
  /** The source that could not be read, until its place is known. */
  unread: EvaluatedSource | undefined;

  constructor(
    /** `TypeError: x is null` */
    readonly detail: string,
    /** `Project[uuid]:Project.close:3:14` */
    public place: string,
  ) {
    super(422, GENERAL_MESSAGE);
  }
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
}

const TOO_DEEP = /^RangeError: Maximum call stack size exceeded/;

/** `sources` by number; `last` is the one that ran when the exception has no position. */
export function failure(
  { text, stack }: ScriptException,
  sources: Sources,
  last: EvaluatedSource | undefined,
): ScriptFailure {
  const detail = TOO_DEEP.test(text) ? 'The script calls itself too deeply.' : text;
  const frame = /svc-script-(\d+):(\d+):(\d+)/.exec(stack.startsWith(text) ? stack.slice(text.length) : stack);
  const source = frame === null ? undefined : sources.get(Number(frame[1]));
  if (frame === null || source === undefined) return new ScriptFailure(detail, last === undefined ? '' : placeOf(last));
  const line = Number(frame[2]);
  return new ScriptFailure(
    detail,
    placeOf(source, { line, column: Number(frame[3]) - (line === 1 ? source.offset : 0) }),
  );
}

export function placeOf(
  { name, context }: EvaluatedSource,
  position?: { readonly line: number; readonly column: number },
): string {
  const owner = context.self === null ? '' : `${context.self.type}[${context.self.id}]:`;
  const where = position === undefined ? '' : `:${String(position.line)}:${String(Math.max(1, position.column))}`;
  return `${owner}${name}${where}`;
}

/** Which limit ended a run. */
export type Limit = 'memory' | 'cpu' | 'total' | 'lost';

export function limitError(limit: Limit, limits: Limits): ScriptError {
  switch (limit) {
    case 'memory':
      return new ScriptError(422, `The script was ended: it needs more than ${String(limits.memory)} MB of memory.`);
    case 'cpu':
      return new ScriptError(422, `The script was ended: it computed for more than ${String(limits.cpu)} ms.`);
    case 'total':
      return new ScriptError(422, `The script was ended: it took more than ${String(limits.total)} ms.`);
    case 'lost':
      return new ScriptError(500, 'The script was ended: its isolate is gone.');
  }
}

export function limitOf(error: unknown): Limit {
  const message = error instanceof Error ? error.message : '';
  if (message.includes('memory limit') || message.includes('out-of-memory')) return 'memory';
  return message.includes('timed out') ? 'cpu' : 'lost';
}
