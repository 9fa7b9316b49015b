/** What a step of migration is, and what it works with (contract, Startup migration mode; docs/design/migrations.md). */
import type { Config } from '../../config/index.js';
import type { Files } from '../../files/index.js';
import type { Graph } from '../../graph/index.js';
import type { ObjectTransaction, SchemaService, WriteOptions } from '../../schema/index.js';

/** `dry-run`: what is written is taken back. */
export type MigrationMode = 'apply' | 'dry-run';

export interface MigrationParts {
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
  readonly files: Files;
  /** Settings of writing transactions, as they are now. */
  readonly write: () => WriteOptions;
}

/** The position of a step behind its last piece. */
export const END = Symbol('end');

/** A step at work. */
export interface StepWork extends MigrationParts {
  readonly mode: MigrationMode;
  /** Where an earlier run, which did not come to its end, has got to; undefined: the step begins. */
  readonly position: string | undefined;
  /** One line for the log: what a person has to look at, with its place. Counted as a finding. */
  readonly finding: (line: string) => void;
  /** The same for something that was changed, or would be. Counted as a change, and not as a finding. */
  readonly change: (line: string) => void;
  /**
   * One piece of the step, as one transaction with everybody's rights that sets off no methods of users: committed together with the
   * position it has got to, or taken back in a dry run. A step that is small is one piece whose position is `END`.
   */
  readonly transaction: <T>(
    position: string | typeof END,
    work: (objects: ObjectTransaction) => Promise<T>,
  ) => Promise<T>;
  /** To be awaited between pieces; `looked`: objects since the last time. Throws where the work has to end. */
  readonly checkpoint: (looked?: number) => Promise<void>;
}

export interface MigrationStep {
  /** Its name in the log and in the database: never changed, and never used again. */
  readonly name: string;
  /** The version of the program that first has it. */
  readonly version: string;
  /**
   * `change`: what older databases need. It is done once a database; until it is, the program must not serve it.
   * `report`: looks at scripts and the like, with every start. When it fails, the log says so and the start goes on.
   */
  readonly kind: 'change' | 'report';
  /** What it is for, in a few words for the log. */
  readonly about: string;
  /** Throws what it cannot do; what it has done in pieces that were committed stays. */
  run(work: StepWork): Promise<void>;
}

/** What a step came to. */
export interface StepOutcome {
  readonly step: string;
  readonly version: string;
  readonly findings: number;
  readonly changes: number;
  /** Why a report did not come to its end. */
  readonly failure?: string;
}
