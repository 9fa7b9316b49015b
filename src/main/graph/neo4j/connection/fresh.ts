/**
 * Whether an id can be taken as unused without asking. Ids of ours carry the time they were made (ids.ts): one made in
 * the last seconds that this instance has not used is new. Should it not be (a client sent one that another instance
 * has just used), the constraint on `id` still refuses the transaction, only later.
 */
const SPAN = 10_000;
const VERSION_7 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?7[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/;

export class Fresh {
  #recent = new Set<string>();
  #older = new Set<string>();
  #since = Date.now();

  isNew(id: string): boolean {
    if (!VERSION_7.test(id) || this.#recent.has(id) || this.#older.has(id)) return false;
    const made = Number.parseInt(id.slice(0, 13).replace('-', '').slice(0, 12), 16);
    return Math.abs(Date.now() - made) < SPAN;
  }

  used(id: string): void {
    if (Date.now() - this.#since > 2 * SPAN) {
      this.#older = this.#recent;
      this.#recent = new Set();
      this.#since = Date.now();
    }
    this.#recent.add(id);
  }
}
