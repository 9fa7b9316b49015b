/** What evaluates the content of files, as this room knows it. */
import type { GraphNode } from '../../graph/index.js';
import type { Exchange, SentFields } from '../../http/index.js';
import type { Actor, ObjectAccess } from '../../schema/index.js';

/** Who reads, and in answer to what. */
export interface TemplateReader {
  readonly actor: Actor;
  readonly access: ObjectAccess;
  readonly exchange?: Exchange;
  /** Fields of a form that came with it. */
  readonly form?: SentFields;
  /** The script that reads it, for the scripts of the template: they run in its transaction. Absent: no script does. */
  readonly origin?: object;
}

/** What a template became, and what its scripts want the answer to be like. */
export interface EvaluatedTemplate {
  readonly text: string;
  /** Sets the status and headers that scripts asked for. */
  applyTo(exchange: Exchange): void;
}

/** Evaluates templates; the scripting room implements it. */
export type EvaluateTemplate = (file: GraphNode, source: string, reader: TemplateReader) => Promise<EvaluatedTemplate>;
