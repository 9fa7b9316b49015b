import { logger } from '../../../shared/log.js';
import { ALLOW_ALL, prepareInput, SYSTEM, type SchemaService, type WriteOptions } from '../../schema/index.js';
import type { Graph } from '../../graph/index.js';

const log = logger('security');

/** Creates the first administrator in a database without objects (docs/interface/operations.md 2.1). True when it did. */
export async function ensureInitialUser(
  graph: Graph,
  schemas: SchemaService,
  options: WriteOptions,
  user: { readonly create: boolean; readonly name: string; readonly password: string },
): Promise<boolean> {
  const { count } = await graph.read((tx) => tx.count({ kind: 'nodes' }, 1));
  if (count > 0) return false;
  if (!user.create) {
    log.info('not creating an initial user: initialuser.create is false');
    return false;
  }
  const type = schemas.schema.type('User');
  if (type === undefined) throw new Error('the built-in tables lack the type User');
  const input = { name: user.name, password: user.password, isAdmin: true };
  await prepareInput(schemas.schema, type, input);
  // Without password policy: the server has to start with its defaults; it complains about the password elsewhere.
  const { passwords: _, ...others } = options;
  const writing = { ...others, reason: 'initial user' };
  await schemas.write(SYSTEM, ALLOW_ALL, writing, (objects) => objects.create(type, input));
  log.info(`created the initial user '${user.name}'`);
  return true;
}
