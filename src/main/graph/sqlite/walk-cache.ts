/**
 * Keys that short walks along an index found, kept until the next commit: readers of one site ask for the same few pages
 * again and again, and a page far from the beginning costs a step for each entry before it. Measured: a third of the time
 * of a sorted page.
 */
import type { Sql } from './sql.js';

/** Walks kept; when there are more all are dropped, which costs less than an order of use. */
const MAX_WALKS = 1000;

export class WalkCache {
  readonly #walks = new Map<string, readonly number[]>();
  #version = 0;

  /** Changes with each commit. */
  get version(): number {
    return this.#version;
  }

  get(name: string): readonly number[] | undefined {
    return this.#walks.get(name);
  }

  put(name: string, keys: readonly number[]): void {
    if (this.#walks.size >= MAX_WALKS) this.#walks.clear();
    this.#walks.set(name, keys);
  }

  /** Something was committed: what was found may not be true any more. */
  clear(): void {
    this.#version++;
    if (this.#walks.size > 0) this.#walks.clear();
  }
}

/** The same for the same statement with the same values only. */
export function walkName({ text, params }: Sql): string {
  let name = text;
  for (const value of params) {
    const shown = String(value);
    // The length keeps two values from reading as one other.
    name += `\n${typeof value} ${String(shown.length)} ${shown}`;
  }
  return name;
}
