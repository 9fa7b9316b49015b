/** Archives in the tree: made of files and folders, and extracted, as jobs whose ids are answered. */
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import type { RestRequest } from '../context.js';
import { RestError } from '../errors.js';
import type { BuiltinMethod } from './method.js';

export const archiveMethods: readonly BuiltinMethod[] = [
  {
    trait: 'AbstractFile',
    name: 'archive',
    parameters: { name: 'string', parentFolder: 'any', files: 'array' },
    run: (request, node, input) => archive(request, input, [node.id]),
  },
  {
    trait: 'AbstractFile',
    name: 'archive',
    isStatic: true,
    parameters: { 'files!': 'array', name: 'string', parentFolder: 'any' },
    run: (request, input) => archive(request, input, []),
  },
  {
    trait: 'File',
    name: 'unarchive',
    parameters: { parentFolder: 'any' },
    run: async (request, node, input) => {
      const parent = idIn(input['parentFolder'], 'parentFolder');
      return (await request.services.files.archives.unarchive(request, node, parent)).id;
    },
  },
];

async function archive(request: RestRequest, input: JsonObject, first: readonly string[]): Promise<number> {
  const more = Array.isArray(input['files']) ? input['files'] : [];
  const job = await request.services.files.archives.archive(request, {
    ids: [...new Set([...first, ...more.map((one) => idIn(one, 'files') ?? '')])],
    name: typeof input['name'] === 'string' ? input['name'] : undefined,
    parent: idIn(input['parentFolder'], 'parentFolder'),
  });
  return job.id;
}

/** A UUID, or an object with one. */
function idIn(value: JsonValue | undefined, parameter: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  const id = typeof value === 'object' && !Array.isArray(value) ? value['id'] : value;
  if (typeof id === 'string') return id;
  throw new RestError(400, `The parameter "${parameter}" must be a UUID or an object with one.`);
}
