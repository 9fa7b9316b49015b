/** What a session keeps of the scripts and functions that run in it, and of their questions. */
import { ScriptError } from '../../language/errors.js';
import type { ScriptValue } from '../../language/values.js';
import type { ScriptContext } from '../../run/run.js';
import type { EvaluatedSource } from './source/evaluated.js';
import type { Together } from './together.js';
import type { Wire } from './wire.js';

/** Something that the loop wants to be run. */
export interface Request {
  readonly context: ScriptContext;
  readonly source: EvaluatedSource | undefined;
  /** What the isolate is told, for an epoch. */
  readonly text: (epoch: number) => Wire;
  readonly resolve: (value: ScriptValue) => void;
  readonly reject: (error: Error) => void;
  /** It is several scripts: who waits for them is told there. */
  readonly together?: Together;
}

/** A request that runs. */
interface Activation extends Request {
  /** Questions that were open when it began. */
  readonly frames: number;
}

/** A question of the isolate. */
export interface Frame {
  answer?: { readonly value: Wire } | { readonly error: unknown };
}

/** What runs in a session, each inside of the one before, and the questions that are open. */
export class Activations {
  readonly #running: Activation[] = [];
  readonly frames: Frame[] = [];

  /** `left`: told whenever one has ended. */
  constructor(private readonly left: () => void) {}

  get isEmpty(): boolean {
    return this.#running.length === 0;
  }

  /** Where the one that runs now acts. */
  get context(): ScriptContext | undefined {
    return this.#running.at(-1)?.context;
  }

  get contexts(): ScriptContext[] {
    return this.#running.map(({ context }) => context);
  }

  /** The innermost source that runs. */
  get source(): EvaluatedSource | undefined {
    return this.#running.findLast((one) => one.source !== undefined)?.source;
  }

  /** Of scripts that run together, and nothing inside of them. */
  get together(): Together | undefined {
    return this.#running.length === 1 ? this.#running[0]?.together : undefined;
  }

  /** One that is inside of nothing: what was asked before is nobody's. */
  beginFirst(request: Request): void {
    this.frames.length = 0;
    this.begin(request);
  }

  begin(request: Request): void {
    this.#running.push({ ...request, frames: this.frames.length });
  }

  /** Of scripts that run together another one runs from now on. */
  goOn(source: EvaluatedSource): void {
    const [one] = this.#running;
    if (one !== undefined) this.#running[0] = { ...one, source, context: source.context };
  }

  /** The innermost has ended. */
  settle(how: (one: Request) => void): void {
    const one = this.#running.pop();
    if (one === undefined) return;
    this.left();
    this.frames.length = Math.min(this.frames.length, one.frames);
    how(one);
  }

  /** Functions and scripts that ended without saying so, by an exception at the end of the stack for example. */
  unwind(depth: number): void {
    while (this.#running.length > Math.max(1, depth)) {
      this.settle((one) => one.reject(new ScriptError(422, 'A function of the script ended abruptly.')));
    }
  }

  /** Takes all that run, the innermost first: nobody answers them any more. */
  giveUp(): Request[] {
    return this.#running.splice(0).reverse();
  }
}

/** For what was to run in a session that is none any more. */
export function over(): ScriptError {
  return new ScriptError(422, 'The script that this function belongs to has ended.');
}
