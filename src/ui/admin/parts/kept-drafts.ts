/** What was typed and not saved, by the place where it was: who looks at something else, or at another area, finds it again as long as the page is open. */
export class KeptDrafts<Draft> {
  private readonly kept = new Map<string, Draft>();

  get(place: string): Draft | undefined {
    return this.kept.get(place);
  }

  /** Undefined: there is nothing that is not saved. */
  keep(place: string, draft: Draft | undefined): void {
    if (draft === undefined) this.kept.delete(place);
    else this.kept.set(place, draft);
  }

  get places(): ReadonlySet<string> {
    return new Set(this.kept.keys());
  }
}
