/** `POST /maintenance/<command>`: commands of administrators, one file each in `rest/maintenance/` (docs/interface/rest.md 1.2). */
import type { JsonObject } from '../../../../shared/json/index.js';
import type { Resolver, RestRequest } from '../../context.js';
import { sendNone, sendValue } from '../../answer/envelope.js';
import { runCommand, tellsTimes } from '../../maintenance/run.js';
import { timesOf } from '../../maintenance/times.js';
import { maintenanceCommand } from '../../maintenance/table.js';

export const resolveMaintenance: Resolver = (segments) => {
  const [first, name = ''] = segments;
  if (first !== 'maintenance' || segments.length !== 2) return undefined;
  if (maintenanceCommand(name) === undefined) return undefined;
  const run = async (request: RestRequest): Promise<void> => {
    const { body } = request;
    const input = body.isArray ? undefined : (body.objects[0] ?? (Object.create(null) as JsonObject));
    const began = Date.now();
    const result = await runCommand(name, request, input);
    if (tellsTimes(name)) {
      for (const [header, value] of timesOf(request.services.config, began, Date.now()))
        request.exchange.setHeader(header, value);
    }
    if (result.length === 0) await sendNone(request);
    else await sendValue(request, [...result], result.length);
  };
  return { signature: `maintenance/${name}`, allow: ['POST'], verbs: { POST: run } };
};
