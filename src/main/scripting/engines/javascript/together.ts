/**
 * Scripts that are handed to an isolate at once and run there one after the other, as each visit costs more than most scripts do. What they come to
 * is taken in their order. Before one of them asks the loop for anything, those before it have been taken, so that it finds the run as
 * they and whatever stands between them have left it.
 */
import type { Awaitable, ScriptValue } from '../../language/values.js';
import type { HandedScript } from './handed.js';
import type { PassedErrors } from './passed-errors.js';
import { isList, WireError, type Crossing, type Wire } from './wire.js';

type Outcome = { readonly wire: Wire } | { readonly value: ScriptValue } | { readonly error: Error };

/** What taking an outcome answers where there is none: the script has not run, and is to run in another visit. */
export const NOT_RUN = Symbol('not run');

export class Together {
  private readonly outcomes: Outcome[] = [];
  private isOver = false;
  /** The one that asked the loop for something; undefined: none has. */
  private alone: number | undefined;
  private waiting: { readonly index: number; readonly go: () => void } | undefined;
  /** Lets the script go on that asks for something, once those before it are taken. */
  private proceed: (() => void) | undefined;
  private reached = -1;
  private isLeft = false;
  /** Nobody can say which of the scripts has ended all of them. */
  isBroken = false;

  /** `giveUp`: ends the isolate, in which one waits for ever. */
  constructor(
    readonly scripts: readonly HandedScript[],
    private readonly crossing: Crossing,
    private readonly errors: PassedErrors,
    private readonly giveUp: () => void,
  ) {}

  /** For whoever runs the first of them, or the one that has asked for something. */
  readonly first = {
    resolve: (value: ScriptValue): void => {
      this.settled({ value });
    },
    reject: (error: Error): void => {
      this.settled({ error });
    },
  };

  /** What a script comes to, in their order; throws, or rejects with, what it fails with. */
  take(index: number): Awaitable<ScriptValue | typeof NOT_RUN> {
    this.reached = index;
    const known = this.outcomes[index];
    if (known !== undefined) return this.resultOf(known, index);
    if (this.isOver) return NOT_RUN;
    const { proceed } = this;
    this.proceed = undefined;
    return new Promise((resolve, reject) => {
      this.waiting = {
        index,
        go: () => {
          try {
            const outcome = this.outcomes[index];
            resolve(outcome === undefined ? NOT_RUN : this.resultOf(outcome, index));
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        },
      };
      proceed?.();
    });
  }

  /** They have an isolate: one of them computes, or waits until those before it are taken. */
  get isRunning(): boolean {
    return !this.isOver;
  }

  /** Nobody takes any more. */
  leave(): void {
    this.isLeft = true;
    if (this.proceed !== undefined) this.giveUp();
  }

  private resultOf(outcome: Outcome, index: number): ScriptValue {
    if ('value' in outcome) return outcome.value;
    if ('error' in outcome) throw outcome.error;
    const [isDone, wire] = isList(outcome.wire) ? outcome.wire : [];
    if (isDone === true) return this.crossing.decode(wire);
    throw this.errors.read(wire, this.scriptAt(index).source, () => undefined);
  }

  private scriptAt(index: number): HandedScript {
    const script = this.scripts[index];
    if (script === undefined) throw new WireError('There are not so many scripts.');
    return script;
  }

  /** The isolate tells of those that have ended before one asks for something; answers that one. `go`: it may go on. */
  parted(wire: Wire | undefined, go: () => void): HandedScript {
    const list = isList(wire) ? wire : [];
    const script = this.scriptAt(list.length);
    if (this.alone !== undefined || this.isOver) throw new WireError('The scripts have been told of before.');
    this.alone = list.length;
    for (const one of list) this.outcomes.push({ wire: one });
    this.wake();
    if (this.reached >= this.alone) go();
    else if (this.isLeft) this.giveUp();
    else this.proceed = go;
    return script;
  }

  /** All that have run. */
  ended(wire: Wire | undefined): void {
    if (this.alone === undefined && isList(wire)) {
      for (const one of wire.slice(0, this.scripts.length)) this.outcomes.push({ wire: one });
    }
    this.over();
  }

  /** The one that runs by itself has ended; of several that nobody has been told of it is the first one. */
  private settled(outcome: { readonly value: ScriptValue } | { readonly error: Error }): void {
    this.outcomes.push(outcome);
    this.over();
  }

  /** The isolate has come to its end. */
  failed(error: Error): void {
    if (this.isOver) return;
    if (this.alone === undefined && this.scripts.length > 1) this.isBroken = true;
    else this.outcomes.push({ error });
    this.over();
  }

  private over(): void {
    this.isOver = true;
    this.proceed = undefined;
    this.wake();
  }

  private wake(): void {
    const { waiting } = this;
    if (waiting === undefined || (!this.isOver && this.outcomes[waiting.index] === undefined)) return;
    this.waiting = undefined;
    waiting.go();
  }
}
