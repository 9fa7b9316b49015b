/** A new password for a user who has forgotten theirs, set by whoever owns the data (`svc user passwd`). */
import type { GraphNode } from '../../graph/index.js';
import {
  ALLOW_ALL,
  prepareInput,
  SchemaError,
  SYSTEM,
  textOf,
  type SchemaService,
  type WriteOptions,
} from '../../schema/index.js';
import type { Principals } from '../principals.js';

export interface PasswordSetting {
  readonly schemas: SchemaService;
  readonly principals: Principals;
  readonly write: WriteOptions;
}

/**
 * Sets the password of the user with this name or e-mail address, forgets failed logins, and ends their sessions and tokens, whatever
 * the settings say of other changes of a password. Answers the user's name. Throws `SchemaError`: there is no such user, or two, or
 * the policy refuses the password.
 */
export async function setPassword(setting: PasswordSetting, name: string, password: string): Promise<string> {
  const { schemas, principals, write } = setting;
  if (password === '') throw new SchemaError('The new password is empty.');
  const user = await findUser(principals, name);
  const options: WriteOptions = {
    ...write,
    door: 'command',
    reason: 'user passwd',
    passwords: { complexity: write.passwords?.complexity, clearSessions: true },
  };
  const input = { password, passwordAttempts: 0 };
  const { schema } = schemas;
  await prepareInput(schema, schema.typeOf(user), input, { passwords: options.passwords }, user);
  await schemas.write(SYSTEM, ALLOW_ALL, options, async (objects) => {
    const now = await objects.tx.node(user.id);
    if (now === undefined) throw nobody(name);
    await objects.update(now, input);
  });
  return textOf(user, 'name') ?? name;
}

async function findUser(principals: Principals, name: string): Promise<GraphNode> {
  const [byName, byAddress] = [['name', name] as const, ['eMail', name.trim().toLowerCase()] as const];
  // In the order of logins.
  for (const [key, value] of name.includes('@') ? [byAddress, byName] : [byName, byAddress]) {
    const found = await principals.find([key], value);
    if (found.length > 1) throw new SchemaError(`There are several users called ${name}.`, [], 'conflict');
    if (found[0] !== undefined) return found[0];
  }
  throw nobody(name);
}

function nobody(name: string): SchemaError {
  return new SchemaError(`There is no user ${name}.`, [], 'not_found');
}
