import { Linter } from 'eslint';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import tseslint from 'typescript-eslint';
import { describe, expect, it } from 'vitest';
import { OF_MAIN, FLOORS, roomArrows, ROOMS } from '../../eslint/room-arrows.js';

const ROOT = join(import.meta.dirname, '../..');
const linter = new Linter({ cwd: ROOT });

/** What the rule says about one file with this code. */
function lint(file: string, code: string): string[] {
  const messages = linter.verify(
    code,
    {
      files: ['**/*.ts'],
      languageOptions: { parser: tseslint.parser },
      plugins: { svc: { rules: { 'room-arrows': roomArrows } } },
      rules: { 'svc/room-arrows': 'error' },
    },
    { filename: join(ROOT, file) },
  );
  return messages.map((message) => message.message);
}

describe('arrows to the right, by the door', () => {
  it.each([
    ['src/main/main.ts', "import { a } from './rest/index.js';"],
    ['src/main/main.ts', "import { a } from './graph/index.js';"],
    ['src/main/main.ts', "import { a } from './site.js';"],
    ['src/main/rest/objects.ts', "import { a } from '../graph/index.js';"],
    ['src/main/rest/objects.ts', "import { a } from '../../shared/log.js';"],
    ['src/main/rest/kinds/type.ts', "import { a } from '../../security/index.js';"],
    ['src/main/rest/kinds/type.ts', "import { a } from '../parameters.js';"],
    ['src/main/security/index.ts', "export * from './authentication.js';"],
    ['src/main/graph/index.ts', "import { a } from '../config/index.js';"],
    ['src/main/graph/sqlite/writer.ts', "import type { Task } from '../../../workers/read.js';"],
    ['src/main/graph/sqlite/writer.ts', "import Database from 'better-sqlite3';"],
    ['src/main/http/server.ts', "import uws from 'uWebSockets.js';"],
    ['src/workers/read.ts', "import { a } from '../main/graph/query.js';"],
    ['src/workers/read.ts', "import Database from 'better-sqlite3';"],
    ['src/workers/read.ts', "import { a } from '../shared/json.js';"],
    ['src/shared/log.ts', "import { a } from './json.js';"],
    ['src/shared/dates/iso.ts', "import { a } from './names.js';"],
    ['src/shared/dates/iso.ts', "import { readFile } from 'node:fs/promises';"],
    ['src/main/schema/views/a.ts', "import { a } from '../../../shared/dates/index.js';"],
    ['test/graph/a.test.ts', "import { a } from '../../src/main/graph/sqlite/writing/writer.js';"],
    ['bench/bench.ts', "import { a } from '../src/main/graph/query.js';"],
  ])('%s may write %s', (file, code) => {
    expect(lint(file, code)).toEqual([]);
  });
});

describe('wrong arrows', () => {
  it.each([
    ['src/main/graph/graph.ts', "import { a } from '../schema/index.js';", "'graph' must not import 'schema'"],
    ['src/main/graph/graph.ts', "import type { A } from '../rest/index.js';", "'graph' must not import 'rest'"],
    ['src/main/http/server.ts', "export { a } from '../security/index.js';", "'http' must not import 'security'"],
    ['src/main/http/server.ts', "export * from '../rest/index.js';", "'http' must not import 'rest'"],
    ['src/main/schema/a.ts', "await import('../http/index.js');", "'schema' must not import 'http'"],
    ['src/main/schema/a.ts', "type A = import('../rest/index.js').A;", "'schema' must not import 'rest'"],
    ['src/main/config/config.ts', "import { a } from '../main.js';", "'config' must not import 'main'"],
    ['src/main/config/config.ts', "import { a } from '../graph/index.js';", "'config' must not import 'graph'"],
    ['src/shared/log.ts', "import { a } from '../main/config/index.js';", 'src/shared imports nothing but src/shared'],
    ['src/main/rest/a.ts', "import { a } from '../../../test/support/a.js';", 'src must not import test/support/a.ts'],
    ['src/main/rest/a.ts', "import { a } from '../kitchen/index.js';", "the room 'kitchen' has no place"],
    ['src/ui/app.ts', "import { a } from '../main/rest/index.js';", 'src/ui and src/frontend run in the browser'],
    ['src/main/rest/a.ts', "import { a } from '../../ui/app.js';", 'src/ui and src/frontend run in the browser'],
    ['src/frontend/a.ts', "import { a } from '../main/http/index.js';", 'src/ui and src/frontend run in the browser'],
  ])('%s must not write %s', (file, code, message) => {
    expect(lint(file, code)).toEqual([expect.stringContaining(message)]);
  });
});

describe('bypassed doors', () => {
  it.each([
    ['src/main/main.ts', "import { a } from './graph/sqlite/engine.js';", 'src/main/graph/index.ts'],
    ['src/main/rest/a.ts', "import type { A } from '../schema/objects/actor.js';", 'src/main/schema/index.ts'],
    ['src/main/rest/a.ts', "import { a } from '../schema/views/index.js';", 'src/main/schema/index.ts'],
    ['src/main/rest/a.ts', "import { a } from '../../shared/dates/iso.js';", 'src/shared/dates/index.ts'],
    ['src/shared/log.ts', "import { a } from './dates/iso.js';", 'src/shared/dates/index.ts'],
    ['src/main/rest/a.ts', "import { run } from '../../workers/read.js';", 'a worker is started by its path'],
    ['src/workers/read.ts', "import { a } from '../main/schema/index.js';", 'a worker may import only'],
    ['src/workers/read.ts', "import { a } from '../main/main.js';", 'a worker may import only'],
    ['src/main/rest/a.ts', "import uws from 'uWebSockets.js';", "belongs to the room 'http'"],
    ['src/main/schema/a.ts', "import Database from 'better-sqlite3';", "belongs to the room 'graph'"],
  ])('%s must not write %s', (file, code, message) => {
    expect(lint(file, code)).toEqual([expect.stringContaining(message)]);
  });
});

describe('floors of a room', () => {
  it.each([
    ['src/main/scripting/run/run.ts', "import { a } from '../language/values.js';"],
    ['src/main/scripting/functions/geo/geo.ts', "import { a } from '../../run/function/arguments.js';"],
    ['src/main/scripting/functions/table.ts', "import { a } from './geo/geo.js';"],
    ['src/main/scripting/index.ts', "export { a } from './calling/scripting.js';"],
  ])('%s may write %s', (file, code) => {
    expect(lint(file, code)).toEqual([]);
  });

  it.each([
    ['src/main/scripting/language/text.ts', "import type { A } from '../run/run.js';", "import 'scripting/run'"],
    ['src/main/scripting/engines/a/b.ts', "await import('../../functions/table.js');", "import 'scripting/functions'"],
    ['src/main/scripting/calling/a.ts', "export * from '../index.js';", "import 'scripting/index.ts'"],
    ['src/main/schema/model/a.ts', "import { a } from '../writing/touches.js';", "import 'schema/writing'"],
    ['src/main/scripting/calling/a.ts', "import { a } from '../attic/a.js';", "'attic' of 'scripting' has no place"],
  ])('%s must not write %s', (file, code, message) => {
    expect(lint(file, code)).toEqual([expect.stringContaining(message)]);
  });

  it.each([...FLOORS])('every folder of %s is one', (room, floors) => {
    const folders = readdirSync(join(ROOT, 'src/main', room), { withFileTypes: true }).filter((e) => e.isDirectory());
    expect(folders.map(({ name }) => name).sort()).toEqual([...floors].sort());
  });
});

it('knows every room there is', () => {
  const folders = readdirSync(join(ROOT, 'src/main'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect([...ROOMS, ...OF_MAIN]).toEqual(expect.arrayContaining(folders.map((folder) => folder.name)));
});
