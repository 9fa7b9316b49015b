/** Functions of scripts that are kept callable when their script has ended. */
import { afterAll, describe, expect, it } from 'vitest';
import { ScriptCallable } from '../../../src/main/scripting/language/values.js';
import { world } from './support.js';

const one = world();
afterAll(() => one.js.close());

describe('a function', () => {
  it('can be called until the last who holds it lets go', async () => {
    const releases = [one.js.hold(one.context), one.js.hold(one.context)];
    const made = await one.run('() => 7');
    if (!(made instanceof ScriptCallable)) throw new Error('no function');
    releases[0]?.();
    expect(await made.call([])).toBe(7n);
    releases[1]?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await expect(made.call([])).rejects.toThrow('has ended');
  });
});
