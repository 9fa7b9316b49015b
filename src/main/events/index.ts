/** The room of what happened: the changelog. Nothing here decides who may read it. */
export { Changelog, type ChangelogContext } from './changelog/changelog.js';
export type { ChangelogEntry } from './changelog/entry.js';
export { matches as passes, type LogFilters as ChangelogFilters } from './changelog/files/filters.js';
export type { LogKind as ChangelogKind } from './changelog/files/paths.js';
