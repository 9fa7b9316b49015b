/** What other clients of the database have written and the service does not see: nodes by their labels. */
import type { CypherMap, CypherParameter, CypherResult, CypherValue } from '../../../graph/index.js';
import type { JobControl } from '../../../files/index.js';
import type { CommandContext } from '../command.js';
import type { Findings, FoundValue } from './findings.js';

/** Labels, and kinds of relationships, that are looked at. */
const MOST = 1000;
/** Nodes read at once. */
const PAGE = 500;
const THEIRS = 'NOT n:NodeInterface';

/** Does nothing where the database has no other clients. */
export async function findForeign({ graph }: CommandContext, job: JobControl, findings: Findings): Promise<void> {
  await graph.read(
    async (tx) => {
      if (tx.cypher === undefined) return;
      const run = (text: string, parameters: Readonly<Record<string, CypherParameter>> = {}): Promise<CypherResult> =>
        tx.cypher?.({ text, parameters, mostRows: 10 * MOST, mostText: 100_000_000 }) ??
        Promise.resolve({ columns: [], rows: [] });
      job.phase('looking at what others have written');
      const isLabel = "NOT label STARTS WITH '_svc_'";
      const labels = await run(
        `MATCH (n) WHERE ${THEIRS} UNWIND labels(n) AS label WITH DISTINCT label WHERE ${isLabel} RETURN label LIMIT ${String(MOST)}`,
      );
      for (const [label] of labels.rows) if (typeof label === 'string') await findNodes(run, job, findings, label);
      const links = await run(
        'MATCH (n)-[r]->(m) WHERE (NOT n:NodeInterface OR NOT m:NodeInterface) AND r.id IS NULL ' +
          `RETURN DISTINCT n.type, labels(n), type(r), m.type, labels(m) LIMIT ${String(MOST)}`,
      );
      for (const [source, sourceLabels, relType, target, targetLabels] of links.rows) {
        const [from, to] = [typeOf(findings, source, sourceLabels), typeOf(findings, target, targetLabels)];
        if (typeof relType === 'string' && from !== undefined && to !== undefined)
          findings.relation(undefined, relType, from, to);
      }
    },
    { timeout: 0, signal: job.signal },
  );
}

async function findNodes(
  run: (text: string, parameters: Readonly<Record<string, CypherParameter>>) => Promise<CypherResult>,
  job: JobControl,
  findings: Findings,
  label: string,
): Promise<void> {
  const keys = findings.type(label);
  const name = '`' + label.replaceAll('`', '``').replaceAll('\\', '\\u005C') + '`';
  const page = `MATCH (n:${name}) WHERE ${THEIRS} AND id(n) > $after WITH n ORDER BY id(n) LIMIT ${String(PAGE)} RETURN id(n), properties(n)`;
  for (let after = -1; ;) {
    const { rows } = await run(page, { after });
    for (const [id, properties] of rows) {
      after = Number(id);
      for (const [key, value] of properties as CypherMap) keys.add(key, valueOf(value));
    }
    if (rows.length > 0) job.chunk({ objects: rows.length });
    await job.checkpoint();
    if (rows.length < PAGE) return;
  }
}

/** Dates, places and bytes of Neo4j are no values of the service. */
function valueOf(value: CypherValue): FoundValue {
  if (value === null || typeof value !== 'object') return value ?? undefined;
  return isPlainList(value) ? value : undefined;
}

function isPlainList(value: object): value is readonly (string | number | bigint | boolean)[] {
  return Array.isArray(value) && value.every((one) => one !== null && typeof one !== 'object');
}

function typeOf(
  findings: Findings,
  type: CypherValue | undefined,
  labels: CypherValue | undefined,
): string | undefined {
  if (typeof type === 'string') return type;
  return Array.isArray(labels) ? labels.map(String).find((label) => findings.types.has(label)) : undefined;
}
