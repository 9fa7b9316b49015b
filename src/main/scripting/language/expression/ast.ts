/** What an expression is made of, once it is parsed (docs/interface/scripting.md 2.2). */

interface Placed {
  /** Index of its first character in the source; of what stands behind another expression, that of its own mark or dot. */
  readonly at: number;
  /** Index behind its last character. */
  readonly end: number;
}

/** `null`, `true`, `'text'`, `1.5`; numbers as they were written, too. */
export interface Literal extends Placed {
  readonly kind: 'literal';
  readonly value: null | boolean | number | string;
  readonly written?: string;
}

/** `this.owner.name!nobody` */
export interface Path extends Placed {
  readonly kind: 'path';
  /** One or more. */
  readonly parts: readonly string[];
  /** What stands behind `!`. */
  readonly otherwise?: string;
}

/** `.owner.name!nobody` behind another expression; `of` is null where there is none. */
export interface Member extends Placed {
  readonly kind: 'member';
  readonly of: Expression | null;
  readonly parts: readonly string[];
  readonly otherwise?: string;
}

/** A function of the library or of the user, or one of the block functions, by the name that is written. */
export interface Call extends Placed {
  readonly kind: 'call';
  readonly name: string;
  readonly args: readonly Expression[];
  /** Inside of the arguments of `find`, `search` or `findPrivileged`: predicates go before functions. */
  readonly inFind: boolean;
}

/** `this.project.close('reason', 'done')` */
export interface MethodCall extends Placed {
  readonly kind: 'method';
  readonly of: Expression | null;
  readonly name: string;
  readonly args: readonly Expression[];
}

/** `(a, b)`: the texts of both. */
export interface Group extends Placed {
  readonly kind: 'group';
  readonly items: readonly Expression[];
}

/** `[n]`; `of` is null inside of arguments, where it stands for itself. */
export interface Index extends Placed {
  readonly kind: 'index';
  readonly of: Expression | null;
  readonly index: Expression;
}

export type Expression = Literal | Path | Member | Call | MethodCall | Group | Index;

/** A whole expression. */
export interface Script {
  /** The first is the value of the whole; the others have no effect. */
  readonly items: readonly Expression[];
  /** Index of the character that no token begins with; what follows it is not read. */
  readonly stopped: number | undefined;
  /** What can be read but not be evaluated: answered by status 422. The first such place. */
  readonly refused: { readonly at: number; readonly message: string } | undefined;
}
