/** Who waits, by user; the users take turns. */
export interface Waiting {
  readonly user: string;
  /** What it is called; undefined: nobody knows. */
  readonly script: string | undefined;
  /** By the clock of `performance.now()`. */
  readonly since: number;
  readonly go: () => void;
}

export class Line {
  size = 0;
  /** In the order of their turns. */
  private readonly users = new Map<string, Waiting[]>();

  add(one: Waiting): void {
    const list = this.users.get(one.user);
    if (list === undefined) this.users.set(one.user, [one]);
    else list.push(one);
    this.size++;
  }

  remove(one: Waiting): void {
    const list = this.users.get(one.user);
    const at = list?.indexOf(one) ?? -1;
    if (list !== undefined && at !== -1) this.takeOut(one.user, list, at);
  }

  private takeOut(user: string, list: Waiting[], at: number): Waiting | undefined {
    const [one] = list.splice(at, 1);
    if (list.length === 0) this.users.delete(user);
    this.size--;
    return one;
  }

  /** The next of the first user of whom one may go on; `candidate` says which of his, by its place in the list, or -1. */
  take(candidate: (list: readonly Waiting[]) => number): Waiting | undefined {
    for (const [user, list] of this.users) {
      const at = candidate(list);
      if (at === -1) continue;
      const one = this.takeOut(user, list, at);
      // His next turn comes after those of all others.
      this.users.delete(user);
      if (list.length > 0) this.users.set(user, list);
      return one;
    }
    return undefined;
  }
}
