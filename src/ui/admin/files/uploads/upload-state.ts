/** Uploads as they are shown. */
import type { RefusedError } from '../../../common/request.js';

/** `away`: the server does not answer, and is asked again. */
export type UploadState = 'waiting' | 'sending' | 'away' | 'paused' | 'failed' | 'done';

/** An upload as it is shown. */
export interface Shown {
  readonly key: number;
  readonly name: string;
  readonly size: number;
  readonly sent: number;
  readonly state: UploadState;
  readonly problem: RefusedError | undefined;
  /** Id of the file, when it is there. */
  readonly file: string | undefined;
}

/** All uploads; `shown`: those that are not over, then those that are, at most `MOST_SHOWN`. */
export interface Uploads {
  readonly shown: readonly Shown[];
  readonly all: number;
  readonly over: number;
  readonly failed: number;
  readonly paused: number;
  /** Bytes. */
  readonly sent: number;
  readonly size: number;
  /** Grows whenever something has arrived. */
  readonly arrivals: number;
}

export const MOST_SHOWN = 60;

/** What is counted and shown of an upload. */
export interface Counted {
  readonly key: number;
  readonly file: File;
  readonly folders: readonly string[];
  state: UploadState;
  sent: number;
  problem?: RefusedError | undefined;
  /** Id of the file, when it is there. */
  made?: string | undefined;
}

export const EMPTY: Uploads = { shown: [], all: 0, over: 0, failed: 0, paused: 0, sent: 0, size: 0, arrivals: 0 };

const RANK: Readonly<Record<UploadState, number>> = { failed: 0, sending: 1, away: 1, paused: 2, waiting: 3, done: 4 };

/** What is shown of all uploads now. */
export function snapshotOf(items: readonly Counted[], arrivals: number): Uploads {
  const counted = { all: items.length, over: 0, failed: 0, paused: 0, sent: 0, size: 0, arrivals };
  for (const { state, sent, file } of items) {
    if (state === 'done') counted.over++;
    if (state === 'failed') counted.failed++;
    if (state === 'paused') counted.paused++;
    counted.sent += sent;
    counted.size += file.size;
  }
  const shown = [...items]
    .sort((a, b) => RANK[a.state] - RANK[b.state])
    .slice(0, MOST_SHOWN)
    .map(({ key, file, folders, sent, state, problem, made }) => ({
      key,
      name: [...folders, file.name].join('/'),
      size: file.size,
      sent,
      state,
      problem,
      file: made,
    }));
  return { ...counted, shown };
}
