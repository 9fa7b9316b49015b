/** Modules that export and import very much: work and memory are bounded, counted in steps and characters (docs/interface/scripting.md 3.6). */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { Modules } from '../../../src/main/scripting/engines/javascript/modules.js';
import type { Crossing } from '../../../src/main/scripting/engines/javascript/wire.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const joined = (count: number, each: (i: number) => string): string => range(count).map(each).join('\n');

/** Modules by path, as one run has them. */
class Run {
  private readonly modules: Modules;
  private readonly context: ScriptContext;
  sources = 0;

  constructor(sources: Readonly<Record<string, string>>) {
    const files = {
      fileAt: (path: string) => Promise.resolve(path in sources ? { id: path, properties: {} } : undefined),
      contentOf: ({ id }: { readonly id: string }) => {
        const content = Buffer.from(sources[id] ?? '');
        return { size: content.length, read: () => [content] };
      },
    };
    this.context = { title: 'script', run: { parts: { files } } } as unknown as ScriptContext;
    this.modules = new Modules({ addSource: () => this.sources++ } as unknown as Crossing);
  }

  /** Definitions of what is new. */
  async load(...specifiers: readonly string[]): Promise<readonly unknown[]> {
    const imports = specifiers.map((specifier) => ({ specifier, names: new Map<string, number>() }));
    return (await this.modules.load({ imports }, undefined, this.context)).definitions;
  }
}

/** `/all` exports what each of `/0`, `/1`, ... exports, which is what `/base` exports. */
function starred(base: string, count: number): Record<string, string> {
  const sources: Record<string, string> = {
    '/base': base,
    '/all': joined(count, (i) => `export * from '/${String(i)}';`),
  };
  for (const i of range(count)) sources[`/${String(i)}`] = `export * from '/base';`;
  return sources;
}

describe('modules of a run', () => {
  const names = (count: number, prefix = 'a'): string =>
    `const a = 1; export { ${range(count)
      .map((i) => `a as ${prefix}${String(i)}`)
      .join()} };`;

  it('export at most 20000 names together, with those by *', async () => {
    expect(await new Run(starred(names(1000), 18)).load('/all')).toHaveLength(20);
    const run = new Run(starred(names(1000), 19));
    await expect(run.load('/all')).rejects.toMatchObject({
      status: 422,
      message: 'The script imports too much: at most 20000 names that modules export.',
    });
    expect(run.sources).toBe(0);
  });

  it('export at most 20000 names together, though they are loaded one after another', async () => {
    const run = new Run({ '/a': names(12_000), '/b': names(8000), '/c': names(1) });
    expect(await run.load('/a')).toHaveLength(1);
    expect(await run.load('/b')).toHaveLength(1);
    expect(await run.load('/a', '/b')).toHaveLength(0);
    await expect(run.load('/c')).rejects.toThrow('at most 20000 names');
  });

  it('have names that are looked for once, however many import them', async () => {
    const importers = Object.fromEntries(
      range(50).map((i) => [`/i${String(i)}`, "import { a0 } from '/all'; import { a1 } from '/all2';"]),
    );
    const sources = { ...starred(names(10), 50), '/all2': "export * from '/all';", ...importers };
    const run = new Run(sources);
    const look = vi.spyOn(Map.prototype, 'keys');
    await run.load(...Object.keys(importers));
    // Each importer that looks for itself looks into more than a hundred.
    expect(look.mock.calls.length).toBeLessThan(1000);
  });

  it('have definitions of at most 2 MB', async () => {
    const long = `const a = 1; export { a as ${'x'.repeat(100_000)} };`;
    const run = new Run(starred(long, 4));
    const definitions = await run.load('/all');
    expect(JSON.stringify(definitions).length).toBeLessThan(2 * 1024 * 1024);
    const more = new Run(starred(long, 8));
    await expect(more.load('/all')).rejects.toMatchObject({
      status: 422,
      message: 'The script imports too much: at most 2097152 characters.',
    });
    expect(more.sources).toBe(0);
  });

  it('in a circle of * export the names of all', async () => {
    const run = new Run({
      '/a': "export * from '/b'; export const a = 1; export default 1;",
      '/b': "export * from '/a'; export const b = 1;",
      '/c': "import { a, b } from '/a'; import { a as a2, b as b2 } from '/b'; import d from '/a';",
    });
    expect(await run.load('/c')).toHaveLength(3);
  });
});
