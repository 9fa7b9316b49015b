/** Texts of modules are rewritten in time that their length bounds, counted in steps, and do not grow beyond a bound (docs/interface/scripting.md 3.6). */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { freePrefix, LineTable, rewrite } from '../../../src/main/scripting/engines/javascript/source/rewrite.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const joined = (count: number, each: (i: number) => string): string => range(count).map(each).join('\n');

describe('a module that is rewritten', () => {
  it('is gone through once for the lines of its imports', () => {
    const source = joined(1000, (i) => `import { a as a${String(i)} } from '/a';`);
    const find = vi.spyOn(String.prototype, 'indexOf');
    const [imported] = rewrite(source, true).imports;
    expect(find.mock.calls.length).toBeLessThan(10_000);
    expect(imported?.names.get('a')).toBe(1000);
  });

  it('has its lines where they are', () => {
    const source = '\na\nbc\n\n';
    const lines = new LineTable(source);
    const counted = range(source.length + 1).map((at) => source.slice(0, at).split('\n').length);
    expect(range(source.length + 1).map((at) => lines.at(at))).toEqual(counted);
    expect(new LineTable('').at(0)).toBe(1);
  });

  it('is gone through once for a prefix of its own', () => {
    const source = range(2000)
      .map((i) => `_svc${String(i)}`)
      .join('');
    const look = vi.spyOn(String.prototype, 'includes');
    expect(
      freePrefix(
        source +
          range(2000)
            .map((i) => `_svc${String(i)}_`)
            .join(''),
      ),
    ).toBe('_svc2000_');
    expect(look.mock.calls.length).toBe(0);
    expect(freePrefix('_svc0_svc1_ _svc03_ _svc3_')).toBe('_svc2_');
    expect(freePrefix('_svc01_ _svc0')).toBe('_svc0_');
  });

  it('imports at most 200 others, each as often as it likes', () => {
    const source = joined(400, (i) => `export * from '/${String(i % 200)}';`);
    const { imports, stars } = rewrite(source, true);
    expect([imports.length, stars.length]).toEqual([200, 200]);
    expect(() => rewrite(`${source} import '/200';`, true)).toThrow('imports too much: at most 200 modules');
  });

  it('does not become huge by a long name that is used often', () => {
    const source = `import { '${'x'.repeat(10_000)}' as a } from '/a'; ${'a;'.repeat(1000)}`;
    expect(() => rewrite(source, true)).toThrow('imports too much: at most 2097152 characters');
  });
});
