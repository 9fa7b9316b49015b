/** Sources of scripts by number, for positions in messages. */
import { describe, expect, it } from 'vitest';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { START } from '../../../src/main/scripting/language/place.js';
import { Sources } from '../../../src/main/scripting/engines/javascript/failures.js';
import type { EvaluatedSource } from '../../../src/main/scripting/engines/javascript/source/evaluated.js';

describe('sources', () => {
  it('of very many scripts are forgotten, the oldest first', () => {
    const sources = new Sources(3);
    const rest = { context: {} as ScriptContext, source: '', origin: START, offset: 0, shifts: [] };
    const add = (title: string): number => sources.add({ title, ...rest } satisfies EvaluatedSource);
    const numbers = ['a', 'b', 'c', 'd', 'e'].map(add);
    expect(new Set(numbers).size).toBe(5);
    expect(numbers.map((number) => sources.get(number)?.title)).toEqual([undefined, undefined, 'c', 'd', 'e']);
  });
});
