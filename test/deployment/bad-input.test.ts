/** Every file of an export damaged in every way: an error that names it, and nothing has changed (docs/interface/deployment.md 3.1, 3.2). */
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { Deploying, id } from '../support/deploying.js';
import { writeTree } from '../support/export-tree.js';
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
    await tried(some(damages, 5), ({ path }) => new RegExp(`^${escaped(path)}`));
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
    await tried(some(damages, 12), ({ path }) => new RegExp(escaped(NOT_READ.test(path) ? path.slice(0, 4) : path)));
  });
});
