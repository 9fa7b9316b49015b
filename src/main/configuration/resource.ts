/** A resource of the Configuration Interface: what it works with, and what it answers. */
import type { JsonObject, JsonValue } from '../../shared/json/index.js';
import type { Config } from '../config/index.js';
import type { MaintenanceMode, Services } from '../services/index.js';
import type { ConfigSessions } from './sessions.js';
import type { AtStart } from './settings-view.js';
import type { Setup } from './setup.js';

/** What the resources work with. */
export interface ResourceParts {
  readonly config: Config;
  readonly services: Services;
  readonly maintenanceMode: MaintenanceMode;
  readonly setup: Setup;
  readonly sessions: ConfigSessions;
  readonly atStart: AtStart;
  /** Where the application answers now, without a slash at the end. */
  readonly address: () => string;
  /** Ends the server so that its launcher starts it again. */
  readonly restart: () => void;
}

export interface Asked {
  readonly parts: ResourceParts;
  /** The secret of the session. */
  readonly session: string;
  /** Of a POST. */
  readonly input: JsonObject;
}

export type Answer = (asked: Asked) => JsonValue | Promise<JsonValue>;

export interface Resource {
  readonly GET?: Answer;
  readonly POST?: Answer;
}
