/**
 * What the journal holds of a transaction, and the lines of files that are made of it. A record says once what all its lines share, so that it
 * costs little in the transaction; the thread that appends makes the lines.
 *
 * Text: a line with time, user and whom it is for, then a line a change, fields separated by tabs. Texts are JSON, so that none can end a field or a line.
 */
import type { ScalarValue, StoredValue } from '../../../graph/index.js';
import { pathOf, type LogKind } from './paths.js';

/** What all changes of a transaction share. */
export interface RecordHead {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly userId: string;
  readonly userName: string;
  /** Whether its user's file gets lines. */
  readonly ofUser: boolean;
}

export function headText({ time, userId, userName, ofUser }: RecordHead): string {
  return JSON.stringify([time, userId, userName, ofUser ? 1 : 0]);
}

const flag = (on: boolean): string => (on ? '1' : '0');

/** A node comes or goes. `own`: whether its own file gets a line. */
export function nodeText(verb: 'create' | 'delete', id: string, type: string, own: boolean): string {
  return `\n${verb === 'create' ? 'c' : 'd'}\t${flag(own)}\t${JSON.stringify(id)}\t${JSON.stringify(type)}`;
}

/** A relationship of a type of the schema, and which of the three files get a line. */
export interface LinkText {
  readonly rel: string;
  readonly id: string;
  readonly sourceId: string;
  readonly targetId: string;
  readonly own: boolean;
  readonly atSource: boolean;
  readonly atTarget: boolean;
}

export function linkText(verb: 'link' | 'unlink', link: LinkText): string {
  const flags = flag(link.own) + flag(link.atSource) + flag(link.atTarget);
  const ids = [link.id, link.sourceId, link.targetId].map((id) => JSON.stringify(id)).join('\t');
  return `\n${verb === 'link' ? 'l' : 'x'}\t${flags}\t${JSON.stringify(link.rel)}\t${ids}`;
}

/** A value of a property changes; null: it has none. `id` absent: that of the line before. */
export function changeText(
  kind: 'n' | 'r',
  own: boolean,
  id: string | undefined,
  key: string,
  previous: StoredValue | null,
  value: StoredValue | null,
): string {
  const whose = id === undefined ? '' : JSON.stringify(id);
  return `\n${kind === 'n' ? '=' : '~'}\t${flag(own)}\t${whose}\t${JSON.stringify(key)}\t${valueText(previous)}\t${valueText(value)}`;
}

/** JSON in which 64-bit integers keep all their digits. */
function valueText(value: StoredValue | null): string {
  return Array.isArray(value)
    ? `[${(value as readonly ScalarValue[]).map(scalarText).join(',')}]`
    : scalarText(value as ScalarValue | null);
}

function scalarText(value: ScalarValue | null): string {
  if (typeof value === 'bigint') return String(value);
  // NaN and the infinities are no JSON.
  if (typeof value === 'number' && !Number.isFinite(value)) return JSON.stringify(String(value));
  return JSON.stringify(value);
}

/** Takes the lines of a record, each with the path of its file and its line end. */
export type TakeLine = (path: string, line: string) => void;

/** The time of a record. */
export function timeOf(text: string): number {
  return Number(/^\[(\d+)/.exec(text)?.[1] ?? 0);
}

/** Makes the lines of a record. Throws for a text that is none. */
export function eachLine(text: string, take: TakeLine): void {
  const [first = '', ...changes] = text.split('\n');
  const [time, userId, userName, ofUser] = JSON.parse(first) as [number, string, string, number];
  const begin = `{"time":${String(time)},`;
  const entity = `${begin}"userId":${JSON.stringify(userId)},"userName":${JSON.stringify(userName)},`;
  const user = ofUser === 1 ? pathOf('u', userId) : undefined;
  const both = (own: boolean, kind: LogKind, id: string, tail: string, userTail = tail): void => {
    if (own) take(pathOf(kind, id), `${entity}${tail}}\n`);
    if (user !== undefined) take(user, `${begin}${userTail}}\n`);
  };
  let last = '';
  for (const change of changes) {
    const [code = '', flags = '', one = '', two = '', three = '', four = ''] = change.split('\t');
    switch (code) {
      case 'c':
      case 'd': {
        last = one;
        const verb = code === 'c' ? 'create' : 'delete';
        both(flags === '1', 'n', idIn(one), `"verb":"${verb}","target":${one},"type":${two}`);
        break;
      }
      case 'l':
      case 'x': {
        last = two;
        const verb = code === 'l' ? 'link' : 'unlink';
        const end = (id: string, direction: string, other: string): void => {
          const tail = `"verb":"${verb}","rel":${one},"relId":${two},"relDir":"${direction}","target":${other}`;
          take(pathOf('n', idIn(id)), `${entity}${tail}}\n`);
        };
        if (flags.charAt(1) === '1') end(three, 'out', four);
        if (flags.charAt(2) === '1') end(four, 'in', three);
        const itself = code === 'l' ? 'create' : 'delete';
        const tail = `"verb":"${itself}","rel":${one},"relId":${two},"source":${three},"target":${four}`;
        both(flags.startsWith('1'), 'r', idIn(two), tail);
        break;
      }
      case '=':
      case '~': {
        if (one !== '') last = one;
        const tail = `"verb":"change","key":${two},"prev":${three},"val":${four}`;
        both(flags === '1', code === '=' ? 'n' : 'r', idIn(last), tail, `${tail},"target":${last}`);
        break;
      }
      default:
        throw new Error(`no line of a changelog record: ${change.slice(0, 100)}`);
    }
  }
}

function idIn(text: string): string {
  return JSON.parse(text) as string;
}

/** Characters of a piece of a record: the journal is read by number of records. */
const PIECE = 64 * 1024;
const NONE: readonly string[] = [];

/** Puts pieces of texts together; a piece begins with what says whether more follow. */
export class Pieces {
  #parts: string[] = [];

  /** The whole text, when this was its last piece. */
  add(piece: string): string | undefined {
    this.#parts.push(piece.slice(1));
    if (piece.startsWith('1')) return undefined;
    const text = this.#parts.length === 1 ? this.#parts[0] : this.#parts.join('');
    this.#parts = [];
    return text;
  }
}

/** Cuts a text, which comes in parts, into pieces. */
export class PieceWriter {
  #text: string;
  #isEmpty = true;

  constructor(first: string) {
    this.#text = first;
  }

  /** Pieces that are full. */
  add(part: string): readonly string[] {
    this.#isEmpty = false;
    this.#text += part;
    if (this.#text.length <= PIECE) return NONE;
    const pieces: string[] = [];
    while (this.#text.length > PIECE) {
      // Half of a character would not survive being stored.
      const end = isHigh(this.#text.charCodeAt(PIECE - 1)) ? PIECE - 1 : PIECE;
      pieces.push(`1${this.#text.slice(0, end)}`);
      this.#text = this.#text.slice(end);
    }
    return pieces;
  }

  /** The last one; undefined: nothing was added. */
  end(): string | undefined {
    return this.#isEmpty ? undefined : `0${this.#text}`;
  }
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
