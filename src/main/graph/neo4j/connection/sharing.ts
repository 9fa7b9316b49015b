/**
 * Reads that share statements. Under load a statement costs Neo4j and the driver far more than what it reads: looking
 * up 32 nodes takes about three times as long as looking up one. So what is asked for while others are on their way
 * goes together when they are back. Nobody gets an answer to a statement that was sent before he asked, and who is
 * alone does not wait.
 */
import { isCancelled, type Limits, within } from './limits.js';
import { COMMON } from './names.js';
import { listed, type Statement, type Values } from './statement.js';

type Run = (statement: Statement, limits: Limits) => Promise<Values[]>;

interface Waiting<T> {
  readonly limits: Limits;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

export const NODE_BY_ID = `MATCH (n:${COMMON} {id: $id}) RETURN properties(n)`;
export const NODES_BY_ID = `UNWIND $ids.all AS id MATCH (n:${COMMON} {id: id}) RETURN properties(n)`;
/** Statements of look-ups on their way at once: with two, Neo4j works on one while the other's answer is read. */
const LANES = 2;
/** Nodes looked up by one statement. */
const MOST = 64;

/** Goes on until the last of those who wait has to give up. */
function together(all: readonly { readonly limits: Limits }[]): Limits {
  return {
    deadline: Math.max(...all.map((one) => one.limits.deadline)),
    cancelled: () => all.every((one) => isCancelled(one.limits)),
  };
}

function joined<T>(list: Waiting<T>[], limits: Limits): Promise<T> {
  const answer = new Promise<T>((resolve, reject) => {
    list.push({ limits, resolve, reject });
  });
  return within(answer, limits);
}

/** Nodes by id. */
export class LookUps {
  #asked = new Map<string, Waiting<unknown>[]>();
  #running = 0;
  #soon = false;

  constructor(private readonly run: Run) {}

  /** The properties of a node as the driver gives them; undefined: there is none. */
  node(id: string, limits: Limits): Promise<unknown> {
    let list = this.#asked.get(id);
    if (list === undefined) {
      list = [];
      this.#asked.set(id, list);
    }
    const answer = joined(list, limits);
    if (!this.#soon && this.#running < LANES) {
      this.#soon = true;
      // What arrives in one turn of the loop goes together.
      setImmediate(() => {
        this.#soon = false;
        this.#next();
      });
    }
    return answer;
  }

  #next(): void {
    while (this.#running < LANES && this.#asked.size > 0) void this.#send(this.#take());
  }

  #take(): Map<string, Waiting<unknown>[]> {
    const all = this.#asked;
    // Two lanes share what there is, so that both are busy.
    const most = Math.min(MOST, this.#running === 0 && all.size > 8 ? Math.ceil(all.size / LANES) : all.size);
    if (all.size <= most) {
      this.#asked = new Map();
      return all;
    }
    const some = new Map<string, Waiting<unknown>[]>();
    for (const [id, list] of all) {
      if (some.size === most) break;
      some.set(id, list);
      all.delete(id);
    }
    return some;
  }

  async #send(asked: ReadonlyMap<string, Waiting<unknown>[]>): Promise<void> {
    this.#running++;
    const ids = [...asked.keys()];
    const statement =
      ids.length === 1
        ? { text: NODE_BY_ID, params: { id: ids[0] } }
        : { text: NODES_BY_ID, params: { ids: listed(ids) } };
    try {
      const found = new Map<unknown, unknown>();
      for (const [raw] of await this.run(statement, together([...asked.values()].flat()))) {
        found.set((raw as { id: unknown }).id, raw);
      }
      for (const [id, list] of asked) for (const one of list) one.resolve(found.get(id));
    } catch (error) {
      for (const list of asked.values()) for (const one of list) one.reject(error);
    } finally {
      this.#running--;
      this.#next();
    }
  }
}

/** JSON leaves out what tells some numbers apart. */
export function exact(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return { integer: String(value) };
  return typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))
    ? { float: String(value) }
    : value;
}

/** Statements that are the same, parameters included: a count beside every page, a list that everybody looks at. */
export class SameStatements {
  /** Of statements on their way those who asked since. */
  readonly #waiting = new Map<string, Waiting<Values[]>[]>();

  constructor(private readonly run: Run) {}

  /** Rows, which the caller must not change: others have them too. */
  async rows(statement: Statement, limits: Limits): Promise<readonly Values[]> {
    const key = statement.text + JSON.stringify(statement.params, exact);
    const others = this.#waiting.get(key);
    if (others !== undefined) return joined(others, limits);
    this.#waiting.set(key, []);
    try {
      return await this.run(statement, limits);
    } finally {
      this.#next(key, statement);
    }
  }

  #next(key: string, statement: Statement): void {
    const all = this.#waiting.get(key) ?? [];
    if (all.length === 0) {
      this.#waiting.delete(key);
      return;
    }
    this.#waiting.set(key, []);
    this.run(statement, together(all))
      .then(
        (rows) => {
          for (const one of all) one.resolve(rows);
        },
        (error: unknown) => {
          for (const one of all) one.reject(error);
        },
      )
      .finally(() => {
        this.#next(key, statement);
      });
  }
}
