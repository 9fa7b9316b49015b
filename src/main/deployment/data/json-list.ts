/** A list of objects in a file of any size, read entry by entry: memory holds one entry and a piece of the file (docs/interface/deployment.md 4.4). */
import { isUtf8 } from 'node:buffer';
import { parseJson, JsonLimitError, JsonSyntaxError, type JsonObject } from '../../../shared/json/index.js';
import { DeploymentError } from '../common/errors.js';

const MB = 1024 * 1024;
/** Bytes of one entry. */
const MOST = 64 * MB;
/** Objects within each other that anybody's entries have. */
const DEEP = 64;

/** An entry, and where it stands. */
export interface ListEntry {
  readonly entry: JsonObject;
  /** Its number in the list, from 0. */
  readonly at: number;
  /** For messages: file, number, line. */
  readonly place: string;
}

const enum At {
  Before,
  First,
  Entry,
  Between,
  Within,
  Text,
  Escape,
  Behind,
}

const enum Byte {
  Quote = 0x22,
  Comma = 0x2c,
  Open = 0x5b,
  Backslash = 0x5c,
  Close = 0x5d,
  OpenBrace = 0x7b,
  CloseBrace = 0x7d,
  LineFeed = 0x0a,
  Space = 0x20,
}

/**
 * The entries of a list in groups, one for each piece of the file. `skip`: as many of the first ones are passed over. Objects may have prototypes. Throws
 * `DeploymentError` that names file, entry and line.
 */
export async function* entriesOf(
  file: string,
  pieces: AsyncIterable<Buffer>,
  skip = 0,
): AsyncGenerator<ListEntry[], void, undefined> {
  const cutter = new Cutter(file);
  for await (const piece of pieces) {
    const cuts = cutter.cut(piece);
    if (cuts.length === 0) continue;
    const together = parsedTogether(piece, cuts);
    const found: ListEntry[] = [];
    for (const [i, { at, line, bytes, from, to }] of cuts.entries()) {
      if (at < skip) continue;
      const place = `${file}[${String(at)}] (line ${String(line)})`;
      found.push({ entry: together[i] ?? (await parsed(bytes ?? piece.subarray(from, to), place)), at, place });
    }
    if (found.length > 0) yield found;
  }
  cutter.end();
}

/** Numbers that the engine's parser would not read exactly, or not at all. */
const PECULIAR = /[\s:,[]-?(?:\d{16}|\d+(?:\.\d+)?[eE]\+?\d{3})/;

/** Entries that stand in one piece, read at once, which takes a third of the time; those that have to be read one by one are left out. */
function parsedTogether(piece: Buffer, cuts: readonly Cut[]): (JsonObject | undefined)[] {
  const first = cuts.findIndex(({ bytes }) => bytes === undefined);
  const from = cuts[first]?.from;
  if (from === undefined || cuts.some(({ isDeep }) => isDeep)) return [];
  const bytes = piece.subarray(from, cuts.at(-1)?.to);
  if (!isUtf8(bytes)) return [];
  const text = bytes.toString('utf8');
  if (PECULIAR.test(text)) return [];
  try {
    const entries = JSON.parse(`[${text}]`) as JsonObject[];
    // Only the first one can have begun in an earlier piece.
    return entries.length === cuts.length - first ? [...cuts.slice(0, first).map(() => undefined), ...entries] : [];
  } catch {
    return [];
  }
}

async function parsed(bytes: Buffer, place: string): Promise<JsonObject> {
  try {
    // An entry begins with a brace and ends with its partner: it is an object, or an error.
    return (await parseJson(bytes)) as JsonObject;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError) && !(error instanceof JsonLimitError)) throw error;
    throw new DeploymentError(`${place}: ${error.message}`, 'source', { cause: error });
  }
}

interface Cut {
  /** What there is of it, unless it stands in one piece. */
  readonly bytes: Buffer | undefined;
  readonly at: number;
  readonly line: number;
  /** Where it begins and ends in the piece. */
  readonly from: number;
  readonly to: number;
  /** It has objects within objects, many of them. */
  readonly isDeep: boolean;
}

/** Finds where entries begin and end, by braces outside of texts. */
class Cutter {
  #at: At = At.Before;
  #depth = 0;
  #deepest = 0;
  #line = 1;
  #entry = 0;
  #begunIn = 1;
  /** What earlier pieces had of the entry that is being read. */
  #held: Buffer[] = [];
  #size = 0;
  #first = true;

  constructor(private readonly file: string) {}

  cut(piece: Buffer): Cut[] {
    const cuts: Cut[] = [];
    let from = 0;
    let i = this.#first && piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf ? 3 : 0;
    this.#first = false;
    while (i < piece.length) {
      if (this.#at === At.Within) {
        i = this.#within(piece, i);
        // Its last brace was read.
        if (this.#depth === 0) {
          cuts.push(this.#ended(piece, from, i));
          this.#at = At.Between;
        }
      } else if (this.#at === At.Text) i = this.#behindText(piece, i);
      else if (this.#at === At.Escape) {
        this.#at = At.Text;
        i++;
      } else {
        const byte = piece[i] ?? 0;
        if (byte === Byte.LineFeed) this.#line++;
        if (byte > Byte.Space && this.#between(byte)) {
          from = i;
          this.#begunIn = this.#line;
        }
        i++;
      }
    }
    if (this.#at === At.Within || this.#at === At.Text || this.#at === At.Escape) {
      this.#hold(piece.length - from);
      this.#held.push(piece.subarray(from));
    }
    return cuts;
  }

  /** Where the entry ends, a text in it begins, or the piece is over. */
  #within(piece: Buffer, start: number): number {
    let depth = this.#depth;
    let i = start;
    while (i < piece.length && depth > 0) {
      const byte = piece[i++];
      if (byte === Byte.Quote) {
        this.#at = At.Text;
        break;
      }
      if (byte === Byte.OpenBrace || byte === Byte.Open) this.#deepest = Math.max(this.#deepest, ++depth);
      else if (byte === Byte.CloseBrace || byte === Byte.Close) depth--;
      else if (byte === Byte.LineFeed) this.#line++;
    }
    this.#depth = depth;
    return i;
  }

  /** Where a text ends, something is escaped in it, or the piece is over. */
  #behindText(piece: Buffer, start: number): number {
    for (let i = start; i < piece.length; i++) {
      const byte = piece[i];
      if (byte !== Byte.Quote && byte !== Byte.Backslash) continue;
      this.#at = byte === Byte.Quote ? At.Within : At.Escape;
      return i + 1;
    }
    return piece.length;
  }

  #ended(piece: Buffer, from: number, to: number): Cut {
    this.#hold(to - from);
    const isWhole = this.#held.length === 0;
    const bytes = isWhole ? undefined : Buffer.concat([...this.#held, piece.subarray(from, to)]);
    const isDeep = this.#deepest > DEEP;
    if (!isWhole) this.#held = [];
    this.#size = 0;
    this.#deepest = 0;
    return { bytes, at: this.#entry++, line: this.#begunIn, from, to, isDeep };
  }

  /** The file is over. */
  end(): void {
    if (this.#at === At.Behind) return;
    throw this.#wrong(this.#at === At.Before ? 'a list is expected here' : 'the list has no end');
  }

  /** What stands between entries; true: one begins. */
  #between(byte: number): boolean {
    if (this.#at === At.Before && byte === Byte.Open) this.#at = At.First;
    else if (byte === Byte.Close && (this.#at === At.First || this.#at === At.Between)) this.#at = At.Behind;
    else if (byte === Byte.Comma && this.#at === At.Between) this.#at = At.Entry;
    else if (byte === Byte.OpenBrace && (this.#at === At.First || this.#at === At.Entry)) {
      this.#at = At.Within;
      this.#depth = 1;
      return true;
    } else
      throw this.#wrong(
        this.#at === At.Before
          ? 'a list is expected here'
          : this.#at === At.Behind
            ? 'there is text behind the list'
            : this.#at === At.Between
              ? 'a comma or the end of the list is expected here'
              : 'an object is expected here',
      );
    return false;
  }

  #hold(bytes: number): void {
    this.#size += bytes;
    if (this.#size > MOST) throw this.#wrong(`an entry is larger than ${String(MOST / MB)} MB`);
  }

  #wrong(what: string): DeploymentError {
    return new DeploymentError(`${this.file}[${String(this.#entry)}] (line ${String(this.#line)}): ${what}.`);
  }
}
