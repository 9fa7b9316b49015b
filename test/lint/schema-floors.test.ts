/** The folders of `src/main/schema` are floors: what lies in one imports only those below (docs/design/objects.md). */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOM = join(import.meta.dirname, '../../src/main/schema');

/** From below. The last one is the room's own folder. */
const FLOORS = [
  'model',
  'writing',
  'properties',
  'builtin',
  'rights',
  'changes',
  'file-tree',
  'computed',
  'rules',
  'input',
  'relations',
  'objects',
  'compile',
  'views',
  '.',
];

/** The place in `FLOORS` of a file (path in the room). */
function floorOf(file: string): number {
  return FLOORS.indexOf(dirname(file).split('/')[0] ?? '');
}

it('no file of a lower floor imports a higher one', () => {
  const files = readdirSync(ROOM, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const upward = files.flatMap((file) =>
    ts
      .preProcessFile(readFileSync(join(ROOM, file), 'utf8'), true, true)
      .importedFiles.map(({ fileName }) => normalize(join(dirname(file), fileName)))
      .filter((target) => !target.startsWith('..') && floorOf(target) > floorOf(file))
      .map((target) => `${file} imports ${target}`),
  );
  expect(files.filter((file) => floorOf(file) < 0)).toEqual([]);
  expect(upward).toEqual([]);
});
