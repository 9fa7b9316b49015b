/** What runs the scripts of imports, as this room knows it. */
import type { Asker } from '../../request/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';

/** A script, and the text that it finds as `input`. */
export interface TransformedCell {
  readonly source: string;
  readonly input: string;
}

/** Runs the scripts of imports; the scripting room implements it. */
export interface ImportScripts {
  /** Why a script cannot be read; undefined: it can be. */
  problemIn(source: string): Promise<string | undefined>;
  /**
   * The results for the cells of one row, in a transaction of their own. Throws `JobError` for what a script does wrong, and what
   * the rules of the schema say of what it wrote.
   */
  transform(
    title: string,
    cells: readonly TransformedCell[],
    rights: Asker,
    signal: AbortSignal,
  ): Promise<readonly JsonValue[]>;
  /** Runs `onFinish` with `jobInfo`, in a transaction of its own. Throws `JobError` for what it does wrong. */
  finish(title: string, source: string, info: JsonObject, rights: Asker, signal: AbortSignal): Promise<void>;
}

/** Where the files room finds what runs them, once it is there. */
export interface ImportScriptsPlace {
  current: ImportScripts | undefined;
}
