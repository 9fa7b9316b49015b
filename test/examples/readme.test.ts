/**
 * README's tour by somebody who knows nothing but README: its commands are taken from its text and run as they stand, in a copy of the project without
 * settings and data; what it shows is compared with what comes. Only the port is another one, and what whoever runs the tests has done
 * already (`npm ci`, the build, `npm test` itself) is not done again.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const README = readFileSync(join(PROJECT, 'README.md'), 'utf8');
/** What of the project is there for its commands; they write beside it. */
const PARTS = ['package.json', 'bin', 'dist', 'examples', 'node_modules'];
/** Where README says that the server listens. */
const SHOWN = 'http://localhost:8082';
/** Cities that the examples load here. */
const LIMIT = '50';

interface Block {
  readonly section: string;
  readonly language: string;
  readonly text: string;
}

/** The blocks of code in the order in which they are read. */
function blocks(): Block[] {
  return README.split(/^## /m).flatMap((part) => {
    const section = part.split('\n')[0] ?? '';
    return [...part.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language = '', text = '']) => ({
      section,
      language,
      text,
    }));
  });
}

/** Commands in the middle of a sentence. */
function inlineCommands(): string[] {
  return [...new Set([...README.matchAll(/`((?:npm|npx) [^`]+)`/g)].map(([, command = '']) => command))];
}

function shells(): string[] {
  const folders = (process.env['PATH'] ?? '').split(':');
  return ['bash', 'zsh'].filter((name) =>
    folders.some((folder) => {
      try {
        accessSync(join(folder, name));
        return true;
      } catch {
        return false;
      }
    }),
  );
}

/** What is done already, and where the examples find the server. */
const PRELUDE = `
npm() {
  case "$*" in
    ci | test) ;;
    'run example:'*) command npm --silent "$@" -- --url "$HERE" --limit ${LIMIT} ;;
    *) command npm "$@" ;;
  esac
}
`;

/** A folder as one has it behind `git clone` and `npm ci`, and what `npm start` does in it. */
class Tour {
  private constructor(
    readonly folder: string,
    readonly url: string,
    readonly said: () => string,
    private readonly child: ChildProcess,
  ) {}

  static async start(shell: string, command: string): Promise<Tour> {
    const folder = await mkdtemp(join(await realpath(tmpdir()), 'svc-readme-'));
    for (const part of PARTS) await symlink(join(PROJECT, part), join(folder, part));
    const child = spawn(shell, ['-c', `${PRELUDE}\n${command}`], {
      cwd: folder,
      env: { ...environment(''), SVC_application_http_port: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let text = '';
    const url = await new Promise<string>((resolve, reject) => {
      const take = (chunk: Buffer): void => {
        text += chunk.toString();
        const found = /http:\/\/localhost:\d+/.exec(text.split('listening on ')[1] ?? '');
        if (found !== null && text.endsWith('\n')) resolve(found[0]);
      };
      child.stdout.on('data', take);
      child.stderr.on('data', take);
      child.once('close', () => {
        reject(new Error(`it ended:\n${text}`));
      });
    });
    return new Tour(folder, url, () => text, child);
  }

  /** Runs commands in the same folder; throws when one fails. */
  async run(shell: string, commands: string): Promise<string> {
    const script = `${PRELUDE}\n${commands.replaceAll(SHOWN, this.url)}`;
    const child = run(shell, ['-e', '-u', '-c', script], { cwd: this.folder, env: environment(this.url) });
    child.child.stdin?.end('A-new-password-1\nA-new-password-1\n');
    return (await child).stdout;
  }

  async end(): Promise<void> {
    if (this.child.exitCode === null && this.child.pid !== undefined) {
      // As Ctrl-C does: the shell, npm, the launcher and the server.
      process.kill(-this.child.pid, 'SIGINT');
      await once(this.child, 'close');
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

function environment(url: string): NodeJS.ProcessEnv {
  // The build is not done again.
  return { ...process.env, SVC_TEST_DRIVER: undefined, npm_config_ignore_scripts: 'true', HERE: url };
}

/** What is shown may leave out members of objects. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  return expect.objectContaining(Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shown(one)])));
}

describe.each(shells())("README's tour in %s", (shell) => {
  let tour: Tour;
  const all = blocks();

  beforeAll(async () => {
    const first = all.find(({ language }) => language === 'sh');
    expect(first?.section).toBe('Two commands');
    tour = await Tour.start(shell, first?.text ?? '');
  });
  afterAll(() => tour.end());

  it('starts, says how to log in, and writes where README says', async () => {
    expect(tour.said()).toContain('admin');
    const [, names = ''] = /stays in\s+this folder: (.*?)\.\s/s.exec(README) ?? [];
    const written = [...names.matchAll(/`([\w.]+)\/?`/g)].map(([, name]) => name);
    expect(written.length).toBeGreaterThan(2);
    expect((await readdir(tour.folder)).filter((name) => !PARTS.includes(name)).sort()).toEqual(written.sort());
  });

  it('answers where README says that there is something to see', async () => {
    const pages = [...new Set([...README.matchAll(/http:\/\/localhost:8082(\/[\w/]*)/g)].map(([, path = '']) => path))];
    expect(pages).toContain('/');
    for (const path of pages.filter((one) => one !== '/svc/rest'))
      expect([path, (await fetch(`${tour.url}${path}`)).status]).toEqual([path, 200]);
  });

  it('gives the answers that README shows', async () => {
    const requests = all.filter(({ section }) => section === 'Five requests');
    const commands = requests.filter(({ language }) => language === 'sh');
    expect(commands.length).toBeGreaterThan(5);
    const said = await tour.run(shell, commands.map(({ text }) => text).join("\nprintf '\\n@@\\n'\n"));
    const answers = said.split('@@\n');
    let compared = 0;
    requests.forEach(({ language, text }, at) => {
      if (language !== 'json') return;
      const place = requests.slice(0, at).filter((one) => one.language === 'sh').length - 1;
      // A block may send several requests; what is shown is the answer to the last one.
      const last =
        (answers[place] ?? '')
          .trim()
          .split(/(?<=\n})\s*(?={)/)
          .at(-1) ?? '';
      const { result } = JSON.parse(last) as { result: unknown };
      expect(result, commands[place]?.text).toEqual(shown(JSON.parse(text)));
      compared++;
    });
    expect(compared).toBeGreaterThan(2);
    const refused = await fetch(`${tour.url}/svc/rest/User`);
    expect(refused.status).toBe(401);
  });

  it('runs the commands of its sentences', async () => {
    const commands = inlineCommands().filter((one) => !/^npm (start|test|ci)\b/.test(one));
    expect(commands).toEqual(expect.arrayContaining(['npx svc user passwd admin', 'npm run example:site']));
    // Behind the others, as they log in with the old one.
    commands.sort((a, b) => Number(a.includes('passwd')) - Number(b.includes('passwd')));
    for (const command of commands) await tour.run(shell, command);
    const login = (password: string): Promise<Response> =>
      fetch(`${tour.url}/svc/rest/User`, { headers: { 'X-User': 'admin', 'X-Password': password } });
    expect([(await login('admin')).status, (await login('A-new-password-1')).status]).toEqual([401, 200]);
  });
});

it('README is short, and its commands can be pasted', () => {
  expect(README.split('\n').length).toBeLessThan(150);
  // An interactive zsh takes what stands behind # for arguments.
  for (const { language, text } of blocks()) if (language === 'sh') expect(text).not.toMatch(/(^|\s)#\s/m);
});
