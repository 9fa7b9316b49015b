import type { Rule } from 'eslint';

/** Rooms from left to right. */
export const ROOMS: readonly string[];
export const WORKERS_MAY_IMPORT: readonly RegExp[];
export const PACKAGE_ROOMS: ReadonlyMap<string, string>;
export const roomArrows: Rule.RuleModule;
