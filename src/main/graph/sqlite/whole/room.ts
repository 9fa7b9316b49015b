/**
 * Room on the disk. A transaction is in the log first and takes the same room in the database later: what cannot be copied stays in the
 * log, which cannot start over then. So on a small disk the log gets a share of what is free, the database may grow only so far that
 * the log still fits, and a file keeps a reserve for the case that others take the rest. Beyond that SQLite says that it is full, for
 * what needs more room alone: what is changed in place, or deleted, goes on.
 */
import { randomBytes } from 'node:crypto';
import { open, stat, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { GraphError } from '../../errors.js';
import type { Connection } from '../connection/connection.js';

const MB = 1024 * 1024;
const PAGE = 4096;
const RESERVE = 'graph.db-reserve';
/** Bytes from which on nothing is limited. */
const AMPLE = 4096 * MB;
/** Bytes of the log at which it is copied, at most and at least. */
const LARGEST_LOG = 160 * MB;
const SMALLEST_LOG = MB / 2;
/** The parts of what is left that the log gets, and the reserve, which has to do for what is in the log alone. */
const LOG_SHARE = 16;
const RESERVE_SHARE = 8;
const LARGEST_RESERVE = 8 * MB;
/** Bytes of growth below which the log is copied at once, and each transaction is to know by itself whether it fits. */
const TIGHT = 128 * MB;
/** Bytes by which a database may grow for what deletes. */
const SLACK = MB / 4;
/** Milliseconds between two looks at the disk, while there is little room and while there is much. */
const LOOK = 200;
const LOOK_SELDOM = 2000;
/** The same without commits: others use the disk as well. */
const LOOK_IDLE = 5000;
/** Milliseconds between two attempts to make room. */
const FREE_AGAIN = 500;
/** Milliseconds between two complaints. */
const COMPLAIN = 60_000;

/** Frames of the log from which on it is copied; writers are paused so that it starts over; readers of it are waited for. */
export interface LogLimits {
  readonly passive: number;
  readonly restart: number;
  readonly force: number;
}

function limitsFor(bytes: number): LogLimits {
  const passive = Math.round(bytes / PAGE);
  return { passive, restart: Math.round(passive * 1.6), force: Math.round(passive * 3.2) };
}

export interface RoomParts {
  readonly folder: string;
  readonly writer: Connection;
  /** For tests: bytes of the log at which it is copied, at most. */
  readonly largestLog?: number | undefined;
  /** Copies the log, and shortens its file to nothing. */
  readonly shorten: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Removes the reserve, so that a database can be opened on a full disk. */
export async function releaseReserve(folder: string): Promise<void> {
  await unlink(join(folder, RESERVE)).catch(() => undefined);
}

export class Room {
  log = limitsFor(LARGEST_LOG);
  /** Little is left: a transaction that does not fit is not to take others with it. */
  tight = false;
  #most = 0;
  /** Bytes beyond what waits to be copied. */
  #spare = 0;
  #slack = false;
  #looked = 0;
  #looking: Promise<void> | undefined;
  #freeing: Promise<void> | undefined;
  #complained = -Infinity;
  #freed = -Infinity;
  #closed = false;
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly parts: RoomParts) {
    this.#timer = setInterval(() => void this.look(), LOOK_IDLE);
    this.#timer.unref();
  }

  /** After a commit; looks at the disk now and then. */
  committed(): void {
    const now = performance.now();
    if (now - this.#looked < (this.#most === 0 ? LOOK_SELDOM : LOOK) || this.#closed) return;
    this.#looked = now;
    void this.look();
  }

  /** Something is going to be deleted: trees need a few pages for that, which come from what the reserve stands for. */
  deleting(): void {
    if (!this.tight || this.#slack || this.#spare < 2 * SLACK) return;
    this.#slack = true;
    this.parts.writer.db.pragma(`max_page_count = ${String(this.#most + SLACK / PAGE)}`);
  }

  /** Looks at the disk. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch(this.parts.onError)
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  /** SQLite says that the disk is full: what can be done about it is done beside the traffic. */
  full(): void {
    if (this.#freeing !== undefined || this.#closed || performance.now() - this.#freed < FREE_AGAIN) return;
    if (performance.now() - this.#complained > COMPLAIN) {
      this.#complained = performance.now();
      const what =
        'what needs more room is refused (507) until there is some. Free some, or move database.path to a larger one';
      this.parts.onError(new GraphError('storage_full', `The disk of the database is full: ${what}.`));
    }
    this.#freeing = this.#free()
      .catch(this.parts.onError)
      .finally(() => {
        this.#freeing = undefined;
        this.#freed = performance.now();
      });
  }

  /** When the database is closed and its log gone: what the next start needs, where nobody else leaves it any room. */
  async keep(): Promise<void> {
    const { bavail, bsize } = await statfs(this.parts.folder);
    const free = bavail * bsize;
    if (free > AMPLE || (await sizeOf(join(this.parts.folder, RESERVE))) >= MB) return;
    await this.#write(Math.min(MB, Math.floor(free / 2 / PAGE) * PAGE));
  }

  /** The reserve is needed now; it comes back with a later look. */
  async release(): Promise<void> {
    await releaseReserve(this.parts.folder);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#freeing;
    await this.#looking;
  }

  async #free(): Promise<void> {
    await this.release();
    await this.parts.shorten();
    await this.look();
  }

  async #look(): Promise<void> {
    const { folder } = this.parts;
    const { bavail, bsize } = await statfs(folder);
    const reserve = await sizeOf(join(folder, RESERVE));
    const wal = await sizeOf(join(folder, 'graph.db-wal'));
    const free = bavail * bsize;
    // What the log has is given back once it is copied.
    const left = free + reserve + wal;
    if (left >= AMPLE) {
      if (reserve > 0) await this.release();
      this.#limit(this.parts.largestLog ?? LARGEST_LOG, 0);
      return;
    }
    const log = Math.min(LARGEST_LOG, Math.max(SMALLEST_LOG, left / LOG_SHARE));
    const wanted = Math.round(Math.min(LARGEST_RESERVE, Math.max(MB, left / RESERVE_SHARE)) / PAGE) * PAGE;
    if (reserve < wanted / 2 || reserve > wanted * 2) await this.#reserve(wanted, free + reserve);
    const pages = this.#pages();
    if (pages === undefined) return;
    const copied = await sizeOf(join(folder, 'graph.db'));
    // To be copied, it must fit before the log gives back what it has. Twice the log: transactions go beyond its share.
    const waiting = pages * PAGE - copied;
    const growth = Math.max(0, free + reserve - wanted - Math.max(0, 2 * log - wal) - waiting);
    this.#spare = free + reserve - waiting;
    this.#limit(log, pages + Math.floor(growth / PAGE), growth);
    if (waiting > (free + reserve) / 2 || (this.tight && wal > 4 * log)) this.#copySoon();
  }

  #copySoon(): void {
    if (this.#freeing !== undefined || this.#closed) return;
    this.#freeing = this.parts
      .shorten()
      .catch(this.parts.onError)
      .finally(() => {
        this.#freeing = undefined;
      });
  }

  /** Pages of the database, with those that are in the log alone; undefined: not to be told within a transaction. */
  #pages(): number | undefined {
    const { writer } = this.parts;
    return writer.inTransaction ? undefined : Number(writer.db.pragma('page_count', { simple: true }));
  }

  /** The database has a largest size, which only the connection on the loop keeps. */
  get limited(): boolean {
    return this.#most !== 0;
  }

  #limit(log: number, most: number, growth = Infinity): void {
    this.log = limitsFor(log);
    this.tight = growth < TIGHT;
    if (most === this.#most && !this.#slack) return;
    this.#slack = false;
    this.#most = most;
    // SQLite takes no number below what there is already; 0 asks only.
    this.parts.writer.db.pragma(`max_page_count = ${String(most === 0 ? 0xfffffffe : most)}`);
  }

  async #reserve(size: number, free: number): Promise<void> {
    if (this.#closed || free < size + SMALLEST_LOG) return;
    await this.#write(size);
  }

  async #write(size: number): Promise<void> {
    const path = join(this.parts.folder, RESERVE);
    try {
      const handle = await open(path, 'w', 0o600);
      try {
        // Nothing that a file system can make smaller.
        const piece = randomBytes(Math.min(MB, size));
        for (let at = 0; at < size; at += piece.length) await handle.write(piece, 0, Math.min(piece.length, size - at));
      } finally {
        await handle.close();
      }
    } catch {
      await this.release();
    }
  }
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}
