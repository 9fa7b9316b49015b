/** Calls of functions for positions and geometries. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { usage } from '../../../src/main/scripting/run/function/function.js';
import { functionNamed } from '../../../src/main/scripting/functions/table.js';
import { textOf } from '../../../src/main/scripting/language/text.js';
import type { ScriptValue } from '../../../src/main/scripting/language/values.js';
import { ScriptWorld } from '../support.js';
import { call } from './support.js';

export interface GeoCalls {
  /** Of the test that runs. */
  context(): ScriptContext;
  made(name: string, ...args: ScriptValue[]): Promise<ScriptValue>;
  /** The text of what a function answers. */
  text(name: string, ...args: ScriptValue[]): Promise<string>;
  /** The message of the error that a call ends with. */
  refused(name: string, ...args: ScriptValue[]): Promise<string>;
  /** Expects a call to answer how the function is used. */
  misused(name: string, ...args: ScriptValue[]): Promise<void>;
}

/** Calls in a context of its own for each test of a file. */
export function geoCalls(): GeoCalls {
  let world: ScriptWorld;
  let current: ScriptContext;
  beforeAll(async () => {
    world = await ScriptWorld.open();
  });
  beforeEach(() => {
    current = world.context();
  });
  afterAll(() => world.close());
  const context = (): ScriptContext => current;
  const made: GeoCalls['made'] = async (name, ...args) => call(context(), name, ...args);
  return {
    context,
    made,
    text: async (name, ...args) => textOf(await made(name, ...args), context()),
    refused: async (name, ...args) => {
      const answer = await made(name, ...args).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(answer, name).toMatchObject({ status: 422 });
      return (answer as Error).message;
    },
    misused: async (name, ...args) => {
      const one = functionNamed(name);
      expect(await made(name, ...args), name).toBe(one === undefined ? '' : usage(one));
    },
  };
}

/** Numbers in WKT, in their order. */
export function numbersIn(wkt: string): number[] {
  return (wkt.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
}

export function place(latitude: number, longitude: number): ScriptValue {
  return new Map([
    ['latitude', latitude],
    ['longitude', longitude],
  ]);
}
