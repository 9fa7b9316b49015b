/** What rooms that scripts know nothing of do for them; filled in where the rooms are put together. */
import type { Recipients } from '../../live/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import type { Caller } from './caller.js';

export interface ScriptHost {
  /** What is running, as `/_env` answers it (docs/interface/rest.md 9.4). */
  environment(): Promise<JsonObject>;
  /**
   * Runs a maintenance command for an administrator; answers its results, which most commands have none of. Rejects as the
   * endpoint does.
   */
  maintenance(command: string, input: JsonObject, caller: Caller): Promise<readonly JsonValue[]>;
  /** Sends an event to streams that are open (docs/interface/live.md 5); how many got it. */
  sendEvent(name: string, data: string, recipients: Recipients): number;
  /** Coordinates of an address; undefined: none are known, or no geocoder is set up. Rejects when it does not answer. */
  geocode(address: {
    readonly street?: string;
    readonly city?: string;
    readonly country?: string;
  }): Promise<{ readonly latitude: number; readonly longitude: number } | undefined>;
}
