/** Scripts that need no isolate, evaluated where they are met (plain-script.ts). */
import { fromStored } from '../../../language/conversion.js';
import { type ScriptEntity, type ScriptValue } from '../../../language/values.js';
import type { FunctionLibrary } from '../../../run/function/function.js';
import { lookupKeyword } from '../../../run/names/lookup.js';
import type { ScriptContext } from '../../../run/run.js';
import { storedValue } from '../../../../schema/index.js';
import { isConstant } from '../operations.js';
import { plainScript, type PlainScope } from './plain-script.js';
import { fromPlain, leave, toPlain, type Plain } from './plain-values.js';

/** It is left to the engine. */
export const NOT_PLAIN = Symbol('not plain');

/** What `$` has of itself. */
const OWN: ReadonlySet<string> = new Set(['get', 'predicate', '_functions']);

/** The value of a script that is to answer by its last expression, where nothing else in the context of the isolate counts. */
export function plainValue(
  source: string,
  context: ScriptContext,
  library: FunctionLibrary,
): ScriptValue | typeof NOT_PLAIN {
  const script = plainScript(source);
  if (script === undefined) return NOT_PLAIN;
  try {
    return fromPlain(script(new Scope(context, library)));
  } catch {
    // What it fails with the engine tells, with the place where that is.
    return NOT_PLAIN;
  }
}

class Scope implements PlainScope {
  constructor(
    private readonly context: ScriptContext,
    private readonly library: FunctionLibrary,
  ) {}

  constant(name: string): Plain {
    const { context } = this;
    const isThis = name === 'this' && !context.constants.has(name);
    if (!isThis && (OWN.has(name) || !isConstant(name, context, this.library))) leave();
    const value = lookupKeyword(name, context);
    return value instanceof Promise ? leave() : toPlain(value);
  }

  property(of: ScriptEntity, key: string): Plain {
    const { run } = this.context;
    if (key === 'id') return of.id;
    if (key === 'type') return of.type;
    const property = run.entities.property(of, key);
    if (property?.kind !== 'value' || of.asOf !== run.transaction.changes) leave();
    return toPlain(fromStored(property, storedValue(of.entity, property.key), run.transaction.switches.encryptionKey));
  }
}
