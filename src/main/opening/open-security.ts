/** Who asks, what they may do, and from where, of this thread. */
import { writeOptions } from '../rest/index.js';
import { Cors, Security, type SecurityParts } from '../security/index.js';

/** `elsewhere`: what the main thread does for this one. */
export async function openSecurity(
  parts: Pick<SecurityParts, 'config' | 'graph' | 'schemas' | 'elsewhere'>,
): Promise<{ readonly cors: Cors; readonly security: Security }> {
  const { config, graph, schemas } = parts;
  const cors = new Cors(graph, schemas, config);
  const security = await Security.start({
    ...parts,
    write: () => writeOptions(config, 'login'),
    trustsOrigin: (origin, path) => cors.trusts(origin, path),
    acceptsOrigin: (origin, path) => cors.accepts(origin, path),
  });
  return { cors, security };
}
