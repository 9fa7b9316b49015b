/** The types of properties, and what can be said of each (docs/interface/schema.md 5, 6). A type of properties is a line here. */

/** How `format` is entered. */
export type FormatKind =
  | 'none'
  | 'pattern'
  | 'range'
  | 'date'
  | 'members'
  | 'notion'
  | 'relation'
  | 'count'
  | 'thumbnail'
  | 'function'
  | 'cypher';

export interface PropertyKind {
  readonly format: FormatKind;
  /** Whether values are stored, so that they can be unique, compound and indexed. */
  readonly isStored: boolean;
  readonly hasDefault: boolean;
  readonly hasFulltext?: boolean;
}

const stored = (format: FormatKind = 'none'): PropertyKind => ({ format, isStored: true, hasDefault: true });
const list = (format: FormatKind = 'none'): PropertyKind => ({ format, isStored: true, hasDefault: false });
const secret: PropertyKind = { format: 'none', isStored: false, hasDefault: false };
const made = (format: FormatKind): PropertyKind => ({ format, isStored: false, hasDefault: false });

export const KINDS: Readonly<Record<string, PropertyKind>> = {
  String: { ...stored('pattern'), hasFulltext: true },
  Integer: stored('range'),
  Long: stored('range'),
  Double: stored('range'),
  Boolean: stored(),
  Date: stored('date'),
  ZonedDateTime: stored('date'),
  Enum: stored('members'),
  StringArray: { ...list('pattern'), hasFulltext: true },
  IntegerArray: list('range'),
  LongArray: list('range'),
  DoubleArray: list('range'),
  BooleanArray: list(),
  DateArray: list('date'),
  EnumArray: { ...list('members'), hasDefault: true },
  ByteArray: list(),
  Password: secret,
  Encrypted: secret,
  Function: { ...made('function'), isStored: true },
  Notion: made('notion'),
  IdNotion: made('relation'),
  Count: made('count'),
  Thumbnail: made('thumbnail'),
  Cypher: made('cypher'),
};

export const kindOf = (propertyType: unknown): PropertyKind => KINDS[String(propertyType)] ?? stored();

/** The parts of a text that are separated by commas. */
export const splitParts = (format: string): readonly string[] => format.split(',').map((one) => one.trim());

export interface Range {
  readonly from: string;
  readonly to: string;
  readonly withFrom: boolean;
  readonly withTo: boolean;
}

/** A range as `format` has it, such as `[1,10[`; empty where there is none. */
export function rangeOf(format: string): Range {
  const found = /^\s*([[\]])\s*([^,[\]]*?)\s*,\s*([^,[\]]*?)\s*([[\]])\s*$/.exec(format);
  if (found === null) return { from: '', to: '', withFrom: true, withTo: true };
  const [, open, from = '', to = '', close] = found;
  return { from, to, withFrom: open === '[', withTo: close === ']' };
}

export const formatOf = ({ from, to, withFrom, withTo }: Range): string =>
  from === '' && to === '' ? '' : `${withFrom ? '[' : ']'}${from},${to}${withTo ? ']' : '['}`;
