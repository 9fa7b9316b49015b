/** What statements a query becomes, and how Neo4j would run them: for tests and the log. */
import type { Query } from '../../query.js';
import type { Database } from '../connection/database.js';
import { compileCount, compileRows } from './compile.js';
import type { Knowledge } from './knowledge.js';

export async function explainedQuery(query: Query, knowledge: Knowledge, database: Database): Promise<string[]> {
  const lines: string[] = [];
  const statements = [
    ['rows', compileRows(query, knowledge)],
    ['count', compileCount(query, knowledge, Infinity)],
  ] as const;
  for (const [name, statement] of statements) {
    if (statement === undefined) continue;
    lines.push(`${name}: ${statement.text}`);
    for (const operator of await database.plan(statement)) lines.push(`${name} plan: ${operator}`);
  }
  return lines;
}
