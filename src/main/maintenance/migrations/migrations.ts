/** Migrations of this instance: at its start, and while it runs (contract, Startup migration mode and Maintenance: `migrate`). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../../cluster/index.js';
import { isConfigured } from '../../services/index.js';
import { logger } from '../../../shared/log.js';
import { MigrationRecord } from './record.js';
import { runSteps } from './run.js';
import type { MigrationMode, MigrationParts, MigrationStep, StepOutcome } from './step.js';
import { STEPS } from './table.js';

const log = logger('migration');

/** How often others look whether the coordinator is done, and after which time they give up; milliseconds. */
const POLL = 5000;
const PATIENCE = 300_000;

/** The coordinator of several instances has not migrated the database for too long; the start ends. */
export class CoordinatorError extends Error {
  override readonly name = 'CoordinatorError';
}

/** Another instance is the coordinator now. */
class NotCoordinator extends Error {}

export interface MigrationsParts extends MigrationParts {
  readonly cluster: Cluster;
}

/** For tests. */
export interface MigrationsOptions {
  readonly steps?: readonly MigrationStep[];
  readonly poll?: number;
  readonly patience?: number;
}

export class Migrations {
  readonly #record: MigrationRecord;
  readonly #steps: readonly MigrationStep[];

  /** Once a graph. */
  constructor(
    private readonly parts: MigrationsParts,
    private readonly options: MigrationsOptions = {},
  ) {
    this.#record = new MigrationRecord(parts.graph);
    this.#steps = options.steps ?? STEPS;
  }

  /**
   * What `application.migration.mode` says, before anything is served. False: the start ends here, as a dry run does. Throws
   * `MigrationError` and `CoordinatorError`.
   */
  async atStart(): Promise<boolean> {
    const { config, cluster } = this.parts;
    const mode = config.get('application.migration.mode');
    if (mode === 'off' || !isConfigured(config, 'MigrationService')) {
      await this.#tellPending();
      return true;
    }
    if (mode === 'apply') {
      await this.#applyOrWait();
      return true;
    }
    if (cluster.isCoordinator) await this.run('dry-run');
    else log.warn('dry run: nothing was looked at, another instance is the coordinator');
    log.info('dry run of migrations: nothing was changed; the start ends here');
    return false;
  }

  /**
   * Runs the steps now. For the coordinator alone, who may serve requests meanwhile; `checkpoint` is awaited between pieces, and what it
   * throws ends the work. Throws `MigrationError`.
   */
  async run(
    mode: MigrationMode,
    checkpoint: (looked: number) => Promise<void> = () => Promise.resolve(),
  ): Promise<readonly StepOutcome[]> {
    const { cluster } = this.parts;
    return runSteps(this.parts, this.#record, this.#steps, {
      mode,
      checkpoint: async (looked) => {
        if (!cluster.isCoordinator) throw new NotCoordinator('Another instance has become the coordinator.');
        await checkpoint(looked);
      },
    });
  }

  /**
   * Behind the import of an application, which may be one of before, as the settings say for a start; the coordinator alone. What its
   * steps find goes to the log. Throws `MigrationError`, and the reason of `signal`.
   */
  async afterImport(signal: AbortSignal): Promise<void> {
    const { config, cluster } = this.parts;
    if (config.get('application.migration.mode') !== 'apply' || !cluster.isCoordinator) return;
    if (!isConfigured(config, 'MigrationService')) return;
    await this.run('apply', () => {
      signal.throwIfAborted();
      return Promise.resolve();
    });
  }

  /** Once by the coordinator; whoever is not waits until it is done, and does it when he has become the coordinator. */
  async #applyOrWait(): Promise<void> {
    const { cluster } = this.parts;
    const { poll = POLL, patience = PATIENCE } = this.options;
    const until = performance.now() + patience;
    for (let isTold = false; ;) {
      if (cluster.isCoordinator) {
        try {
          await this.run('apply');
          return;
        } catch (error) {
          if (!(error instanceof NotCoordinator)) throw error;
        }
      }
      const pending = await this.#record.pending(this.#steps);
      if (pending.length === 0) return;
      if (performance.now() > until) {
        throw new CoordinatorError(
          `The coordinator has not migrated the database within ${String(Math.round(patience / 1000))} s: ${namesOf(pending)} are missing. Is it a version of before, or one whose application.migration.mode is off?`,
        );
      }
      if (!isTold) log.info(`waiting for the coordinator to migrate the database: ${namesOf(pending)}`);
      isTold = true;
      await sleep(poll);
    }
  }

  async #tellPending(): Promise<void> {
    const pending = await this.#record.pending(this.#steps);
    if (pending.length === 0) return;
    log.warn(`the database is served without migrations that it needs: ${namesOf(pending)}`);
  }
}

function namesOf(steps: readonly MigrationStep[]): string {
  return steps.map(({ name, version }) => `${name} (${version})`).join(', ');
}
