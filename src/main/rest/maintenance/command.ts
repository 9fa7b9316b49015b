/** Commands of administrators, `POST /maintenance/<command>` (contract, Maintenance). */
import type { JsonObject, JsonValue } from '../../../shared/json.js';
import type { RestRequest } from '../context.js';

export interface MaintenanceCommand {
  /** As the path names it, in its case. */
  readonly name: string;
  /** Does it for an administrator. What it returns is the `result`: most commands have none. */
  readonly run: (request: RestRequest, input: JsonObject) => Promise<readonly JsonValue[]>;
}
