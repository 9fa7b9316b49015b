/**
 * Moments in which no instance answers anybody (`Stillness`). Who asks for one has the writers' lock, so that the next commit is its own: the others
 * wait from their word until they know of that commit, or until the time is over. A request is a node of its own, as
 * others look at it while the transaction that it is for is open; an answer stands on the node of the instance's heartbeat.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stillness } from '../../commits/between-instances.js';
import { type Database, ignored } from '../connection/database.js';
import { META } from '../connection/names.js';
import type { Statement } from '../connection/statement.js';
import { SILENT } from './membership.js';

/** Milliseconds that the others may take to come to rest: as long as each lets those go on whom it answers, and a look. */
const PATIENCE = 1500;
/** Milliseconds after which they answer again in any case: the commit of a large import is made meanwhile. */
const LONGEST = 6000;
/** Between two looks whether they are at rest. */
const INTERVAL = 30;

const ASK = `MERGE (s:${META} {name: 'standstill'}) SET s.token = $token, s.holder = $member, s.until = timestamp() + $longest`;
const MISSING = `MATCH (i:${META}) WHERE i.beat > timestamp() - $alive AND i.name <> $member AND coalesce(i.still, '') <> $token RETURN count(i)`;
const OVER = `MATCH (s:${META} {name: 'standstill'}) WHERE s.token = $token REMOVE s.token, s.until`;
const ANSWER = `MATCH (i:${META} {name: $member}) SET i.still = $token`;

/** What a look finds of a request: of whom it is, and for how many milliseconds it holds. */
export interface Asked {
  readonly token: string;
  readonly holder: string;
  readonly left: number;
}

/** Part of the statement of a look; what it returns. */
export const ASKED = `OPTIONAL MATCH (s:${META} {name: 'standstill'}) WHERE s.until > timestamp()`;
export const ASKED_COLUMNS = 's.token, s.holder, s.until - timestamp()';

export function askedOf([token, holder, left]: readonly unknown[]): Asked | undefined {
  return typeof token === 'string' ? { token, holder: String(holder), left: Number(left) } : undefined;
}

export class Neo4jStillness implements Stillness {
  #begin: (() => Promise<() => void>) | undefined;
  /** The request that is being answered, and the last commit that was known when it was seen. */
  #current: { readonly token: string; readonly commit: number; readonly end: () => void; isGone: boolean } | undefined;

  /** The last one that was. */
  #last = '';

  constructor(
    private readonly database: Database,
    private readonly member: string,
  ) {}

  /** This instance answers nobody: it is to look often. */
  get isStill(): boolean {
    return this.#current !== undefined;
  }

  follow(begin: () => Promise<() => void>): void {
    this.#begin = begin;
  }

  async ask(): Promise<() => void> {
    const token = randomUUID();
    const over = (): void => {
      this.#run(OVER, { token }).catch(ignored);
    };
    try {
      await this.#run(ASK, { token, longest: BigInt(LONGEST) });
      for (const end = performance.now() + PATIENCE; performance.now() < end; await sleep(INTERVAL)) {
        const [row] = await this.#run(MISSING, { token, alive: BigInt(SILENT) });
        if (Number(row?.[0]) === 0) break;
      }
    } catch {
      // The commit says what is wrong with the database.
    }
    return over;
  }

  /** With each look: what is asked for, and the last commit, of which all have been told here. */
  looked(asked: Asked | undefined, commit: number): void {
    const current = this.#current;
    if (current === undefined) {
      if (asked !== undefined && asked.holder !== this.member && asked.token !== this.#last) this.#rest(asked, commit);
      return;
    }
    // It is withdrawn behind the commit: who finds it gone may have looked at the commits a moment before.
    const isOver = asked?.token !== current.token;
    if (commit > current.commit || (isOver && current.isGone)) current.end();
    current.isGone = isOver;
  }

  #rest({ token, left }: Asked, commit: number): void {
    if (this.#begin === undefined) return;
    const resting = this.#begin();
    const end = (): void => {
      clearTimeout(timer);
      if (this.#current?.token === token) this.#current = undefined;
      resting.then((goOn) => {
        goOn();
      }, ignored);
    };
    const timer = setTimeout(end, left).unref();
    this.#last = token;
    this.#current = { token, commit, end, isGone: false };
    resting.then(() => this.#run(ANSWER, { token })).catch(ignored);
  }

  /** At the end of the instance. */
  stop(): void {
    this.#current?.end();
  }

  #run(text: string, params: Statement['params']): Promise<readonly (readonly unknown[])[]> {
    const statement = { text, params: { ...params, member: this.member } };
    return this.database.run(statement, { deadline: Date.now() + PATIENCE }, true);
  }
}
