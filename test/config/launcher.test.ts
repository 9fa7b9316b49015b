import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Linter } from 'eslint';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installedName } from '../../src/shared/native/packages.js';

const ROOT = join(import.meta.dirname, '../..');
/** A copy of the launcher whose server only tells what it was given. */
let home: string;

const SERVER = `
let signals = 0;
process.on('SIGHUP', () => console.log('SIGHUP'));
const alive = setInterval(() => {}, 1000);
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => {
  signals++;
  console.log(signal);
  if (process.env.MODE === 'twice' && signals < 2) return;
  clearInterval(alive);
  process.exitCode = 40 + signals;
});
console.log(JSON.stringify({ argv: process.argv.slice(1), flags: process.execArgv, tz: process.env.TZ, }));
if (process.env.MODE === 'code') process.exit(13);
if (process.env.MODE === 'throw') throw new Error('from the server');
if (process.env.MODE === 'crash') process.kill(process.pid, 'SIGKILL');
if (process.env.MODE === 'later') setTimeout(() => {
  console.error('something broke');
  process.abort();
}, 200);
if (process.env.MODE === 'later-code') setTimeout(() => process.exit(13), 200);
`;

/** Translates the modules that the launcher reads; the build as a whole may be older than they are. */
function build(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory()) build(join(from, entry.name), join(to, entry.name));
    else translate(join(from, entry.name), join(to, entry.name.replace(/\.ts$/, '.js')));
  }
}

function translate(from: string, to: string): void {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
  };
  writeFileSync(to, ts.transpileModule(readFileSync(from, 'utf8'), { compilerOptions }).outputText);
}

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-launcher-'));
  cpSync(join(ROOT, 'bin'), join(home, 'bin'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(home, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'));
  build(join(ROOT, 'src/main/config'), join(home, 'dist/src/main/config'));
  build(join(ROOT, 'src/shared/native'), join(home, 'dist/src/shared/native'));
  translate(join(ROOT, 'src/main/exit-codes.ts'), join(home, 'dist/src/main/exit-codes.js'));
  mkdirSync(join(home, 'dist/src/server'), { recursive: true });
  writeFileSync(join(home, 'dist/src/server/main.cjs'), SERVER);
});
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

interface Run {
  readonly process: ChildProcess;
  /** Resolves when the output has this text. */
  waitFor(text: string): Promise<void>;
  /** Output and exit code. */
  readonly done: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

function run(args: readonly string[], env: Record<string, string> = {}, folder = home): Run {
  const child = spawn(process.execPath, [join(folder, 'bin/svc.js'), ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const done = once(child, 'close').then(([code]) => ({ code: code as number | null, out, err }));
  return {
    process: child,
    async waitFor(text) {
      while (!out.includes(text)) {
        if (child.exitCode !== null) throw new Error(`ended before '${text}': ${out}${err}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    done,
  };
}

describe('the launcher', () => {
  it('prints help and version', async () => {
    const [help, version] = await Promise.all([run(['--help']).done, run(['--version']).done]);
    expect(help).toMatchObject({ code: 0, err: '', out: expect.stringContaining('--conf PATH') as string });
    expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [['--config', 'x'], "svc: there is no option '--config'; try --help.\n"],
    [['--conf'], 'svc: --conf needs the path of a settings file.\n'],
    [['--conf='], 'svc: --conf needs the path of a settings file.\n'],
  ])('refuses %j in one line', async (args, err) => {
    expect(await run(args).done).toEqual({ code: 2, out: '', err });
  });

  it('gives the server its settings file, its heap, its time zone, and passes its exit code on', async () => {
    writeFileSync(join(home, 'other.conf'), 'application.heap.max_size = 300m\n');
    const { code, out } = await run(['--conf', 'other.conf'], { MODE: 'code', SVC_TIMEZONE: 'Asia/Tokyo' }).done;
    expect(code).toBe(13);
    expect(JSON.parse(out)).toMatchObject({
      argv: [join(home, 'dist/src/server/main.cjs'), '--conf=other.conf'],
      flags: ['--no-node-snapshot', '--max-old-space-size=300'],
      tz: 'Asia/Tokyo',
    });
  });

  it('shows what the server throws, and says by its code which signal ended it', async () => {
    const [thrown, crashed] = await Promise.all([run([], { MODE: 'throw' }).done, run([], { MODE: 'crash' }).done]);
    expect(thrown.code).toBe(1);
    expect(thrown.err).toContain('from the server');
    expect(crashed.code).toBe(137);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('passes %s on, the first and the second', async (signal) => {
    const server = run([], { MODE: 'twice' });
    await server.waitFor('}');
    server.process.kill(signal);
    await server.waitFor(signal);
    // A person's second Ctrl-C; the echo of the first one, which npm sends, comes at once.
    if (signal === 'SIGINT') {
      server.process.kill(signal);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    server.process.kill(signal);
    const { code, out } = await server.done;
    expect(code).toBe(42);
    expect(out.split(signal)).toHaveLength(3);
  });

  it('passes SIGHUP on where there is no terminal', async () => {
    const server = run([]);
    await server.waitFor('}');
    server.process.kill('SIGHUP');
    await server.waitFor('SIGHUP');
    server.process.kill('SIGTERM');
    expect((await server.done).code).toBe(41);
  });

  it('starts a server again that crashed, tells why, and ends with it', async () => {
    const server = run([], { MODE: 'later' });
    await server.waitFor('it is started again in 2 s');
    // While nothing runs it ends with the code of the crash.
    server.process.kill('SIGTERM');
    const { code, out, err } = await server.done;
    expect(code).toBe(134);
    expect(out).toMatch(
      /^\S+Z ERROR org\.svc\.launcher - the server ended by signal SIGABRT \(something broke\); it is started again in 1 s$/m,
    );
    expect(out.split('"argv"')).toHaveLength(3);
    expect(err.split('something broke')).toHaveLength(3);
  });

  it.each([
    ['with a documented exit code', { MODE: 'later-code' }, 13],
    ['where the setting says so', { MODE: 'later', SVC_application_restart: 'false' }, 134],
    ['when it never served', { MODE: 'crash' }, 137],
  ])('does not start a server again %s', async (_, env, expected) => {
    const { code, out } = await run([], env).done;
    expect([code, out.split('"argv"').length - 1]).toEqual([expected, 1]);
  });

  it('does not leave the server behind when it is killed', async () => {
    const server = run([]);
    await server.waitFor('}');
    server.process.kill('SIGKILL');
    // Its output is closed when both are gone.
    expect((await server.done).out).toContain('SIGTERM');
  });

  it('says in one line that there is no build', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-launcher-'));
    cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
    const { code, err } = await run([], {}, folder).done;
    expect([code, err]).toEqual([1, `svc: it is not built yet: run \`npm run build\` in ${folder}/\n`]);
    rmSync(folder, { recursive: true });
  });

  const NATIVE = ['better-sqlite3', 'isolated-vm', '@node-rs/argon2'] as const;
  it.each(NATIVE)('says in one line that %s does not load', async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-launcher-'));
    cpSync(join(home, 'bin'), join(folder, 'bin'), { recursive: true });
    cpSync(join(home, 'dist'), join(folder, 'dist'), { recursive: true });
    for (const other of NATIVE) {
      const installed = installedName(other);
      const target = join(folder, 'node_modules', installed);
      mkdirSync(other === name ? target : dirname(target), { recursive: true });
      if (other !== name) symlinkSync(join(ROOT, 'node_modules', installed), target);
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const { code, out, err } = await run([], {}, folder).done;
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(new RegExp(`^svc: the native package ${name} does not load on Node [^\n]*npm ci[^\n]*\n$`));
    rmSync(folder, { recursive: true });
  });
});

describe('the check of Node', () => {
  const check = createRequire(import.meta.url)('../../bin/check-node.cjs') as {
    nodeProblem(version: string): string | null;
    toolchainHint(path: string, platform: string, node: string): string | null;
  };

  it.each(['20.19.0', '20.20.2', '22.12.0', '24.1.0', '26.0.0', '100.0.0', 'unheard-of'])('lets %s pass', (version) => {
    expect(check.nodeProblem(version)).toBeNull();
  });

  it.each(['0.10.48', '18.20.0', '20.18.3', '21.7.3', '22.11.0', '23.0.0'])(
    'tells %s in one line what to do',
    (version) => {
      expect(check.nodeProblem(version)).toMatch(
        /^svc needs Node 24 or newer, or of Node 22 at least 22\.12, of Node 20 at least 20\.19, and this is [^\n]* install [^\n]*$/,
      );
    },
  );

  it('says which build tools are missing, and only where it knows', () => {
    expect(check.toolchainHint('/nowhere', 'linux', '20.19.0')).toMatch(
      /a C\+\+ compiler, make, Python 3 .*apt-get install/,
    );
    expect(check.toolchainHint('/nowhere', 'win32', '20.19.0')).toBeNull();
  });

  it('asks for no tools where every package brings its binary', () => {
    for (const node of ['22.12.0', '24.1.0']) expect(check.toolchainHint('/nowhere', 'linux', node), node).toBeNull();
  });

  it('is written so that the oldest Node can read it', () => {
    const source = readFileSync(join(ROOT, 'bin/check-node.cjs'), 'utf8');
    const messages = new Linter().verify(source, { languageOptions: { ecmaVersion: 5, sourceType: 'commonjs' } });
    expect(messages).toEqual([]);
  });
});
