/** The languages of the console. A mode is a row here. */
import type { CodeLanguage } from '../parts/code-languages.js';
import type { ConsoleKey } from '../texts/console.js';

export interface ModeRow {
  readonly name: string;
  readonly title: ConsoleKey;
  readonly hint: ConsoleKey;
  readonly language: CodeLanguage;
}

export const MODES = [
  { name: 'expression', title: 'console.expression', hint: 'console.expressionHint', language: 'javascript' },
  { name: 'javascript', title: 'console.javascript', hint: 'console.javascriptHint', language: 'javascript' },
  { name: 'cypher', title: 'console.cypher', hint: 'console.cypherHint', language: 'text' },
  { name: 'rest', title: 'console.rest', hint: 'console.restHint', language: 'text' },
  { name: 'shell', title: 'console.shell', hint: 'console.shellHint', language: 'text' },
] as const satisfies readonly ModeRow[];

export type Mode = (typeof MODES)[number]['name'];

export const isMode = (name: unknown): name is Mode => MODES.some((mode) => mode.name === name);
