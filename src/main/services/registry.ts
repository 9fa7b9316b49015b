/** The services of this instance: which are started, in which order, and how each is. */
import type { Config } from '../config/index.js';
import { logger } from '../../shared/log.js';
import { ServiceError, type Service, type ServiceState } from './service.js';

const log = logger('services');

/** One service as administrators see it. */
export interface ServiceInfo {
  readonly name: string;
  readonly state: ServiceState;
  readonly vital: boolean;
  readonly needs: readonly string[];
  /** Since when it is in this state, as ISO 8601. */
  readonly since: string;
  /** Why it failed. */
  readonly problem?: string;
  /** What can be asked for now. */
  readonly actions: readonly ServiceAction[];
}

export type ServiceAction = 'start' | 'stop' | 'restart';

interface Entry {
  readonly service: Service;
  state: ServiceState;
  since: Date;
  problem?: string | undefined;
  /** It runs again when maintenance ends. */
  rests: boolean;
}

export class Services {
  readonly #entries: ReadonlyMap<string, Entry>;
  #maintenance = false;
  /** One thing at a time: starts and stops wait for each other. */
  #turn: Promise<unknown> = Promise.resolve();

  /** In the order of `table`, each behind those it needs. Throws where the table is no order. */
  constructor(
    private readonly config: Config,
    table: readonly Service[],
  ) {
    const since = new Date();
    this.#entries = new Map(
      inOrder(table).map((service) => [service.name, { service, state: 'stopped', since, rests: false }]),
    );
  }

  /** Starts what the setting names; `maintenance`: without those that rest then. What fails is logged and shown, and the others go on. */
  startAll(maintenance: boolean): Promise<void> {
    return this.#inTurn(async () => {
      this.#maintenance = maintenance;
      const configured = new Set(this.config.get('configured.services'));
      const missing: string[] = [];
      for (const entry of this.#entries.values()) {
        const { service } = entry;
        const named = configured.has(service.name);
        if (!named && service.vital === true) missing.push(service.name);
        if (service.runs === undefined)
          this.#become(entry, named || service.vital === true ? (service.otherwise ?? 'running') : 'off');
        else if (!named) {
          this.#become(entry, 'off');
          log.info(`${service.name} is not started: configured.services does not name it`);
        } else if (maintenance && service.restsInMaintenance === true) {
          entry.rests = true;
          log.warn(`${service.name} is not started in maintenance mode`);
        } else await this.#begin(entry);
      }
      if (missing.length > 0) log.warn(`configured.services leaves out ${missing.join(', ')}: started all the same`);
      const unknown = [...configured].filter((name) => !this.#entries.has(name));
      if (unknown.length > 0)
        log.warn(`configured.services names ${unknown.join(', ')}, which this version does not know`);
    });
  }

  list(): readonly ServiceInfo[] {
    return [...this.#entries.values()].map((entry) => ({
      name: entry.service.name,
      state: entry.state,
      vital: entry.service.vital === true,
      needs: entry.service.needs ?? [],
      since: entry.since.toISOString(),
      ...(entry.problem === undefined ? {} : { problem: entry.problem }),
      actions: this.#actionsOf(entry),
    }));
  }

  /** Throws `ServiceError` 404, 409 and 422 for what cannot be asked for, 503 where it fails. */
  act(name: string, action: ServiceAction): Promise<void> {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new ServiceError(404, `There is no service ${name}.`);
    return this.#inTurn(async () => {
      const { service, state } = entry;
      if (service.runs === undefined)
        throw new ServiceError(
          422,
          `${name} cannot be ${PAST[action]} by itself${service.vital === true ? ': restart the server' : ''}.`,
        );
      if (state === 'off') throw new ServiceError(409, `${name} is left out by configured.services.`);
      if (action !== 'stop' && this.#maintenance && service.restsInMaintenance === true)
        throw new ServiceError(409, `${name} rests until the maintenance mode ends.`);
      if (action === 'start' && state === 'running') return;
      if (action !== 'start' && state === 'running') {
        const user = this.#usersOf(service).find(({ state: other }) => other === 'running');
        if (action === 'stop' && user !== undefined)
          throw new ServiceError(409, `${user.service.name} needs ${name}: stop it first.`);
        await this.#end(entry);
      }
      entry.rests = false;
      if (action === 'stop') return;
      await this.#begin(entry);
      if (entry.state === 'failed') throw new ServiceError(503, `${name} failed to start: ${entry.problem ?? ''}`);
    });
  }

  /** Has those rest that do so in maintenance mode, or starts them again, unless somebody stopped them before. */
  maintenance(on: boolean): Promise<void> {
    return this.#inTurn(async () => {
      this.#maintenance = on;
      const entries = [...this.#entries.values()].filter(({ service }) => service.restsInMaintenance === true);
      for (const entry of on ? entries.reverse() : entries) {
        if (on && entry.state === 'running') {
          await this.#end(entry);
          entry.rests = true;
        } else if (!on && entry.rests) {
          entry.rests = false;
          await this.#begin(entry);
        }
      }
    });
  }

  /** In reverse order. */
  stop(): Promise<void> {
    return this.#inTurn(async () => {
      for (const entry of [...this.#entries.values()].reverse()) if (entry.state === 'running') await this.#end(entry);
    });
  }

  #actionsOf({ service, state, rests }: Entry): readonly ServiceAction[] {
    if (service.runs === undefined || state === 'off') return [];
    if (state === 'running') return ['stop', 'restart'];
    return rests && this.#maintenance ? [] : ['start'];
  }

  #usersOf(service: Service): readonly Entry[] {
    return [...this.#entries.values()].filter((one) => one.service.needs?.includes(service.name) === true);
  }

  async #begin(entry: Entry): Promise<void> {
    const { service } = entry;
    const lacks = service.needs?.filter((name) => this.#entries.get(name)?.state !== 'running') ?? [];
    try {
      if (lacks.length > 0) throw new Error(`it needs ${lacks.join(', ')}`);
      await service.runs?.start();
      this.#become(entry, 'running');
    } catch (error) {
      this.#become(entry, 'failed', error instanceof Error ? error.message : String(error));
      log.error(`${service.name} failed to start`, error);
    }
  }

  async #end(entry: Entry): Promise<void> {
    const { service } = entry;
    if (service.runs === undefined) return;
    try {
      await service.runs.stop();
      this.#become(entry, 'stopped');
      log.info(`${service.name} is stopped`);
    } catch (error) {
      this.#become(entry, 'failed', error instanceof Error ? error.message : String(error));
      log.error(`${service.name} failed to stop`, error);
    }
  }

  #become(entry: Entry, state: ServiceState, problem?: string): void {
    entry.state = state;
    entry.since = new Date();
    entry.problem = problem;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

const PAST: Readonly<Record<ServiceAction, string>> = { start: 'started', stop: 'stopped', restart: 'restarted' };

function inOrder(table: readonly Service[]): readonly Service[] {
  const ordered: Service[] = [];
  const rest = new Set(table);
  while (rest.size > 0) {
    const next = [...rest].find(
      ({ needs }) => needs?.every((name) => ordered.some((one) => one.name === name)) ?? true,
    );
    if (next === undefined)
      throw new Error(`services need each other: ${[...rest].map(({ name }) => name).join(', ')}`);
    ordered.push(next);
    rest.delete(next);
  }
  return ordered;
}
