/** The parameters of a command, each read once. What is wrong with one is told by its name (422). */
import { SchemaError } from '../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';

export class Parameters {
  constructor(
    private readonly command: string,
    private readonly input: JsonObject,
  ) {}

  /**
   * Throws for a parameter that the command does not have: a word that is spelled wrongly must not mean its absence. All have `background`, also
   * those that are over at once.
   */
  only(...names: readonly string[]): void {
    this.flag('background');
    const wrong = Object.keys(this.input).find((key) => key !== 'background' && !names.includes(key));
    if (wrong === undefined) return;
    const has = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
    throw new SchemaError(`${this.command} has no parameter "${wrong}": ${has}.`, [
      { property: wrong, token: 'unknown_parameter' },
    ]);
  }

  /** Text; undefined where there is none, null included. */
  text(name: string): string | undefined {
    const value = this.given(name);
    if (value === undefined) return undefined;
    if (typeof value === 'string' && value !== '') return value;
    throw this.wrong(name, 'text that is not empty');
  }

  /** Text that there must be. */
  needed(name: string): string {
    const text = this.text(name);
    if (text !== undefined) return text;
    throw new SchemaError(`${this.command} needs the parameter "${name}".`, [
      { property: name, token: 'must_not_be_empty' },
    ]);
  }

  flag(name: string, absent = false): boolean {
    const value = this.given(name) ?? absent;
    if (typeof value === 'boolean') return value;
    throw this.wrong(name, 'true or false');
  }

  /** One of some words; undefined where there is none. */
  word<W extends string>(name: string, words: readonly W[]): W | undefined {
    const value = this.given(name);
    if (value === undefined) return undefined;
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    throw this.wrong(name, `one of ${words.join(', ')}`);
  }

  /** A whole number of at least zero. */
  number(name: string): number | undefined {
    const value = this.given(name);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw this.wrong(name, 'a whole number');
  }

  /** What is wrong with a parameter; `what` ends the sentence. */
  wrong(name: string, what: string): SchemaError {
    return new SchemaError(`The parameter "${name}" of ${this.command} must be ${what}.`, [
      { property: name, token: 'invalid_parameter' },
    ]);
  }

  private given(name: string): JsonValue | undefined {
    const value = this.input[name];
    return value === null ? undefined : value;
  }
}
