/** Uploads in pieces (docs/interface/files.md 4): some at a time; each can rest, goes on after the server was away, and can be ended. */
import { DetailedError, Upload, type HttpRequest, type HttpResponse } from 'tus-js-client';
import { asRefusal, FAULT, RefusedError } from '../../../common/request.js';
import type { Bringing } from '../dragging.js';
import { fileNamed, folderNamed, removeSent, replaceBy } from './same-name.js';
import { EMPTY, snapshotOf, type Choice, type Counted, type Uploads } from './upload-state.js';

const AT_ONCE = 3;
const SMALL = 256 * 1024;
/** How often what is shown is made anew, ms. */
const DRAWN_MS = 100;
/** Until a server that does not answer is asked again: soon at first, then for some hours. */
const AGAIN_MS = 2000;
const RETRIES = [300, 1000, ...Array<number>(5000).fill(AGAIN_MS)];

interface Item extends Counted {
  /** Id of the folder that it was brought to; undefined: the root. */
  readonly into: string | undefined;
  /** Those that were brought together share what is said for all of them. */
  readonly together: Together;
  /** What is to be done with the file of its name; absent: nobody has looked for one. */
  choice?: Choice | undefined;
  /** Id of the file that it replaces. */
  replaces?: string | undefined;
  upload?: Upload | undefined;
  /** Grows whenever it begins or rests: what was begun before ends without sending anything. */
  turn: number;
  /** All of it has arrived, as the file `made`; what may be missing is that it takes the place of another one. */
  hasArrived: boolean;
}

const NEW = { state: 'waiting', sent: 0, turn: 0, hasArrived: false } as const;

interface Together {
  choice?: Choice;
}

class UploadQueue {
  #items: Item[] = [];
  #keys = 0;
  #arrivals = 0;
  #snapshot = EMPTY;
  readonly #folders = new Map<string, Promise<string>>();
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): Uploads => this.#snapshot;

  /** Begins to send; `into`: id of the folder, undefined: the root. Folders that were brought are made, or those of their names taken. */
  add({ files, empty }: Bringing, into: string | undefined): void {
    const together: Together = {};
    for (const { file, folders } of files)
      this.#items.push({ key: ++this.#keys, file, folders, into, together, ...NEW });
    for (const folders of empty)
      void this.#folder(into, folders).then(
        () => {
          this.#arrived();
        },
        () => undefined,
      );
    this.#go();
  }

  pause(key: number): void {
    const item = this.#find(key);
    if (item === undefined || item.hasArrived || ['done', 'failed', 'asking'].includes(item.state)) return;
    item.state = 'paused';
    item.turn++;
    void item.upload?.abort();
    this.#go();
  }

  /** Goes on where it was; also with one that has failed. */
  resume(key: number): void {
    const item = this.#find(key);
    if (item === undefined || (item.state !== 'paused' && item.state !== 'failed')) return;
    item.state = 'waiting';
    item.problem = undefined;
    this.#go();
  }

  /** Ends an upload, and takes away what the server has of it. */
  cancel(key: number): void {
    const item = this.#find(key);
    if (item === undefined) return;
    this.#items = this.#items.filter((one) => one !== item);
    item.turn++;
    if (item.state !== 'done') {
      if (item.hasArrived) void takeBack(item).catch(() => undefined);
      else item.upload?.abort(true).catch(() => undefined);
    }
    this.#go();
  }

  /** Ends all of them: whoever they belong to is not here any more. What the server has of them stays there, for who brings them again. */
  end(): void {
    for (const item of this.#items) {
      item.turn++;
      void item.upload?.abort();
    }
    this.#items = [];
    this.#snapshot = EMPTY;
    this.#draw();
  }

  /** Says what is to be done with one that waits for an answer. `all`: also with the others of them that were brought with it. */
  answer(key: number, choice: Choice, all: boolean): void {
    const asked = this.#find(key);
    if (asked?.state !== 'asking') return;
    if (all) asked.together.choice = choice;
    for (const item of this.#items) {
      if (item.state !== 'asking' || (item !== asked && !(all && item.together === asked.together))) continue;
      item.choice = choice;
      item.state = 'waiting';
    }
    this.#items = this.#items.filter(({ state, choice: chosen }) => state !== 'waiting' || chosen !== 'leave');
    this.#go();
  }

  pauseAll(): void {
    for (const { key } of this.#items) this.pause(key);
  }

  resumeAll(): void {
    for (const { key } of this.#items) this.resume(key);
  }

  /** Forgets those that are over; the others go on. */
  clear(): void {
    this.#items = this.#items.filter(({ state }) => state !== 'done');
    this.#draw();
  }

  #find(key: number): Item | undefined {
    return this.#items.find((item) => item.key === key);
  }

  #go(): void {
    let free = AT_ONCE - this.#items.filter(({ state }) => state === 'sending' || state === 'away').length;
    for (const item of this.#items) {
      if (free <= 0) break;
      if (item.state !== 'waiting') continue;
      item.state = 'sending';
      free--;
      void this.#begin(item);
    }
    this.#draw();
  }

  async #begin(item: Item): Promise<void> {
    const turn = ++item.turn;
    if (item.hasArrived) {
      await this.#arrivedAs(item);
      return;
    }
    if (item.upload !== undefined) {
      item.upload.start();
      return;
    }
    try {
      const folder = await this.#folder(item.into, item.folders);
      if (item.turn !== turn || !(await this.#maySend(item, folder, turn))) return;
      const upload = this.#uploadOf(item, folder);
      const [before] = await upload.findPreviousUploads();
      if (item.turn !== turn) return;
      if (before !== undefined) upload.resumeFromPreviousUpload(before);
      item.upload = upload;
      upload.start();
    } catch (error) {
      if (item.turn !== turn) return;
      const problem = asRefusal(error);
      if (problem.status === 0) {
        item.state = 'away';
        setTimeout(() => {
          if (item.turn === turn) void this.#begin(item);
        }, AGAIN_MS);
      } else this.#failed(item, problem);
      this.#draw();
    }
  }

  /** Looks for a file of the same name, once; false: somebody has to say first what is to be done, has said that nothing is, or it is another turn. */
  async #maySend(item: Item, folder: string | undefined, turn: number): Promise<boolean> {
    if (item.choice !== undefined) return true;
    const there = await fileNamed(item.file.name, folder);
    if (item.turn !== turn) return false;
    item.choice = there === undefined ? 'beside' : item.together.choice;
    item.replaces = there;
    if (item.choice === undefined) {
      // Nothing is sent while the question stands.
      item.state = 'asking';
      this.#go();
      return false;
    }
    if (item.choice !== 'leave') return true;
    this.cancel(item.key);
    return false;
  }

  async #arrivedAs(item: Item): Promise<void> {
    item.hasArrived = true;
    try {
      if (item.choice === 'replace' && item.replaces !== undefined) {
        if (item.made === undefined)
          throw new RefusedError(FAULT, 'The server has not told which file it has made.', new Set());
        await replaceBy(item.replaces, item.made);
        item.made = item.replaces;
      }
      item.state = 'done';
      this.#arrived();
      this.#go();
    } catch (error) {
      const problem = asRefusal(error);
      // It is no second file beside the one that it was to replace. Without an answer nobody knows what was done: then it is tried again.
      if (problem.status !== 0) await takeBack(item).catch(() => undefined);
      this.#arrived();
      this.#failed(item, problem);
    }
  }

  #uploadOf(item: Item, folder: string | undefined): Upload {
    const { file } = item;
    return new Upload(file, {
      endpoint: new URL('upload/tus', document.baseURI).href,
      // `null` is the root; without it the server would choose a folder of its own.
      metadata: { filename: file.name, filetype: file.type, parent: folder ?? 'null' },
      // The same file for the same folder goes on where it was, also after the page was closed.
      fingerprint: () => Promise.resolve(['svc', folder ?? '', file.name, file.size, file.lastModified].join('|')),
      removeFingerprintOnSuccess: true,
      // One request for what is small. What is large is begun first, so that its bytes have an address to go on at.
      uploadDataDuringCreation: file.size <= SMALL,
      retryDelays: RETRIES,
      onShouldRetry: (error) => {
        const status = error.originalResponse?.getStatus() ?? 0;
        const again = status === 0 || [409, 423, 429, 500, 502, 503, 504].includes(status);
        if (again && item.state === 'sending') {
          item.state = 'away';
          if (status === 0) dispatchEvent(new Event('svc:refused'));
          this.#draw();
        }
        return again;
      },
      onAfterResponse: (_request: HttpRequest, response: HttpResponse) => {
        item.made = response.getHeader('Svc-File-Id') ?? item.made;
      },
      onProgress: (sent) => {
        item.sent = sent;
        if (item.state === 'away') item.state = 'sending';
        this.#draw();
      },
      onSuccess: () => {
        item.sent = file.size;
        void this.#arrivedAs(item);
      },
      onError: (error) => {
        if (item.state === 'paused') return;
        this.#failed(item, refusalOf(error));
      },
    });
  }

  #failed(item: Item, problem: RefusedError): void {
    item.state = 'failed';
    item.problem = problem;
    this.#go();
  }

  /** The folder at a path below another one, made where it is missing. */
  async #folder(into: string | undefined, names: readonly string[]): Promise<string | undefined> {
    let folder = into;
    for (const name of names) {
      const key = `${folder ?? ''}/${name}`;
      let made = this.#folders.get(key);
      if (made === undefined) {
        made = folderNamed(name, folder);
        this.#folders.set(key, made);
        // Looked for again: it may be made, moved or deleted by then.
        made.finally(() => setTimeout(() => this.#folders.delete(key), AGAIN_MS)).catch(() => undefined);
      }
      folder = await made;
    }
    return folder;
  }

  #arrived(): void {
    this.#arrivals++;
    this.#draw();
  }

  #draw(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#snapshot = snapshotOf(this.#items, this.#arrivals);
      for (const listener of this.#listeners) listener();
    }, DRAWN_MS);
  }
}

function refusalOf(error: Error): RefusedError {
  const response = error instanceof DetailedError ? error.originalResponse : null;
  if (response === null) return new RefusedError(0, error.message, new Set());
  let message = `The server answered ${String(response.getStatus())}.`;
  try {
    message = (JSON.parse(response.getBody()) as { readonly message?: string }).message ?? message;
  } catch {
    // No JSON: the number says enough.
  }
  return new RefusedError(response.getStatus(), message, new Set());
}

/** Takes away the file that was made of an upload, which can begin anew then. */
async function takeBack(item: Item): Promise<void> {
  if (item.made !== undefined) await removeSent(item.made);
  Object.assign(item, { hasArrived: false, made: undefined, upload: undefined, choice: undefined, sent: 0 });
}

/** Outlives the area: uploads go on while somebody looks at others. */
export const uploads = new UploadQueue();

addEventListener('beforeunload', (event) => {
  const { all, over, failed, paused } = uploads.snapshot();
  if (all > over + failed + paused) event.preventDefault();
});

// The page goes: what it has cannot wait for an answer.
addEventListener('svc:leave', () => {
  uploads.end();
});
