/**
 * Maintenance mode (contract, States and transitions; docs/interface/operations.md 5.4): the main ports show a page to everybody, the
 * application answers at the maintenance ports, and services that work by themselves rest. The state is the setting `maintenance.enabled`; of
 * several instances on one database all follow a note in the database.
 */
import type { Cluster } from '../cluster/index.js';
import { ConfigError, type Config } from '../config/index.js';
import type { DatabaseNotes } from '../graph/index.js';
import { logger } from '../../shared/log.js';
import type { Services } from './registry.js';

const log = logger('maintenance');
const SETTING = 'maintenance.enabled';
const NOTE = 'maintenance.enabled';
/** How often an instance looks whether another has switched (ms). */
const LOOK_INTERVAL = 500;

/** The listeners of the instance. */
export interface MaintenancePorts {
  /** Opens the maintenance ports, and has the main ones show the page from the next request on. Throws when a port cannot be had. */
  enable(): Promise<void>;
  /** Has the main ports serve the application again, and closes the others once their requests have ended. */
  disable(): Promise<void>;
  /** Where the application answers in this mode, without a slash at the end; while the mode is being switched, too. */
  address(enabled: boolean): string;
}

/** What is told to who is connected. */
export interface ModeChange {
  readonly enabled: boolean;
  /** Where the application answers from now on. */
  readonly baseUrl: string;
}

export interface MaintenanceParts {
  readonly config: Config;
  readonly services: Services;
  readonly ports: MaintenancePorts;
  readonly cluster: Cluster;
  readonly notes: DatabaseNotes;
  /** Told before ports change, so that who is connected can be told where to go. */
  readonly changes: (change: ModeChange) => void;
}

/** The mode cannot be switched; the message says why, and nothing has changed. */
export class MaintenanceError extends Error {
  override readonly name = 'MaintenanceError';
  constructor(
    /** Of HTTP. */
    readonly status: 409 | 503,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export class MaintenanceMode {
  #turn: Promise<unknown> = Promise.resolve();
  /** What the ports do, which may differ from the setting for a moment. */
  #isOn = false;
  #look: NodeJS.Timeout | undefined;

  constructor(private readonly parts: MaintenanceParts) {}

  get enabled(): boolean {
    return this.#isOn;
  }

  /** Where the application answers now, without a slash at the end. */
  get baseUrl(): string {
    return this.parts.ports.address(this.#isOn);
  }

  /** Whether the instance has to start in maintenance mode: of several the note of the database decides. Throws `GraphError`. */
  static async atStart(config: Config, cluster: Cluster, notes: DatabaseNotes): Promise<boolean> {
    const own = config.get(SETTING);
    if (!cluster.shared || config.source(SETTING) === 'environment') return own;
    const noted = await notes.get(NOTE);
    return noted === undefined ? own : noted === String(true);
  }

  /** Takes the mode of the start, and follows other instances from then on. Throws when a port cannot be had. */
  async begin(on: boolean): Promise<void> {
    if (on) {
      await this.parts.ports.enable();
      this.#isOn = true;
      log.warn('the instance is in maintenance mode');
    }
    if (!this.parts.cluster.shared) return;
    this.#look = setInterval(() => void this.#follow(), LOOK_INTERVAL);
    this.#look.unref();
  }

  stop(): void {
    clearInterval(this.#look);
  }

  /** Switches, here and on all instances of the database; false: it is as asked for already. Throws `MaintenanceError`. */
  switch(on: boolean): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#isOn === on) {
        log.info(`maintenance mode is ${on ? 'on' : 'off'} already`);
        return false;
      }
      const { config, cluster, notes } = this.parts;
      if (config.source(SETTING) === 'environment')
        throw new MaintenanceError(409, `The environment sets ${SETTING}, so it cannot be switched here.`);
      await this.#become(on);
      try {
        if (cluster.shared) await notes.set(NOTE, String(on));
      } catch (error) {
        await this.#become(!on);
        throw new MaintenanceError(503, `The mode could not be told to the other instances: ${String(error)}`, {
          cause: error,
        });
      }
      return true;
    });
  }

  async #follow(): Promise<void> {
    const { config, notes } = this.parts;
    if (config.source(SETTING) === 'environment') return;
    await this.#inTurn(async () => {
      // The database may be away for a while.
      const noted = await notes.get(NOTE).catch(() => undefined);
      if (noted === undefined || (noted === String(true)) === this.#isOn) return;
      log.info('another instance has switched the maintenance mode');
      await this.#become(!this.#isOn);
    }).catch((error: unknown) => {
      log.error('the maintenance mode of the other instances could not be followed', error);
    });
  }

  /** Ports first: where they cannot be had nothing else has happened. */
  async #become(on: boolean): Promise<void> {
    const { config, ports, services } = this.parts;
    if (on) {
      try {
        await ports.enable();
      } catch (error) {
        throw new MaintenanceError(503, `The maintenance ports cannot be used: ${messageOf(error)}`, { cause: error });
      }
    }
    config.set(SETTING, on);
    try {
      await config.save();
    } catch (error) {
      config.set(SETTING, !on);
      if (on) await ports.disable();
      throw new MaintenanceError(503, `The settings could not be saved: ${messageOf(error)}`, { cause: error });
    }
    this.#isOn = on;
    this.parts.changes({ enabled: on, baseUrl: ports.address(on) });
    await services.maintenance(on);
    if (!on) await ports.disable();
    log.info(`maintenance mode is ${on ? 'on' : 'off'}`);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

function messageOf(error: unknown): string {
  if (error instanceof ConfigError) return error.problems.map(({ message }) => message).join('; ');
  return error instanceof Error ? error.message : String(error);
}
