/** The block functions of expressions (docs/interface/scripting.md 2.4): what decides for itself which of its arguments are evaluated. */

export type BlockName = 'if' | 'is' | 'each' | 'filter' | 'map' | 'reduce' | 'any' | 'all' | 'none' | 'cache';

export class Block {
  constructor(
    readonly name: BlockName,
    readonly signature: string,
    /** Exactly so many arguments. */
    readonly count: number,
    /** Fewer are refused as more are; otherwise fewer answer the usage text. */
    private readonly strict = false,
  ) {}

  /** Why it is not to be evaluated with so many arguments; undefined: it is. */
  refusal(args: number): string | undefined {
    if (args <= this.count && (args === this.count || !this.strict)) return undefined;
    return `${this.signature} has ${String(args)} arguments here`;
  }

  get usage(): string {
    return `Usage: ${this.signature}`;
  }
}

const blocks: ReadonlyMap<string, Block> = new Map(
  [
    new Block('if', 'if(condition, valueIfTrue, valueIfFalse)', 3, true),
    new Block('is', 'is(condition, valueIfTrue)', 2),
    new Block('each', 'each(list, expression)', 2),
    new Block('filter', 'filter(list, condition)', 2),
    new Block('map', 'map(list, expression)', 2),
    new Block('reduce', 'reduce(list, initialValue, expression)', 3),
    new Block('any', 'any(list, condition)', 2),
    new Block('all', 'all(list, condition)', 2),
    new Block('none', 'none(list, condition)', 2),
    new Block('cache', 'cache(key, seconds, expression)', 3),
  ].map((block) => [block.name, block] as const),
);

/** Inside of the arguments of `find`, `any` is a predicate (docs/interface/scripting.md 2.3). */
export function blockNamed(name: string, inFind: boolean): Block | undefined {
  return inFind && name === 'any' ? undefined : blocks.get(name);
}
