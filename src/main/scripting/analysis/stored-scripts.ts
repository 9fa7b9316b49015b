/** Where a database holds scripts, and what they are there (contract, Startup migration mode). Files that are templates have theirs in a storage. */
import type { GraphNode, ReadTransaction } from '../../graph/index.js';
import { allowsScripts, type Schema } from '../../schema/index.js';
import { analyseScript, analyseTemplate, analyseValue, type Analysis, type AnalysisOptions } from './analysis.js';
import { notionFinding, type NotionFinding } from './notions.js';

/** A script that an object holds. */
export interface StoredScript {
  readonly node: GraphNode;
  readonly key: string;
  readonly source: string;
  analyse(options: AnalysisOptions): Analysis;
}

type Analyse = (source: string, options: AnalysisOptions) => Analysis;

interface Holder {
  readonly trait: string;
  /** Whether scripts of this object are run: those that others than administrators wrote are not. */
  readonly runs?: (node: GraphNode) => boolean;
  /** What the text of a key is; undefined: no script. */
  readonly kind: (key: string) => Analyse | undefined;
}

const isTrusted = ({ properties }: GraphNode): boolean => properties['sandboxed'] !== true;
/** Keys of nodes of pages whose text is evaluated as it stands. */
const VALUES: ReadonlySet<string> = new Set([
  ...['functionQuery', 'showConditions', 'hideConditions', 'selectedValues', 'sharedComponentConfiguration'],
  'scriptExpression',
]);
/** Keys of objects that the service itself writes, or that are names: no texts of authors. */
const NO_TEXTS =
  /^(?:id|type|name|owner\w*|created\w*|lastModified\w*|path|contentType|cypherQuery|restQuery|sandboxed|version)$/;

const pageText = (key: string): Analyse | undefined =>
  VALUES.has(key) ? analyseValue : NO_TEXTS.test(key) ? undefined : analyseTemplate;
const only =
  (analyse: Analyse, ...keys: string[]) =>
  (key: string): Analyse | undefined =>
    keys.includes(key) ? analyse : undefined;

const HOLDERS: readonly Holder[] = [
  { trait: 'SchemaMethod', kind: only(analyseScript, 'source') },
  { trait: 'SchemaProperty', kind: only(analyseScript, 'readFunction', 'writeFunction') },
  { trait: 'MailTemplate', runs: ({ properties }) => allowsScripts(properties), kind: only(analyseTemplate, 'text') },
  ...['DOMNode', 'ActionMapping', 'ParameterMapping'].map((trait) => ({ trait, runs: isTrusted, kind: pageText })),
];

/** All of them, holder by holder. Texts without any script may be among them. Memory does not grow with their number. */
export async function* storedScripts(tx: ReadTransaction, schema: Schema): AsyncGenerator<StoredScript> {
  for (const { trait } of HOLDERS) {
    const types = schema.type(trait)?.concreteTypes ?? [];
    for await (const nodes of tx.stream({ kind: 'nodes', trait, types })) {
      for (const node of nodes) yield* scriptsOf(node, schema);
    }
  }
}

/** Those of one object. */
export function scriptsOf(node: GraphNode, schema: Schema): readonly StoredScript[] {
  const type = schema.typeOf(node);
  const holder = HOLDERS.find(({ trait }) => type.hasTrait(trait));
  if (holder === undefined || holder.runs?.(node) === false) return [];
  return Object.entries(node.properties).flatMap(([key, source]) => {
    const analyse = typeof source === 'string' ? holder.kind(key) : undefined;
    if (analyse === undefined || typeof source !== 'string') return [];
    return [{ node, key, source, analyse: (options) => analyse(source, options) }];
  });
}

/** Formats of notions that are to be looked at; memory does not grow with the number of properties. */
export async function* storedNotions(
  tx: ReadTransaction,
  schema: Schema,
): AsyncGenerator<NotionFinding & { readonly node: GraphNode }> {
  const types = schema.type('SchemaProperty')?.concreteTypes ?? [];
  for await (const nodes of tx.stream({ kind: 'nodes', trait: 'SchemaProperty', types })) {
    for (const node of nodes) {
      const { propertyType, format } = node.properties;
      if ((propertyType !== 'Notion' && propertyType !== 'IdNotion') || typeof format !== 'string') continue;
      const found = notionFinding(format);
      if (found !== undefined) yield { ...found, node };
    }
  }
}

/** Where a text stands, for who reads the log: `SchemaMethod[<id>]:close.source` */
export function placeOf({ id, type, properties }: GraphNode, key: string): string {
  return `${type}[${id}]:${typeof properties['name'] === 'string' ? properties['name'] : ''}.${key}`;
}
