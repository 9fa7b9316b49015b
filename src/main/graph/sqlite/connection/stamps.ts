/**
 * Properties that nearly every record has stand beside its JSON, as numbers (docs/design/sqlite.md, "Records"): `made` is `createdDate`;
 * `maker` the number of `createdBy` among the names; `changed` is 0 where nobody has changed it since (`lastModifiedDate`
 * is `createdDate`, `lastModifiedBy` is `createdBy`), else the milliseconds from one to the other, times 32768, and the number of `lastModifiedBy`,
 * 0 for the maker. Either all are there, or `made` alone (of a relationship that carries
 * rights), or none, and all is in the JSON. JSON of a relationship that gives all rights and nothing else is the number 15; of one
 * without further properties NULL. JSON of a node mostly has a shape (shapes.ts).
 */
import { ALLOWED, type Right } from '../../access.js';
import type { PropertyMap, StoredValue } from '../../types.js';
import { decodeUnkept, encodeProperties, isPlain } from './codec.js';
import type { Row } from './connection.js';
import { jsonPath } from './parts.js';
import { decodeShaped, flagIn, isFlag, isShaped, objectText, pathIn, type ShapeNumber, shapedText } from './shapes.js';
import { raw, type Sql, sql } from './sql.js';
import type { SqlValue } from './values.js';

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
const isStamp = (key: string): boolean => key === MADE || key === MAKER || key === CHANGED || key === CHANGER;
const isNone = (): boolean => false;
/** They come last in what is read; the values are those of no node. */
const STAMPS = { [MADE]: 0, [MAKER]: '', [CHANGED]: 0, [CHANGER]: '' };
/** What stands for them. */
const ALL_RIGHTS = 15n;
const LONGEST_GRANT = 90;
/** The number of the changer in `changed` is less, and the milliseconds at most so many (8.7 years), so that it is exact in JavaScript. */
const CHANGERS = 32768;
const MOST_AFTER = 2 ** 38 - 1;

/** What gets numbers in records; undefined: it is to have none. */
export interface Numbering {
  /** Of a user, by the id. */
  readonly person: (id: string) => number | undefined;
  readonly shape: ShapeNumber;
}
/** The reverse of both. */
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
export function packNode(properties: PropertyMap, text: string, numbers: Numbering): Packed {
  const all = packed(properties, text, numbers.person);
  const rest = all === undefined ? text : String(all[3]);
  const shaped = isPlain(text)
    ? shapedText(properties, rest, all === undefined ? isNone : isStamp, numbers.shape)
    : undefined;
  const props = shaped ?? rest;
  return all === undefined ? [null, null, null, props] : [all[0], all[1], all[2], props];
}

/** The same of a relationship. */
export function packRelationship(properties: PropertyMap, text: string, { person }: Numbering): Packed {
  if (text === '{}') return [null, null, null, null];
  if (text.length < LONGEST_GRANT) {
    const grant = GRANT.exec(text);
    if (grant !== null) return [Number(grant[1]), null, null, grant[2] === undefined ? null : ALL_RIGHTS];
  }
  const all = packed(properties, text, person);
  if (all === undefined) return [null, null, null, text];
  return all[3] === '{}' ? [all[0], all[1], all[2], null] : all;
}

function packed(properties: PropertyMap, text: string, numberOf: Numbering['person']): Packed | undefined {
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

/** Whether a value can be the id of a user that gets a number. */
export function isPerson(value: StoredValue | null | undefined): value is string {
  return typeof value === 'string' && PERSON.test(value);
}

function numbered(
  made: number,
  maker: string,
  changed: number,
  changer: string,
  rest: string,
  numberOf: Numbering['person'],
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
  return Object.setPrototypeOf(whole(row, at, textOf), null) as PropertyMap;
}

/** The same for properties that nobody keeps. */
export function unpackUnkept(row: Row, at: number, textOf: TextOf): Readonly<Record<string, unknown>> {
  return whole(row, at, textOf);
}

function whole(row: Row, at: number, textOf: TextOf): Record<string, StoredValue> {
  const isStamped = row[at] !== null;
  const properties = content(row[at + 3], textOf, isStamped);
  return isStamped ? stamped(properties, row, at, textOf) : properties;
}

/** What is in the JSON of a row; `isStamped`: the others, which come last, are set then. */
function content(props: SqlValue | undefined, textOf: TextOf, isStamped: boolean): Record<string, StoredValue> {
  if (typeof props !== 'string') return {};
  if (isShaped(props)) return decodeShaped(props, textOf, STAMPS, isStamped);
  return decodeUnkept(props) as Record<string, StoredValue>;
}

/** What stands in the JSON of a row alone. Throws where it cannot be read. */
export function readContent(props: string, textOf: TextOf): Readonly<Record<string, StoredValue>> {
  return content(props, textOf, false);
}

/** What is wrong with what stands beside the JSON; undefined: nothing. `isPerson`: whether a number is that of a name that can be a user. */
export function wrongStamps(
  { made, maker, changed }: { readonly [name in 'made' | 'maker' | 'changed']: unknown },
  inJson: Readonly<Record<string, StoredValue>>,
  isNode: boolean,
  isPerson: (number: number) => boolean,
): string | undefined {
  const isAlone = !isNode && maker === null && changed === null;
  if (!isAlone && ((made === null) !== (maker === null) || (made === null) !== (changed === null))) {
    return 'has only some of the numbers beside its properties';
  }
  if (made === null) return undefined;
  if ((isAlone ? [MADE] : Object.keys(STAMPS)).some((key) => inJson[key] !== undefined)) {
    return 'has a property beside the others and among them';
  }
  if (isAlone) return undefined;
  const changer = Number(changed) % CHANGERS;
  const users = changer === 0 ? [Number(maker)] : [Number(maker), changer];
  return Number(changed) < 0 || !users.every(isPerson)
    ? 'was made or changed by a user whose number nobody has'
    : undefined;
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
  let text = typeof props === 'string' ? props : '{}';
  if (isShaped(text)) text = `${objectText(text, textOf, STAMPS)}}`;
  if (row[at] === null) return text;
  const tail = encodeProperties(stamped({}, row, at, textOf));
  return text === '{}' ? tail : `${text.slice(0, -1)},${tail.slice(1)}`;
}

/** SQL of the JSON in which a property is, if it is in JSON; where in it tells `pathIn`. */
export function jsonOf(alias: string, key: string): Sql {
  if (key !== ALLOWED) return raw(`${alias}.props`);
  return raw(`iif(typeof(${alias}.props)='integer','{${ALL}}',${alias}.props)`);
}

/** A stored value in its comparable form (see values.ts), from a row. */
export function valueExpression(alias: string, key: string, kind: 'nodes' | 'relationships' = 'nodes'): Sql {
  const inJson = kind === 'nodes' ? ofNode(alias, key) : comparable(jsonOf(alias, key), sql`${jsonPath(key)}`);
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

function ofNode(alias: string, key: string): Sql {
  const props = jsonOf(alias, key);
  if (isFlag(key)) return flagIn(alias, key, comparable(props, sql`${jsonPath(key)}`));
  // Because of the LIMIT the path is looked up once.
  return sql`(SELECT ${comparable(props, raw('path_.at'))} FROM (SELECT ${pathIn(alias, key)} AS at LIMIT 1) path_)`;
}

/** The value at a path of JSON. */
function comparable(json: Sql, at: Sql): Sql {
  return sql`CASE json_type(${json},${at}) WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' WHEN 'array' THEN x'80' ELSE coalesce(json_extract(${json},${at}),x'ff') END`;
}
