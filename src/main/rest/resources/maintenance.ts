/** `POST /maintenance/<command>`: commands of administrators, one file each in `rest/maintenance/` (rest.md 1.2). */
import type { JsonObject } from '../../../shared/json.js';
import type { Resolver, RestRequest } from '../context.js';
import { sendNone, sendValue } from '../envelope.js';
import { RestError } from '../errors.js';
import { maintenanceCommand } from '../maintenance/table.js';

export const resolveMaintenance: Resolver = (segments) => {
  const [first, name = ''] = segments;
  if (first !== 'maintenance' || segments.length !== 2) return undefined;
  const command = maintenanceCommand(name);
  if (command === undefined) return undefined;
  const run = async (request: RestRequest): Promise<void> => {
    // A permission for the endpoint alone is not enough (security.md 10).
    if (!request.actor.isAdmin) throw new RestError(403, 'Only administrators may run maintenance commands.');
    if (command === 'missing') {
      throw new RestError(501, `This version of svc does not have the maintenance command ${name} yet.`);
    }
    if (request.body.isArray) throw new RestError(400, 'The parameters of a command are one JSON object.');
    const result = await command.run(request, request.body.objects[0] ?? (Object.create(null) as JsonObject));
    if (result.length === 0) await sendNone(request);
    else await sendValue(request, [...result], result.length);
  };
  return { signature: `maintenance/${name}`, allow: ['POST'], verbs: { POST: run } };
};
