/** Files whose content is evaluated when they are read (`isTemplate`; docs/interface/scripting.md 7.2). */
import type { GraphNode } from '../../graph/index.js';
import type { Exchange } from '../../http/index.js';
import { allowed } from '../../schema/index.js';
import type { FilesContext } from '../context.js';
import { askedMode } from './edit-mode.js';
import type { EvaluatedTemplate, TemplateReader } from './template-evaluation.js';
import { FilesError } from '../errors.js';
import { stateOf } from './file-state.js';
import { sizeOf } from '../content/place.js';
import { wholeContent } from '../content/whole-content.js';

/** Bytes of the largest one: larger ones are data, not templates. */
export const MOST_EVALUATED = 16 * 1024 * 1024;

/**
 * Whether a file's content is evaluated. What users who are no administrators have written never is: it would run with the
 * rights of whoever looks at it.
 */
export function isEvaluated({ properties }: GraphNode): boolean {
  return properties['isTemplate'] === true && properties['sandboxed'] !== true;
}

/**
 * Throws `FilesError` 422 for a file whose content is evaluated, for those who take bytes as they are stored: its source is not
 * what readers get, and may hold what they must not see.
 */
export function refuseEvaluated(file: GraphNode): void {
  if (!isEvaluated(file)) return;
  throw new FilesError(422, 'The content of this file is evaluated when it is read; getContent answers the result.');
}

/** The text of a template for a reader. Throws what its scripts throw, and `FilesError` 413. */
export async function evaluated(
  context: FilesContext,
  file: GraphNode,
  reader: TemplateReader,
): Promise<EvaluatedTemplate> {
  if (sizeOf(file) > MOST_EVALUATED) {
    throw new FilesError(
      413,
      `The file is larger than ${String(MOST_EVALUATED / (1024 * 1024))} MB and cannot be evaluated.`,
    );
  }
  const { evaluate } = context.templates;
  if (evaluate === undefined) throw new FilesError(503, 'The service is starting; try again.', { 'Retry-After': '1' });
  return evaluate(file, (await sourceOf(context, file, reader)).toString('utf8'), reader);
}

function sourceOf(
  { contents, small }: FilesContext,
  file: GraphNode,
  { exchange }: TemplateReader,
): Buffer | Promise<Buffer> {
  if (sizeOf(file) > small.largest) return wholeContent(contents, file, exchange);
  const { content, stored } = stateOf(file);
  return small.get(content) ?? small.load(content, () => contents.readWhole(stored));
}

/** Sends what a template is for whoever asks: made for him, so it is kept by no cache unless the file says so. */
export async function sendEvaluated(
  context: FilesContext,
  exchange: Exchange,
  file: GraphNode,
  reader: TemplateReader,
): Promise<void> {
  const result = await evaluated(context, file, { ...reader, exchange });
  const { type } = stateOf(file);
  exchange.setHeader('Content-Type', type);
  exchange.setHeader('X-Content-Type-Options', 'nosniff');
  exchange.setHeader('Cache-Control', cacheControl(file));
  result.applyTo(exchange);
  exchange.end(charsetOf(type) === 'latin1' ? Buffer.from(result.text, 'latin1') : result.text);
}

/** Administrators who may change a template get its source when they ask for an edit mode (docs/interface/files.md 5.3). */
export async function wantsSource(
  context: FilesContext,
  exchange: Exchange,
  file: GraphNode,
  { actor, access }: TemplateReader,
): Promise<boolean> {
  if (!actor.isAdmin) return false;
  const legacy = context.config.get('application.legacy.requestparameters.enabled');
  if (askedMode(exchange, legacy) === 'NONE') return false;
  return context.graph.read((tx) => allowed(tx, access, 'write', file));
}

function charsetOf(type: string): 'latin1' | 'utf8' {
  return /charset="?(?:iso-8859-1|latin1)"?\s*$/i.test(type) ? 'latin1' : 'utf8';
}

/** Whom it was made for alone, unless its file says for how long it holds. */
function cacheControl({ properties }: GraphNode): string {
  const { cacheForSeconds, dontCache } = properties;
  if (dontCache === true || typeof cacheForSeconds !== 'number') return 'private, no-cache, no-store, max-age=0';
  return `private, max-age=${String(Math.max(0, cacheForSeconds))}`;
}
