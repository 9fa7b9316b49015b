import { FilesError } from '../errors.js';
import type { Storage } from './storage.js';

/** The storages in use, by the name that files keep of theirs. */
export class Storages {
  readonly #byName = new Map<string, Storage>();

  constructor(local: Storage) {
    this.#byName.set('', local);
  }

  /** Throws `FilesError` for one that is not (or no more) configured. */
  get(name: string): Storage {
    const storage = this.#byName.get(name);
    if (storage === undefined) throw new FilesError(500, 'The storage of this file is not configured any more.');
    return storage;
  }
}
