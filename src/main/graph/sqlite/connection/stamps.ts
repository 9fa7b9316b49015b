/**
 * Properties that nearly every record has stand beside its JSON, as numbers (docs/design/sqlite.md, "Records"): `made` is `createdDate`;
 * `maker` the number of `createdBy` among the names; `changed` is 0 where nobody has changed it since (`lastModifiedDate`
 * is `createdDate`, `lastModifiedBy` is `createdBy`), else the milliseconds from one to the other, times 32768, and the number of `lastModifiedBy`,
 * 0 for the maker. Either all are there, or `made` alone (of a relationship that carries
 * rights), or none, and all is in the JSON. JSON of a relationship that gives all rights and nothing else is the number 15; of one
 * without further properties NULL.
 */
import { ALLOWED, type Right } from '../../access.js';
import type { PropertyMap, StoredValue } from '../../types.js';
import { decodeProperties, decodeUnkept, encodeProperties, isPlain } from './codec.js';
import type { Row } from './connection.js';
import { jsonPath } from './parts.js';
import { raw, type Sql, sql } from './sql.js';

const [MADE, MAKER, CHANGED, CHANGER] = ['createdDate', 'createdBy', 'lastModifiedDate', 'lastModifiedBy'] as const;
/** What most texts end with; all of them have it in the same length. */
const TAIL =
  /^([{,])"createdDate":(\d{13}),"createdBy":"([0-9a-f]{32})","lastModifiedDate":(\d{13}),"lastModifiedBy":"([0-9a-f]{32})"\}$/;
const TAIL_LENGTH = 161;
const PERSON = /^[0-9a-f]{32}$/;
const RIGHTS: readonly Right[] = ['read', 'write', 'delete', 'accessControl'];
/** In JSON, the rights of a grant that gives all of them. */
const ALL = `"${ALLOWED}":${JSON.stringify(RIGHTS)}`;
const GRANT = new RegExp(`^\\{"createdDate":(\\d{13})(,${ALL.replaceAll(/[[\]]/g, '\\$&')})?\\}$`);
/** What stands for them. */
const ALL_RIGHTS = 15n;
const LONGEST_GRANT = 90;
/** The number of the changer in `changed` is less, and the milliseconds at most so many (8.7 years), so that it is exact in JavaScript. */
const CHANGERS = 32768;
const MOST_AFTER = 2 ** 38 - 1;

/** Numbers of users in the place of their ids; undefined: there are too many to be kept in memory. */
type NumberOf = (id: string) => number | undefined;
/** The reverse. */
export type TextOf = (number: number) => string;

/** Values of the columns, in the order of `made,maker,changed,props`. */
export type Packed = readonly [
  made: number | null,
  maker: number | null,
  changed: number | null,
  /** A `bigint` is bound as an integer, which takes one byte; any other number as one of eight. */
  props: string | bigint | null,
];

/** A record of a node as it is stored; `text` is the JSON of all its properties. */
export function packNode(properties: PropertyMap, text: string, numberOf: NumberOf): Packed {
  return packed(properties, text, numberOf) ?? [null, null, null, text];
}

/** The same of a relationship. */
export function packRelationship(properties: PropertyMap, text: string, numberOf: NumberOf): Packed {
  if (text === '{}') return [null, null, null, null];
  if (text.length < LONGEST_GRANT) {
    const grant = GRANT.exec(text);
    if (grant !== null) return [Number(grant[1]), null, null, grant[2] === undefined ? null : ALL_RIGHTS];
  }
  const all = packed(properties, text, numberOf);
  if (all === undefined) return [null, null, null, text];
  return all[3] === '{}' ? [all[0], all[1], all[2], null] : all;
}

function packed(properties: PropertyMap, text: string, numberOf: NumberOf): Packed | undefined {
  const [, open, made, maker, changed, changer] = TAIL.exec(text.slice(-TAIL_LENGTH)) ?? [];
  if (open !== undefined) {
    const rest = open === '{' ? '{}' : text.slice(0, -TAIL_LENGTH) + '}';
    return numbered(Number(made), maker ?? '', Number(changed), changer ?? '', rest, numberOf);
  }
  // What was added later stands behind them.
  const { [MADE]: from, [MAKER]: by, [CHANGED]: at, [CHANGER]: last, ...rest } = properties;
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(at) || !isPerson(by) || !isPerson(last)) return undefined;
  if (Object.is(from, -0) || Object.is(at, -0)) return undefined;
  return numbered(Number(from), by, Number(at), last, encodeProperties(rest), numberOf);
}

function isPerson(value: StoredValue | null | undefined): value is string {
  return typeof value === 'string' && PERSON.test(value);
}

function numbered(
  made: number,
  maker: string,
  changed: number,
  changer: string,
  rest: string,
  numberOf: NumberOf,
): Packed | undefined {
  const by = numberOf(maker);
  const last = changer === maker ? 0 : numberOf(changer);
  const after = changed - made;
  if (by === undefined || last === undefined || after < 0 || after > MOST_AFTER || last >= CHANGERS) return undefined;
  return [made, by, after * CHANGERS + last, rest];
}

/**
 * Properties of a row whose columns of them begin at `at`. What is added to an object without prototype makes a shape of its own each
 * time, so it is taken away last.
 */
export function unpack(row: Row, at: number, textOf: TextOf): PropertyMap {
  const props = row[at + 3];
  const properties = (
    typeof props !== 'string' ? {} : isPlain(props) ? JSON.parse(props) : decodeProperties(props)
  ) as Record<string, StoredValue>;
  if (row[at] !== null) stamped(properties, row, at, textOf);
  return Object.setPrototypeOf(properties, null) as PropertyMap;
}

/** The same for properties that nobody keeps. */
export function unpackUnkept(row: Row, at: number, textOf: TextOf): Readonly<Record<string, unknown>> {
  const props = row[at + 3];
  const properties = typeof props === 'string' ? decodeUnkept(props) : {};
  return row[at] === null ? properties : stamped(properties as Record<string, StoredValue>, row, at, textOf);
}

function stamped(
  properties: Record<string, StoredValue>,
  row: Row,
  at: number,
  textOf: TextOf,
): Record<string, StoredValue> {
  const made = Number(row[at]);
  properties[MADE] = made;
  const maker = row[at + 1];
  if (maker !== null) {
    const by = textOf(Number(maker));
    properties[MAKER] = by;
    const changed = Number(row[at + 2]);
    const changer = changed % CHANGERS;
    properties[CHANGED] = changed === 0 ? made : made + Math.floor(changed / CHANGERS);
    properties[CHANGER] = changer === 0 ? by : textOf(changer);
  } else if (row[at + 3] !== null && typeof row[at + 3] !== 'string') properties[ALLOWED] = [...RIGHTS];
  return properties;
}

/** JSON of all properties of a row. */
export function textOfRow(row: Row, at: number, textOf: TextOf): string {
  const props = row[at + 3];
  const text = typeof props === 'string' ? props : '{}';
  if (row[at] === null) return text;
  const tail = encodeProperties(stamped({}, row, at, textOf));
  return text === '{}' ? tail : `${text.slice(0, -1)},${tail.slice(1)}`;
}

/** SQL of the JSON in which a property is, if it is in JSON. */
export function jsonOf(alias: string, key: string): Sql {
  if (key !== ALLOWED) return raw(`${alias}.props`);
  return raw(`iif(typeof(${alias}.props)='integer','{${ALL}}',${alias}.props)`);
}

/** A stored value in its comparable form (see values.ts), from a row. */
export function valueExpression(alias: string, key: string): Sql {
  const props = jsonOf(alias, key);
  const at = jsonPath(key);
  const inJson = sql`CASE json_type(${props},${at}) WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' WHEN 'array' THEN x'80' ELSE coalesce(json_extract(${props},${at}),x'ff') END`;
  const name = (number: string): Sql =>
    sql`iif(${raw(alias)}.maker IS NULL,${inJson},(SELECT text FROM name_table WHERE id=${raw(number)}))`;
  const changer = `${alias}.changed%${String(CHANGERS)}`;
  switch (key) {
    case MADE:
      return sql`coalesce(${raw(alias)}.made,${inJson})`;
    case CHANGED:
      return sql`iif(${raw(alias)}.maker IS NULL,${inJson},${raw(alias)}.made+${raw(alias)}.changed/${raw(String(CHANGERS))})`;
    case MAKER:
      return name(`${alias}.maker`);
    case CHANGER:
      return name(`iif(${changer}=0,${alias}.maker,${changer})`);
    default:
      return inJson;
  }
}
