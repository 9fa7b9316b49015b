/** Commands of administrators, `POST /maintenance/<command>` (contract, Maintenance), also for scripts. */
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import type { RestRequest } from '../context.js';

/** Who runs a command, by a request or by a script. */
export type CommandCaller = Pick<RestRequest, 'actor' | 'access' | 'services'>;

export interface MaintenanceCommand {
  /** As the path names it, in its case. */
  readonly name: string;
  /** The answer says when it began and ended, and how long it took. */
  readonly tellsTimes?: boolean | undefined;
  /** Does it for an administrator. What it returns is the `result`: most commands have none. */
  readonly run: (caller: CommandCaller, input: JsonObject) => Promise<readonly JsonValue[]>;
}
