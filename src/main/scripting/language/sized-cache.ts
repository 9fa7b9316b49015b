/** What is made of texts, kept by them. Those not used for longest make room for new ones. */
export class SizedCache<T> {
  private readonly kept = new Map<string, T>();
  private size = 0;

  constructor(
    /** Characters of all texts together. */
    private readonly most: number,
  ) {}

  get(text: string): T | undefined {
    const found = this.kept.get(text);
    if (found === undefined || this.size <= this.most / 2) return found;
    // Their order only matters once there is little room left.
    this.kept.delete(text);
    this.kept.set(text, found);
    return found;
  }

  /** A text of more than a tenth of the room is not kept. */
  set(text: string, made: T): void {
    const size = sizeOf(text);
    if (size > this.most / 10 || this.kept.has(text)) return;
    this.kept.set(text, made);
    this.size += size;
    for (const oldest of this.kept.keys()) {
      if (this.size <= this.most) return;
      this.kept.delete(oldest);
      this.size -= sizeOf(oldest);
    }
  }
}

/** What is made of a short text takes room, too. */
function sizeOf(text: string): number {
  return text.length + 64;
}
