/** Calls of functions of the library, as they stand in a script of either language. */

/** What an argument can be seen to be. `spread`: so many as its value has. */
export type ArgumentKind = 'text' | 'null' | 'map' | 'spread' | 'literal' | 'other';

export interface FoundArgument {
  readonly kind: ArgumentKind;
  /** Index of its first character, and behind its last, in the source of the script. */
  readonly at: number;
  readonly end: number;
  /** Of a text that can be seen. */
  readonly text?: string | undefined;
  /** Keys of a map; undefined: not all can be seen. */
  readonly keys?: readonly string[] | undefined;
}

export interface FoundCall {
  /** As the library has it, however it is written. */
  readonly name: string;
  /** Index of the first character of the call in the source of the script. */
  readonly at: number;
  readonly language: 'expression' | 'javascript';
  /** Undefined: the function is not called here but handed on. */
  readonly args: readonly FoundArgument[] | undefined;
  /** Why nobody can say for sure which function is called, or with what; undefined: it is certain. */
  readonly doubt: string | undefined;
}

/** Whether a name, in either spelling, is that of a function that is looked for; its name in the library. */
export type Wanted = (name: string) => string | undefined;
