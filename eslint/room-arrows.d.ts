import type { Rule } from 'eslint';

/** Rooms from left to right. */
export const ROOMS: readonly string[];
/** Folders that belong to the composition root. */
export const OF_MAIN: ReadonlySet<string>;
/** Folders of a room from the lowest up. */
export const FLOORS: ReadonlyMap<string, readonly string[]>;
export const WORKERS_MAY_IMPORT: readonly RegExp[];
export const PACKAGE_ROOMS: ReadonlyMap<string, string>;
export const roomArrows: Rule.RuleModule;
