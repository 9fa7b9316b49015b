/** Runs steps of migration one after the other, in one of the two modes. */
import { ALLOW_ALL, SYSTEM, type ObjectTransaction } from '../../schema/index.js';
import { logger } from '../../../shared/log.js';
import { TimeSlice } from '../../../shared/time-slice.js';
import type { MigrationRecord } from './record.js';
import {
  END,
  type MigrationMode,
  type MigrationParts,
  type MigrationStep,
  type StepOutcome,
  type StepWork,
} from './step.js';

const log = logger('migration');

/** A step that changes something has failed: what it had not committed was taken back, and the steps behind it were not begun. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** Ends the transactions of a dry run. */
class TakenBack extends Error {}

export interface RunOptions {
  readonly mode: MigrationMode;
  /** Awaited between pieces and steps; what it throws ends the run. `looked`: objects since the last time. */
  readonly checkpoint: (looked: number) => Promise<void>;
}

/**
 * Runs the reports, and what changes something and is not done yet, in the order of `steps`; the outcome of each. Throws
 * `MigrationError`, and what `checkpoint` throws.
 */
export async function runSteps(
  parts: MigrationParts,
  record: MigrationRecord,
  steps: readonly MigrationStep[],
  { mode, checkpoint }: RunOptions,
): Promise<readonly StepOutcome[]> {
  if (mode === 'apply') await record.settle();
  const pending = new Set(await record.pending(steps));
  const outcomes: StepOutcome[] = [];
  for (const step of steps) {
    if (step.kind === 'change' && !pending.has(step)) continue;
    await checkpoint(0);
    outcomes.push(await new Run(parts, record, step, mode, checkpoint).outcome());
  }
  return outcomes;
}

/** One step. */
class Run {
  #findings = 0;
  #changes = 0;
  /** What `checkpoint` threw is no failure of the step. */
  #ending: { readonly error: unknown } | undefined;
  readonly #slice = new TimeSlice();
  /** Objects that were looked at since `checkpoint` was told. */
  #looked = 0;

  constructor(
    private readonly parts: MigrationParts,
    private readonly record: MigrationRecord,
    private readonly step: MigrationStep,
    private readonly mode: MigrationMode,
    private readonly checkpoint: RunOptions['checkpoint'],
  ) {}

  async outcome(): Promise<StepOutcome> {
    const { step, mode, record } = this;
    const since = performance.now();
    const isKept = step.kind === 'change' && mode === 'apply';
    if (isKept) await record.begin(step.version);
    const failure = await this.#failure();
    if (failure === undefined && isKept) await record.finish(step);
    const [findings, changes] = [this.#findings, this.#changes];
    const took = `${(performance.now() - since).toFixed(0)} ms`;
    if (failure === undefined) {
      const would = mode === 'dry-run' ? 'would change' : 'changed';
      log.info(
        `step ${step.name} (${step.about}): ${would} ${String(changes)}, ${String(findings)} to look at; ${took}`,
      );
    }
    const { name, version } = step;
    return { step: name, version, findings, changes, ...(failure === undefined ? {} : { failure }) };
  }

  /** Does it. Why it failed, for a step whose failure ends nothing. */
  async #failure(): Promise<string | undefined> {
    const { step, mode } = this;
    try {
      await step.run(await this.#work());
      await this.#tell();
      return undefined;
    } catch (error) {
      if (this.#ending !== undefined) throw this.#ending.error;
      const message = error instanceof Error ? error.message : String(error);
      if (step.kind === 'report') {
        log.warn(`step ${step.name} (${step.about}) has failed; the others go on: ${message}`, error);
        return message;
      }
      throw new MigrationError(
        `The migration step ${step.name} (${step.about}) of version ${step.version} has failed${mode === 'apply' ? ' and was taken back' : ''}: ${message}`,
        { cause: error },
      );
    }
  }

  async #work(): Promise<StepWork> {
    const { parts, record, step, mode } = this;
    const would = mode === 'dry-run' ? 'would: ' : '';
    return {
      ...parts,
      mode,
      position: step.kind === 'change' && mode === 'apply' ? await record.position(step) : undefined,
      finding: (line) => {
        this.#findings++;
        log.info(`${step.name}: ${line}`);
      },
      change: (line) => {
        this.#changes++;
        log.info(`${step.name}: ${would}${line}`);
      },
      transaction: (position, work) => this.#transaction(position, work),
      checkpoint: async (looked = 0) => {
        this.#looked += looked;
        if (!this.#slice.due) return;
        await this.#slice.pause();
        await this.#tell();
      },
    };
  }

  async #tell(): Promise<void> {
    const looked = this.#looked;
    this.#looked = 0;
    try {
      await this.checkpoint(looked);
    } catch (error) {
      this.#ending = { error };
      throw error;
    }
  }

  async #transaction<T>(position: string | typeof END, work: (objects: ObjectTransaction) => Promise<T>): Promise<T> {
    const { record, step, mode } = this;
    const reason = `migration ${step.name}`;
    if (mode === 'dry-run') return this.#takenBack(reason, work);
    const write = (): Promise<T> => this.#write(reason, work);
    if (step.kind === 'report') return write();
    return record.reaching(step, position === END ? undefined : position, reason, write);
  }

  async #takenBack<T>(reason: string, work: (objects: ObjectTransaction) => Promise<T>): Promise<T> {
    let done: { readonly value: T } | undefined;
    try {
      await this.#write(reason, async (objects) => {
        done = { value: await work(objects) };
        // What is only found out at the end, rules and the schema that was written, counts as well.
        await objects.finish();
        (await this.parts.schemas.compileWritten(objects.tx, objects.schema))?.();
        throw new TakenBack();
      });
    } catch (error) {
      if (!(error instanceof TakenBack)) throw error;
    }
    if (done === undefined) throw new Error('a dry run has not been taken back');
    return done.value;
  }

  #write<T>(reason: string, work: (objects: ObjectTransaction) => Promise<T>): Promise<T> {
    const { schemas, write } = this.parts;
    const options = { ...write(), door: 'command' as const, reason };
    return schemas.write(SYSTEM, ALLOW_ALL, options, work, { timeout: 0 }, { methods: false });
  }
}
