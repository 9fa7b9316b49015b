/** Scripts as an isolate is handed them, with what they will ask for first: each question costs its thread a wait. */
import type { ScriptContext } from '../../run/run.js';
import type { FunctionLibrary } from '../../run/function/function.js';
import { ScriptEntity, type ScriptValue } from '../../language/values.js';
import { describedSource, type Sources } from './failures.js';
import { isConstant, loadedNow } from './operations.js';
import type { EvaluatedSource } from './source/evaluated.js';
import { isList, type Crossing, type Wire } from './wire.js';

const NAMES_PARAMETERS = /methodParameters|arguments|args/;
/** Characters of a text that goes along though nobody may ask for it. */
const LONGEST_GIVEN = 1000;
const NONE: Wire = [];

/** A script that is to run. */
export interface HandedScript {
  readonly source: EvaluatedSource;
  /** What is evaluated. */
  readonly text: string;
  /** What it imports, as the prelude is told; absent: nothing. */
  readonly modules?: Wire;
  /** Its value is a function, to be called, which is kept with the text. */
  readonly isFunction?: boolean;
}

/** Of one session. */
export class Handing {
  /** Numbers of sources by what is evaluated of them: a function is kept by its text, in which the number is. */
  readonly #numbers = new Map<string, number>();
  /** Versions of types that the isolate has been told of. */
  readonly #told = new Map<string, unknown>();
  /** Epochs that objects were handed over with their values in. */
  readonly #loaded = new Map<ScriptEntity, number>();

  constructor(
    private readonly crossing: Crossing,
    private readonly sources: Sources,
    private readonly library: FunctionLibrary,
  ) {}

  /** One script, for an epoch of the isolate. */
  script(one: HandedScript, epoch: number): Wire {
    const loads: Wire[] = [];
    const script = this.#script(one, epoch, loads);
    return ['s', epoch, ...script, loads];
  }

  /** Several that run one after the other. */
  scripts(list: readonly HandedScript[], epoch: number): Wire {
    const loads: Wire[] = [];
    const scripts = list.map((one) => ['s', epoch, ...this.#script(one, epoch, loads), NONE]);
    return ['b', epoch, scripts, loads];
  }

  #script({ source, text, modules = null, isFunction = false }: HandedScript, epoch: number, loads: Wire[]): Wire[] {
    const number = this.#numberOf(source, text, isFunction);
    // Behind a line end, as a comment may be the last thing of a script.
    const evaluated = `${text}\n//# sourceURL=svc-script-${String(number)}`;
    const described = describedSource(number, source);
    return [evaluated, modules, this.#parameters(source), isFunction, described, this.#given(source, epoch, loads)];
  }

  #numberOf(source: EvaluatedSource, text: string, isFunction: boolean): number {
    if (!isFunction) return this.sources.add(source);
    const { title, origin } = source;
    const key = `${title}\n${String(origin.line)}:${String(origin.column)}\n${text}`;
    const known = this.#numbers.get(key);
    if (known !== undefined && this.sources.get(known) !== undefined) return known;
    const number = this.sources.add(source);
    this.#numbers.set(key, number);
    return number;
  }

  /** Arguments of a method whose source names them. */
  #parameters({ source, context }: EvaluatedSource): Wire {
    if (context.parameters === null || context.constants.size > 0 || !NAMES_PARAMETERS.test(source)) return null;
    return this.#encoded(context.parameters) ?? null;
  }

  /** Undefined: it is too much; who asks for it is told. */
  #encoded(value: ScriptValue): Wire | undefined {
    try {
      return this.crossing.encode(value);
    } catch {
      return undefined;
    }
  }

  /** Constants that the source names; the values of objects among them go to `loads`. */
  #given({ source, context }: EvaluatedSource, epoch: number, loads: Wire[]): Wire {
    if (context.constants.size === 0 || !source.includes('$')) return null;
    const names: Wire[] = [];
    for (const [name, value] of context.constants) {
      if (!source.includes(name) || !mayBeGiven(value) || !isConstant(name, context, this.library)) continue;
      const wire = this.#encoded(value);
      if (wire === undefined || wire === null) continue;
      names.push(name, wire);
      if (value instanceof ScriptEntity && this.#loaded.get(value) !== epoch)
        this.#load(value, wire, context, epoch, loads);
    }
    return names.length === 0 ? null : names;
  }

  #load(one: ScriptEntity, wire: Wire, context: ScriptContext, epoch: number, loads: Wire[]): void {
    const { version } = context.run.schema;
    const [, handle = null] = isList(wire) ? wire : [];
    try {
      const loaded = loadedNow(one, handle, this.#told.get(one.type) === version, context, this.crossing);
      if (loaded === undefined) return;
      loads.push(wire, loaded);
      this.#told.set(one.type, version);
      this.#loaded.set(one, epoch);
    } catch {
      // It is too much at once.
    }
  }
}

/** What is the same whenever it is asked for while a script runs, and is not long; of objects of the graph that is who they are. */
function mayBeGiven(value: ScriptValue): boolean {
  if (typeof value === 'string') return value.length <= LONGEST_GIVEN;
  return value instanceof ScriptEntity || value instanceof Date || (value !== null && typeof value !== 'object');
}
