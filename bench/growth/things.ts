/** The things of the cases about growth, the same in every run. */
import { randomNumbers } from '../dataset.js';

/** Things of a hub. */
const RELATED = 10_000;
/** Things of a category, and of a range of numbers. */
export const CATEGORY = 1000;

/** A thing before its hub is known by its id. */
export interface Thing {
  readonly name: string;
  readonly number: number;
  readonly category: string;
  readonly note: string;
  /** Number of its hub. */
  readonly hub: number;
}

export function hubsOf(objects: number): number {
  return Math.max(1, Math.floor(objects / RELATED));
}

export function categoriesOf(objects: number): number {
  return Math.max(1, Math.floor(objects / CATEGORY));
}

/** A prime that does not divide the size: its multiples, modulo the size, are all numbers below it, each once. */
function step(objects: number, primes: readonly number[]): number {
  return primes.find((prime) => objects % prime !== 0) ?? 1;
}

const SYLLABLES = [...'bdfgklmnprstvz'].flatMap((consonant) => [...'aeiou'].map((vowel) => consonant + vowel));
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

function pick(random: () => number, from: readonly string[], count: number): string {
  let text = '';
  for (let i = 0; i < count; i++) text += from[Math.floor(random() * from.length)] ?? '';
  return text;
}

/**
 * The things of a size. Numbers are 0 to the size, each once; a category has 1,000 of them; neither order has to do with the other,
 * nor with that of making. A name is two words and a number of its own, a note 25 letters.
 */
export function* things(objects: number): Generator<Thing> {
  const random = randomNumbers(objects);
  const hubs = hubsOf(objects);
  const [number, category] = [step(objects, [104_729, 104_723]), step(objects, [7919, 7907])];
  for (let i = 0; i < objects; i++) {
    yield {
      name: `${pick(random, SYLLABLES, 3)} ${pick(random, SYLLABLES, 4)} ${String(i)}`,
      number: (i * number) % objects,
      category: `c${String(Math.floor(((i * category) % objects) / CATEGORY))}`,
      note: pick(random, LETTERS, 25),
      hub: i % hubs,
    };
  }
}

/** Names from all over the size. */
export function someNames(objects: number, count: number): string[] {
  const every = Math.max(1, Math.floor(objects / count));
  const found: string[] = [];
  let i = 0;
  for (const { name } of things(objects)) if (i++ % every === 0) found.push(name);
  return found;
}

/** A part of a name, long enough to be in one alone, whatever the size; it begins and ends inside words. */
export function part(name: string): string {
  return name.slice(2, 13);
}
