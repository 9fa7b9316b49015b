/** Uploads as they are shown. */
import type { RefusedError } from '../../../common/request.js';

/** `away`: the server does not answer, and is asked again; `asking`: a file of its name is there, and somebody has to say what to do. */
export type UploadState = 'waiting' | 'sending' | 'away' | 'paused' | 'failed' | 'done' | 'asking';

/** What is to be done where a file of the same name is: take its content away, keep both, or send nothing. */
export type Choice = 'replace' | 'beside' | 'leave';

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
  /** Of those that wait for an answer the first, and how many there are. */
  readonly asking: { readonly key: number; readonly name: string; readonly count: number } | undefined;
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

export const EMPTY: Uploads = {
  ...{ shown: [], all: 0, over: 0, failed: 0, paused: 0, asking: undefined, sent: 0, size: 0, arrivals: 0 },
};

const RANK: Readonly<Record<UploadState, number>> = {
  ...{ failed: 0, asking: 0, sending: 1, away: 1, paused: 2, waiting: 3, done: 4 },
};

const nameOf = ({ folders, file }: Counted): string => [...folders, file.name].join('/');

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
    .map((item) => {
      const { key, file, sent, state, problem, made } = item;
      return { key, name: nameOf(item), size: file.size, sent, state, problem, file: made };
    });
  const waiting = items.filter(({ state }) => state === 'asking');
  const [first] = waiting;
  const asking = first === undefined ? undefined : { key: first.key, name: nameOf(first), count: waiting.length };
  return { ...counted, asking, shown };
}
