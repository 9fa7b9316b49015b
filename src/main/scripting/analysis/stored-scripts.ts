/** The scripts that a database holds, analysed one after the other (contract, Startup migration mode). */
import type { GraphNode, WriteTransaction } from '../../graph/index.js';
import { ALLOW_ALL, allowsScripts, SYSTEM } from '../../schema/index.js';
import { TimeSlice } from '../../../shared/time-slice.js';
import type { Position } from '../language/errors.js';
import type { TransactionParts } from '../run/transaction/transaction.js';
import { analyseScript, analyseTemplate, type AnalysisOptions, type Matter } from './analysis.js';
import { notionFinding } from './notions.js';

/** Where scripts are stored: keys of objects, and whether each is a script as a whole. */
const HOLDERS: readonly { readonly trait: string; readonly keys: readonly string[]; readonly isScript: boolean }[] = [
  { trait: 'SchemaMethod', keys: ['source'], isScript: true },
  { trait: 'SchemaProperty', keys: ['readFunction', 'writeFunction'], isScript: true },
  { trait: 'MailTemplate', keys: ['text'], isScript: false },
];

export interface StoredFinding {
  readonly matter: Matter | 'notion';
  /** `SchemaMethod[<id>]:close.source` */
  readonly where: string;
  readonly position: Position;
  readonly message: string;
  /** It was put right, or would be. */
  readonly isRewritten: boolean;
}

interface Change {
  readonly id: string;
  readonly key: string;
  readonly before: string;
  readonly after: string;
}

/**
 * Looks through the methods, functions, function properties, mail templates and notions of the database, and calls `tell` for
 * whatever version 7.0 changed. With `apply` what is certain is rewritten, in one transaction. Files that are templates are not
 * looked at: their content is in a storage. Answers how many scripts were rewritten, or would be.
 */
export async function analyseStoredScripts(
  { graph, schemas, write }: TransactionParts,
  apply: boolean,
  tell: (finding: StoredFinding) => void,
): Promise<number> {
  const { schema } = schemas;
  const options: AnalysisOptions = { userFunctions: schema.functions };
  const slice = new TimeSlice();
  const changes: Change[] = [];
  await graph.read(async (tx) => {
    for (const holder of HOLDERS) {
      const types = schema.type(holder.trait)?.concreteTypes ?? [];
      for await (const nodes of tx.stream({ kind: 'nodes', trait: holder.trait, types })) {
        for (const node of nodes) {
          // Never run, and not to be taken for what an administrator wrote.
          if (holder.trait === 'MailTemplate' && !allowsScripts(node.properties)) continue;
          if (holder.trait === 'SchemaProperty') lookAtNotion(node, tell);
          for (const key of holder.keys) {
            const before = node.properties[key];
            if (typeof before !== 'string') continue;
            const { findings, text } = (holder.isScript ? analyseScript : analyseTemplate)(before, options);
            for (const finding of findings) tell({ ...finding, where: placeOf(node, key) });
            if (text !== before) changes.push({ id: node.id, key, before, after: text });
            if (slice.due) await slice.pause();
          }
        }
      }
    }
  });
  if (apply && changes.length > 0) {
    await schemas.write(SYSTEM, ALLOW_ALL, { ...write(), door: 'command', reason: 'migrate' }, async (objects) => {
      for (const change of changes) await rewrite(change, objects.tx, (node, input) => objects.update(node, input));
    });
  }
  return changes.length;
}

/** Somebody may have changed it meanwhile: then it stays as it is. */
async function rewrite(
  { id, key, before, after }: Change,
  tx: WriteTransaction,
  update: (node: GraphNode, input: Record<string, string>) => Promise<unknown>,
): Promise<void> {
  const node = await tx.node(id);
  if (node?.properties[key] === before) await update(node, { [key]: after });
}

function lookAtNotion(node: GraphNode, tell: (finding: StoredFinding) => void): void {
  const { propertyType, format } = node.properties;
  if ((propertyType !== 'Notion' && propertyType !== 'IdNotion') || typeof format !== 'string') return;
  const found = notionFinding(format);
  if (found === undefined) return;
  const { column, message } = found;
  tell({
    matter: 'notion',
    where: placeOf(node, 'format'),
    position: { line: 1, column },
    message,
    isRewritten: false,
  });
}

function placeOf({ id, type, properties }: GraphNode, key: string): string {
  return `${type}[${id}]:${typeof properties['name'] === 'string' ? properties['name'] : ''}.${key}`;
}
