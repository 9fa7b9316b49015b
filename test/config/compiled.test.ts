import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const COMPILED = new URL('../../bin/compiled.js', import.meta.url).href;
/** In a process of its own: V8 remembers what it has compiled. */
const SCRIPT = `
  import { CompiledFiles } from '${COMPILED}';
  const files = new CompiledFiles();
  console.log(files.run(process.argv[1]).told);
  await files.keep();`;
const run = promisify(execFile);

describe('what V8 has compiled of the server', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
    file = join(folder, 'main.cjs');
    await writeFile(file, "exports.told = require('./other.cjs').tell(1);");
    await writeFile(
      join(folder, 'other.cjs'),
      'exports.tell = (n) => `told ${n}, from ${require("node:path").sep.length}`;',
    );
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const kept = async (): Promise<string[]> => {
    const names = await readdir(join(folder, 'compiled'));
    return names.map((name) => join(folder, 'compiled', name)).sort();
  };
  async function start(): Promise<string> {
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', SCRIPT, file]);
    return stdout.trim();
  }

  it('is kept for the next start, a file for each', async () => {
    expect(await start()).toBe('told 1, from 1');
    const written = await kept();
    expect(written).toHaveLength(2);
    // An old date stays: nothing is written again.
    for (const path of written) await utimes(path, 1, 1);
    expect(await start()).toBe('told 1, from 1');
    expect(await kept()).toEqual(written);
    for (const path of written) expect((await stat(path)).mtimeMs).toBe(1000);
  });

  it('is not taken for another source of the same length', async () => {
    await start();
    await writeFile(file, "exports.told = require('./other.cjs').tell(2);");
    expect(await start()).toBe('told 2, from 1');
  });

  it.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['changed in the middle', (bytes: Buffer) => bytes.fill(0, bytes.length / 2, bytes.length / 2 + 64)],
    ['empty', () => Buffer.alloc(0)],
  ])('is made again where it is %s', async (_, broken) => {
    await start();
    const written = await kept();
    for (const path of written) await writeFile(path, broken(await readFile(path)));
    const bad = await Promise.all(written.map((path) => readFile(path, 'base64')));
    expect(await start()).toBe('told 1, from 1');
    for (const [i, path] of written.entries()) expect(await readFile(path, 'base64')).not.toBe(bad[i]);
    for (const path of written) await utimes(path, 1, 1);
    await start();
    for (const path of written) expect((await stat(path)).mtimeMs).toBe(1000);
  });

  it('leaves nothing behind of a file that failed', async () => {
    await writeFile(file, "exports.ask = () => require('./passing.cjs').answer;");
    await writeFile(
      join(folder, 'passing.cjs'),
      'if (globalThis.failed === undefined) throw new Error((globalThis.failed = "not now")); exports.answer = 42;',
    );
    const code = `
      import { CompiledFiles } from '${COMPILED}';
      const { ask } = new CompiledFiles().run(process.argv[1]);
      try { ask(); } catch (error) { console.log(error.message, ask()); }`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code, file]);
    expect(stdout).toBe('not now 42\n');
  });

  it('is taken of files that require each other', async () => {
    await writeFile(file, "exports.told = 'early'; exports.told = require('./other.cjs').tell(1);");
    await writeFile(
      join(folder, 'other.cjs'),
      "const { told } = require('./main.cjs'); exports.tell = (n) => `${told} ${n}`;",
    );
    expect([await start(), await start()]).toEqual(['early 1', 'early 1']);
  });

  it('does not pile up', async () => {
    await start();
    for (let n = 0; n < 120; n++) await writeFile(join(folder, 'compiled', `${String(n)}.bin`), '');
    for (const path of await kept()) await utimes(path, 1, 1);
    await writeFile(join(folder, 'compiled', 'half.bin.123'), '');
    await utimes(join(folder, 'compiled', 'half.bin.123'), 1, 1);
    await writeFile(file, "exports.told = 'new';");
    expect(await start()).toBe('new');
    const left = await kept();
    expect(left).toHaveLength(100);
    const dates = await Promise.all(left.map(async (path) => (await stat(path)).mtimeMs));
    expect(dates.filter((one) => one > 1000)).toHaveLength(1);
  });

  it('is done without where it cannot be written', async () => {
    await writeFile(join(folder, 'compiled'), 'a file');
    expect(await start()).toBe('told 1, from 1');
    expect((await readdir(folder)).sort()).toEqual(['compiled', 'main.cjs', 'other.cjs']);
  });
});
