/** `/_access/<uuid>`: why a user may do what with an object, for administrators (docs/interface/security.md 9.10). */
import type { JsonObject, JsonValue } from '../../../../shared/json/index.js';
import type { GraphNode } from '../../../graph/index.js';
import { ANONYMOUS, textOf, type Actor } from '../../../schema/index.js';
import type { Reason, RightExplained } from '../../../security/index.js';
import { sendValue } from '../../answer/envelope.js';
import type { Resolver, RestRequest } from '../../context.js';
import { RestError } from '../../errors.js';
import { read } from '../../read.js';

const METHODS = ['GET', 'PUT', 'DELETE'] as const;

export const resolveAccess: Resolver = ([first, id, ...more], _, settings) => {
  if (first !== '_access' || id === undefined || more.length > 0 || !settings.write.idPattern.test(id))
    return undefined;
  return {
    signature: '_access/_id',
    allow: ['GET', 'OPTIONS'],
    verbs: { GET: (request) => explain(request, id) },
  };
};

interface Asked {
  readonly actor: Actor;
  readonly blocked: boolean;
  readonly node?: GraphNode;
}

async function explain(request: RestRequest, id: string): Promise<void> {
  const { actor, services } = request;
  if (!actor.isAdmin) throw new RestError(403, 'Only administrators may ask what others may do.');
  const { objectAccess, resourceAccess } = services.security;
  const asked = await askedOf(request);
  const { rights, node, names } = await read(request, async (tx) => {
    const found = await tx.node(id);
    if (found === undefined) throw new RestError(404, `No object ${id} found.`);
    const explained = await objectAccess.explain(tx, asked, found);
    const principals = [
      ...new Set(explained.flatMap(({ reasons }) => reasons.flatMap(({ principal }) => principal ?? []))),
    ];
    const nodes = await tx.nodes(principals);
    return { rights: explained, node: found, names: new Map(principals.map((one, i) => [one, nodes[i]])) };
  });
  const signature = `${node.type}/_id`;
  const endpoints: Record<string, JsonValue> = {};
  for (const method of METHODS)
    endpoints[method] = {
      signature,
      permitted: !asked.blocked && (await resourceAccess.permits(asked.actor, signature, method)),
    };
  const result: JsonObject = {
    object: named(node),
    user: asked.node === undefined ? null : named(asked.node),
    blocked: asked.blocked,
    rights: Object.fromEntries(rights.map((right) => [right.right, rightOf(right, names)])),
    endpoints,
  };
  await sendValue(request, result, 1, performance.now() - request.startedAt);
}

/** Who is asked about: nobody in particular without `user`. Throws `RestError`. */
async function askedOf({ parameters, services }: RestRequest): Promise<Asked> {
  for (const [key] of parameters.filters) if (key !== 'user') throw new RestError(400, `Unknown search key ${key}`);
  const user = parameters.filters[0]?.[1];
  if (user === undefined || user === '') return { actor: ANONYMOUS, blocked: false };
  const principal = await services.security.principals.get(user);
  if (principal === undefined) throw new RestError(404, `No user ${user.slice(0, 100)} found.`);
  return principal;
}

function rightOf(
  { permitted, reasons }: RightExplained,
  names: ReadonlyMap<string, GraphNode | undefined>,
): JsonObject {
  return { permitted, rules: reasons.map((reason) => ruleOf(reason, names)) };
}

function ruleOf(
  { rule, permits, principal, allowed, ignored, path }: Reason,
  names: ReadonlyMap<string, GraphNode | undefined>,
): JsonObject {
  const holder = principal === undefined ? undefined : names.get(principal);
  return {
    rule,
    permits,
    ...(principal === undefined ? {} : { principal: holder === undefined ? { id: principal } : named(holder) }),
    ...(allowed === undefined ? {} : { allowed: [...allowed] }),
    ...(ignored === undefined ? {} : { ignored }),
    ...(path === undefined
      ? {}
      : { path: path.map(({ relType, direction, node }) => ({ relType, direction, ...named(node) })) }),
  };
}

function named(node: GraphNode): JsonObject {
  return { id: node.id, type: node.type, name: textOf(node, 'name') ?? null };
}
