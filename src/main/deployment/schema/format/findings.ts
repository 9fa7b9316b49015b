/** Reading a document: where one is in it, and what was found there. */
import { isJsonObject, type JsonObject } from '../../../../shared/json/index.js';
import { SchemaError, type ErrorToken } from '../../../schema/index.js';

/** Problems that are told; the rest are counted. */
const MOST = 50;

/** What is wrong with a document, and what was passed over. */
export class Findings {
  readonly notices: string[] = [];
  private readonly problems: ErrorToken[] = [];
  private first = '';
  private count = 0;

  problem(place: string, text: string): void {
    if (this.count++ === 0) this.first = `${place}: ${text}`;
    if (this.count <= MOST) this.problems.push({ token: 'invalid_schema_document', property: place, detail: text });
  }

  notice(place: string, text: string): void {
    if (this.notices.length < MOST) this.notices.push(`${place}: ${text}`);
    else if (this.notices.length === MOST) this.notices.push('there is more, which is not told');
  }

  /** Throws `SchemaError` with all problems; the message has the first one. */
  throwProblems(): void {
    if (this.count === 0) return;
    const more = this.count === 1 ? '' : ` (and ${String(this.count - 1)} more)`;
    throw new SchemaError(`The schema cannot be read: ${this.first}${more}`, this.problems);
  }
}

/** One object of a document, by its place. */
export class Place {
  constructor(
    readonly path: string,
    readonly json: JsonObject,
    readonly findings: Findings,
  ) {}

  problem(text: string, key?: string): void {
    this.findings.problem(this.at(key), text);
  }

  notice(text: string, key?: string): void {
    this.findings.notice(this.at(key), text);
  }

  /** Whether there is a value. */
  has(key: string): boolean {
    return this.json[key] !== undefined && this.json[key] !== null;
  }

  text(key: string): string | undefined {
    const value = this.json[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'object') return String(value);
    this.problem('must be a text', key);
    return undefined;
  }

  /** Old exports have texts where flags are meant. */
  flag(key: string): boolean | undefined {
    const value = this.json[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'boolean') return value;
    if (value === 'true' || value === 'false') return value === 'true';
    this.problem('must be true or false', key);
    return undefined;
  }

  number(key: string): number | undefined {
    const value = this.json[key];
    if (value === undefined || value === null) return undefined;
    const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
    if (typeof value !== 'object' && typeof value !== 'boolean' && Number.isFinite(number)) return number;
    this.problem('must be a number', key);
    return undefined;
  }

  /** A list of texts; old exports have a text with commas. */
  list(key: string): string[] | undefined {
    const value = this.json[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') {
      return value
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '');
    }
    if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.map(String);
    this.problem('must be a list of texts', key);
    return undefined;
  }

  /** An object below; undefined where there is none. */
  object(key: string): Place | undefined {
    const value = this.json[key];
    if (value === undefined || value === null) return undefined;
    if (isJsonObject(value)) return new Place(this.at(key), value, this.findings);
    this.problem('must be an object', key);
    return undefined;
  }

  /** Objects below by name: those of a map, or of one of its lists. */
  *objects(key: string): Generator<readonly [name: string, place: Place]> {
    const map = this.object(key);
    if (map === undefined) return;
    for (const name of Object.keys(map.json)) {
      const value = map.json[name];
      if (value === null) continue;
      if (isJsonObject(value)) yield [name, new Place(map.at(name), value, this.findings)];
      else map.problem('must be an object', name);
    }
  }

  /** Elements of a list, which must be objects. */
  *elements(key: string): Generator<Place> {
    const value = this.json[key];
    if (value === undefined || value === null) return;
    if (!Array.isArray(value)) {
      this.problem('must be a list', key);
      return;
    }
    for (const [i, one] of value.entries()) {
      const place = `${this.at(key)}[${String(i)}]`;
      if (isJsonObject(one)) yield new Place(place, one, this.findings);
      else this.findings.problem(place, 'must be an object');
    }
  }

  /** Tells of keys that mean nothing here. */
  onlyKeys(known: ReadonlySet<string>): void {
    for (const key of Object.keys(this.json)) if (!known.has(key)) this.notice('means nothing here', key);
  }

  private at(key?: string): string {
    return key === undefined ? this.path : this.path === '' ? key : `${this.path}.${key}`;
  }
}
