/** SQL text with its parameters, in order. Names and values of clients only ever appear as parameters. */
import type { SqlValue } from './values.js';

export interface Sql {
  readonly text: string;
  readonly params: readonly SqlValue[];
}

/** `sql\`n.pk = ${3} AND ${other}\``: fragments are spliced in, everything else is bound. */
export function sql(strings: TemplateStringsArray, ...parts: readonly (SqlValue | Sql)[]): Sql {
  let text = strings[0] ?? '';
  const params: SqlValue[] = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? null;
    if (part !== null && typeof part === 'object' && 'text' in part) {
      text += part.text;
      for (const param of part.params) params.push(param);
    } else {
      text += '?';
      params.push(part);
    }
    text += strings[i + 1] ?? '';
  }
  return { text, params };
}

/** SQL written in this program, without parameters. */
export function raw(text: string): Sql {
  return { text, params: [] };
}

export const TRUE_SQL = raw('1');
export const FALSE_SQL = raw('0');

/** Fragments with a separator between them. */
export function join(parts: readonly Sql[], separator: string): Sql {
  const params: SqlValue[] = [];
  for (const part of parts) for (const param of part.params) params.push(param);
  return { text: parts.map((part) => part.text).join(separator), params };
}

/** AND or OR of conditions as a balanced tree: SQLite limits the depth of an expression to 1000. */
export function combine(parts: readonly Sql[], operator: 'AND' | 'OR'): Sql {
  if (parts.length === 0) return operator === 'AND' ? TRUE_SQL : FALSE_SQL;
  if (parts.length <= 8) {
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : sql`(${join(parts, ` ${operator} `)})`;
  }
  const half = parts.length >> 1;
  return sql`(${combine(parts.slice(0, half), operator)} ${raw(operator)} ${combine(parts.slice(half), operator)})`;
}

/** `?,?,?` for values; one JSON parameter when there are many, so that statements stay few and short. */
export function list(values: readonly (string | number | bigint)[]): Sql {
  if (values.length <= 16) return { text: values.map(() => '?').join(','), params: values };
  const items = values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : jsonNumber(value)));
  return sql`SELECT value FROM json_each(${'[' + items.join(',') + ']'})`;
}

function jsonNumber(value: number | bigint): string {
  if (typeof value === 'bigint' || Number.isFinite(value)) return String(value);
  return value > 0 ? '9e999' : '-9e999';
}

/**
 * ` LIMIT ... OFFSET ...` with bound numbers. `?+0`: SQLite plans a statement anew whenever something is bound to a bare
 * `LIMIT ?`, because its plan may depend on that number; preparing takes several times as long as looking a row up.
 */
export function cutTo(limit: number, offset?: number): Sql {
  return offset === undefined ? sql` LIMIT ${limit}+0` : sql` LIMIT ${limit}+0 OFFSET ${offset}+0`;
}

/** Every 61st row asks whether the statement may go on (see functions.ts). */
export function alive(pk: Sql): Sql {
  return sql`(${pk}%61 OR svc_alive(${pk}))`;
}
