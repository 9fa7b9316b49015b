/** Every file of an export damaged in every way: an error that names it, and nothing has changed (docs/interface/deployment.md 3.1, 3.2). */
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { Deploying, id } from '../support/deploying.js';
import { writeTree } from '../support/export-tree.js';
import { endedJob } from '../support/jobs.js';
import { tryAll } from '../support/random.js';
import type { TestServer } from '../support/server.js';
import { makePrincipals, writeWhole } from '../support/whole-application.js';

let deploying: Deploying;
let server: TestServer;
let admin: Client;
/** What is damaged, and made whole again. */
let source: string;
let whole: Record<string, string>;

beforeAll(async () => {
  deploying = await Deploying.start();
  ({ server, admin } = deploying);
  await makePrincipals(admin);
  const first = deploying.newFolder();
  await writeWhole(first);
  expect((await deploying.deploy({ mode: 'import', source: first })).body).toMatchObject({ result: [] });
  source = deploying.newFolder();
  whole = await deploying.exported(source);
});
afterAll(() => deploying.stop());

/** A file of the export that is something else for one import; undefined: it is missing. */
async function withFile(path: string, text: string | Buffer | undefined): Promise<Answer> {
  const at = join(source, path);
  const { [path]: good } = whole;
  try {
    await mkdir(dirname(at), { recursive: true });
    if (text === undefined) await rm(at);
    else await writeFile(at, text);
    return await deploying.deploy({ mode: 'import', source });
  } finally {
    if (good === undefined) await rm(at, { force: true });
    else await writeFile(at, good, 'latin1');
  }
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
interface Damage {
  readonly name: string;
  readonly path: string;
  readonly text: string | Buffer;
}

/** What takes the place of a value, and cannot be one of the kind. */
function wrong(value: Json): Json {
  if (value === null) return { unheard: true };
  if (Array.isArray(value)) return { unheard: true };
  if (typeof value === 'object') return 'unheard';
  if (typeof value === 'number') return 'unheard';
  if (typeof value === 'boolean') return { unheard: true };
  return [{ unheard: true }];
}

/** The places of all values within one, but for those of further entries of a list. */
function* placesIn(value: Json, path: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  if (value === null || typeof value !== 'object') return;
  const keys = Array.isArray(value) ? [...value.keys()].slice(0, 1) : Object.keys(value);
  for (const key of keys) {
    const at = [...path, key];
    yield at;
    yield* placesIn((value as Record<string | number, Json>)[key] ?? null, at);
  }
}

function changed(value: Json, [key, ...rest]: readonly (string | number)[], change: (value: Json) => Json): Json {
  if (key === undefined) return change(value);
  const inner = changed((value as Record<string | number, Json>)[key] ?? null, rest, change);
  if (Array.isArray(value)) return value.map((one, i) => (i === key ? inner : one));
  return { ...(value as object), [key]: inner };
}

const json = (): string[] => Object.keys(whole).filter((path) => path.endsWith('.json'));
/** Parts that are kept as they are: all that is known of them is that they are lists. */
const isKept = (path: string): boolean => /^(?:scratchpads|data-a|component-c|modules\/(?:process|own))/.test(path);
/** What nothing is read of. */
const NOT_READ = /^(?:files\.json|pages\.json|components\.json|templates\.json)$/;

/** Imports them, and tells which of them were not refused as they should be. */
async function tried(damages: readonly Damage[], expected: (damage: Damage) => RegExp): Promise<void> {
  const before = await deploying.exported();
  const failures: unknown[] = [];
  for (const damage of damages) {
    const { status, body, text } = await withFile(damage.path, damage.text);
    const message = String(body?.message ?? text);
    if (status !== 422 || !expected(damage).test(message)) failures.push([damage.name, status, message]);
  }
  expect(failures).toEqual([]);
  expect(await deploying.exported()).toEqual(before);
}

const escaped = (path: string): string => path.replace(/[.[\]]/g, '\\$&');
const some = <T>(all: readonly T[], part: number): readonly T[] =>
  tryAll ? all : all.filter((_, i) => i % part === 0);

describe('a file of an export', () => {
  it('that is cut off, empty, no text, or of another kind', async () => {
    const damages = json().flatMap((path): Damage[] => {
      const text = whole[path] ?? '';
      return [
        { name: `${path} cut off`, path, text: text.slice(0, Math.max(1, Math.floor(text.length / 2))) },
        { name: `${path} without its end`, path, text: text.trimEnd().slice(0, -1) },
        { name: `${path} empty`, path, text: '' },
        { name: `${path} with more behind it`, path, text: `${text} {}` },
        { name: `${path} no text`, path, text: Buffer.from([0xff, 0xfe, 0x5b]) },
        { name: `${path} a number`, path, text: '7' },
        { name: `${path} another kind`, path, text: text.startsWith('{') ? '[7]' : '[[]]' },
        { name: `${path} null`, path, text: 'null' },
      ];
    });
    await tried(some(damages, 12), ({ path }) => new RegExp(`^${escaped(path)}`));
  });

  it('with a value of another kind, at every place', async () => {
    const damages = json()
      .filter((path) => !isKept(path))
      .flatMap((path): Damage[] => {
        const value = JSON.parse(whole[path] ?? '') as Json;
        // What only shows a relation is not read.
        const places = [...placesIn(value)].filter((at) => !/properties\.(?:parts|task)\./.test(at.join('.')));
        return places.map((at) => ({
          name: `${path} ${at.join('.')}`,
          path,
          text: JSON.stringify(changed(value, at, wrong)),
        }));
      });
    expect(damages.length).toBeGreaterThan(150);
    await tried(some(damages, 30), ({ path }) => new RegExp(escaped(NOT_READ.test(path) ? path.slice(0, 4) : path)));
  });

  it('with an id that is none, or that of something else', async () => {
    const me = (await admin.get('/me')).body.result.id as string;
    const damages = json()
      .filter((path) => !isKept(path) && path !== 'schema/schema.json')
      .flatMap((path): Damage[] => {
        const value = JSON.parse(whole[path] ?? '') as Json;
        const ids = [...placesIn(value)].filter((at) => at.at(-1) === 'id' && !/page\.id$/.test(at.join('.')));
        return ids.flatMap((at) =>
          ['no-id', me].map((wished) => ({
            name: `${path} ${at.join('.')} ${wished}`,
            path,
            text: JSON.stringify(changed(value, at, () => wished)),
          })),
        );
      });
    await tried(some(damages, 15), ({ path }) => new RegExp(escaped(NOT_READ.test(path) ? path.slice(0, 4) : path)));
  });

  it('with two things of one name', async () => {
    const twice = (path: string): Damage => {
      const text = whole[path] ?? '';
      const entry = text.slice(text.search(/[[{]/) + 1, Math.max(text.lastIndexOf(']'), text.lastIndexOf('}')));
      const both = `${text[0] ?? ''}${entry.trimEnd()},${entry}${text.at(-1) ?? ''}`;
      return { name: path, path, text: both };
    };
    const lists = json().filter((path) => !isKept(path) && !/^(?:schema|modules\/flows)/.test(path));
    const schema = (whole['schema/schema.json'] ?? '').replace('"Part": {', '"Task": {}, "Part": {');
    await tried(
      [...some(lists.map(twice), 3), { name: 'types', path: 'schema/schema.json', text: schema }],
      ({ path }) => new RegExp(`^${escaped(path)}.*(?:Two members are named|has the id of)`),
    );
  });

  it('of HTML that is cut off', async () => {
    const html = Object.keys(whole).filter((path) => /^(?:pages|components)\/.*html$/.test(path));
    const damages = html.flatMap((path) =>
      [0.6, 0.9].map((part) => ({
        name: path,
        path,
        text: (whole[path] ?? '').slice(0, Math.floor((whole[path] ?? '').length * part)),
      })),
    );
    expect(damages).toHaveLength(4);
    await tried(damages, ({ path }) => new RegExp(`^${escaped(path)} cannot take this HTML: .*cut off`));
  });

  it('with 100 MB in one value, without taking much memory', async () => {
    const peak = async (): Promise<number> => {
      const status = await readFile(`/proc/${String(server.child.pid)}/status`, 'utf8').catch(() => '');
      return Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1024;
    };
    const before = await peak();
    for (const [name, head, tail, message] of [
      [
        'widgets.json',
        '[{"id": "x", "source": "',
        '"}]',
        /^widgets\.json: Text of more than 33554432 characters.*line 1/,
      ],
      ['pages/home.html', '<p>', '</p>', /^pages\/home\.html: the file is larger than 64 MB/],
      ['data-adapters.json', '["', '"]', /^data-adapters\.json: the file is larger than 16 MB/],
    ] as const) {
      const at = join(source, name);
      const handle = await open(at, 'w');
      await handle.write(head);
      const megabyte = Buffer.alloc(1024 * 1024, 'x');
      for (let i = 0; i < 100; i++) await handle.write(megabyte);
      await handle.write(tail);
      await handle.close();
      const answer = await deploying.deploy({ mode: 'import', source });
      await writeFile(at, whole[name] ?? '', 'latin1');
      expect([answer.status, answer.body.message]).toEqual([422, expect.stringMatching(message)]);
    }
    // The file once, and its text.
    expect((await peak()) - before).toBeLessThan(400);
  });
});

describe('what is not known, or not there', () => {
  /** The notes of an import of the application that is changed so. */
  async function notes(files: Readonly<Record<string, unknown>>, without: readonly string[] = []): Promise<string> {
    const at = deploying.newFolder();
    await writeTree(at, { ...whole, ...files });
    for (const path of without) await rm(join(at, path));
    const answer = await deploying.deploy({ mode: 'import', source: at, background: true });
    const { status, result, exception } = await endedJob(admin, answer.body.result[0].jobId as number);
    expect([status, exception]).toEqual(['FINISHED', undefined]);
    return (result.notes as { title: string; message: string }[])
      .map((one) => `${one.title}: ${one.message}`)
      .join('\n');
  }
  const withKey = (path: string): string => {
    const value = JSON.parse(whole[path] ?? '') as Json;
    const add = (one: Json): Json => ({ ...(one as object), unheardOf: 1 });
    if (Array.isArray(value)) return JSON.stringify(value.map(add));
    if (path.startsWith('modules/flows')) return JSON.stringify(add(value));
    return JSON.stringify(
      Object.fromEntries(Object.entries(value as object).map(([key, one]) => [key, add(one as Json)])),
    );
  };
  const withEntries = (): string[] =>
    json().filter((path) => !isKept(path) && path !== 'schema/schema.json' && !/rel\.json$/.test(path));

  it('is left out: keys', async () => {
    await notes(Object.fromEntries(withEntries().map((path) => [path, withKey(path)])));
    expect(await deploying.exported()).toEqual(whole);
  });

  it('is refused where unknown keys are', async () => {
    await server.reload({ 'jsonrestservlet.unknowninput.validation.mode': 'reject' });
    const damages = withEntries()
      .filter((path) => !NOT_READ.test(path) || path === 'files.json')
      .map((path) => ({ name: path, path, text: withKey(path) }));
    await tried(some(damages, 3), ({ path }) => new RegExp(`^${escaped(path)}.*unheardOf`));
    await server.reload({ 'jsonrestservlet.unknowninput.validation.mode': 'accept_warn' });
  });

  it('is told: files, principals, pages, elements, types', async () => {
    const edited = (path: string, from: string | RegExp, to: string): [string, string] => {
      const text = (whole[path] ?? '').replace(from, to);
      expect([path, text === whole[path]]).toEqual([path, false]);
      return [path, text];
    };
    const gone = 'fe'.repeat(16);
    const text = await notes(
      Object.fromEntries([
        edited('security/schema-grants.json', '"name":"Task"', '"name":"Gone"'),
        edited('security/grants.json', '"name":"editors"', '"name":"nobody"'),
        edited('sites.json', '"home"', '"gone-page"'),
        edited('page-paths.json', id('b'), gone),
        edited('events/action-mapping.json', 'b4444444444444444444444444444444', `${gone.slice(1)}1`),
        edited('events/parameter-mapping.json', 'b3333333333333333333333333333333', `${gone.slice(1)}2`),
        edited('pages/home.html', '/assets/a.txt', '/assets/gone.txt'),
        edited('modules/messaging-module/messaging-engine.json', /"c1{31}"(?=\s*\])/, `"${gone.slice(1)}3"`),
        edited('schema/schema.json', '"$target": "#/definitions/Part"', '"$target": "#/definitions/Gone"'),
      ]),
      [
        'files/assets/a.txt',
        `templates/card-${id('9')}.html`,
        'schema/Task/methods/go',
        'mail-templates/welcome_-_de.html',
      ],
    );
    for (const said of [
      /Missing type: security\/schema-grants.json\[0\].*no type Gone/,
      /Missing Principal\(s\): nobody/,
      /Missing page\(s\) of a site: gone-page/,
      /Missing page: page-paths.json\[0\].*no page (?:fe){16}/,
      /Missing successTargets of events\/action-mapping.json\[0\].*: e(?:fe){15}1/,
      /Missing element: events\/parameter-mapping.json\[0\].*no element e(?:fe){15}2/,
      /Missing link target\(s\): pages\/home.html, line \d+, <a>.*no file \/assets\/gone.txt/,
      /Missing subscriber\(s\) of modules\/messaging-module\/messaging-engine.json\[1\].*: e(?:fe){15}3/,
      /Schema: .*no type Gone/,
      /in files.json, but not on the disk: \/assets\/a.txt/,
      /Entries of templates.json without file: card-9{32}/,
      /Missing template\(s\): pages\/home.html, line \d+/,
      /Missing Schema file\(s\): Task\/methods\/go/,
    ])
      expect(text).toMatch(said);
    expect((await admin.get('/MailTemplate/all')).body.result).toMatchObject([{ name: 'welcome', text: null }]);
    const good = deploying.newFolder();
    await writeTree(good, whole);
    expect((await deploying.deploy({ mode: 'import', source: good })).body).toMatchObject({ result: [] });
    expect(await deploying.exported()).toEqual(whole);
  });
});
