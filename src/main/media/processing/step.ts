import type { GraphNode, PropertyChanges } from '../../graph/index.js';
import type { Type } from '../../schema/index.js';
import type { MediaContext } from '../context.js';

/** What background work on one file gets. */
export interface StepRun {
  readonly file: GraphNode;
  readonly type: Type;
  /** Aborted when the server ends, the file has other content, or somebody cancels it. */
  readonly signal: AbortSignal;
  /** Shows how far it is, in percent; as often as it likes. */
  progress(percent: number): void;
  /** Told when a thread ended under the work. */
  readonly died: () => void;
}

/** Background work on the content of files: one file, and a line in `table.ts` (docs/design/media.md 3). */
export interface Step {
  /** In a word, for the log. */
  readonly name: string;
  /** Whether content of such a file is for it. Looks at nothing but the file and the settings. */
  wants(file: GraphNode, hasTrait: (name: string) => boolean, context: MediaContext): boolean;
  /**
   * Does it; returns the properties that the file gets, when it still has this content. What it throws is told as `processingMessage` when it is a
   * `MediaError` or `WorkError`; others are logged, and the file says that it failed.
   */
  run(run: StepRun, context: MediaContext): Promise<PropertyChanges>;
}
