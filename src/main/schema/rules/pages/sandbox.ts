/**
 * Scripts and markup in pages run with the rights of whoever looks at them: those of users who are no administrators must not be run. A node
 * that one of them has written is marked, until an administrator writes anew all that could run in it.
 */
import type { GraphNode, GraphRelationship, PropertyMap } from '../../../graph/index.js';
import type { ObjectTransaction } from '../../writing/object-transaction.js';
import type { TraitRule } from '../rule.js';
import { kindOfLink } from './tree/links.js';

export const SANDBOXED = 'sandboxed';

const RUNS: ReadonlySet<string> = new Set([
  ...['content', 'contentType', 'tag', 'dataKey', 'functionQuery', 'cypherQuery', 'showConditions', 'hideConditions'],
  ...['sharedComponentConfiguration', 'customOpeningTag', 'selectedValues', 'eventMapping', 'basicAuthRealm'],
]);
const PREFIXES = ['_html_', '_custom_html_', 'data-'];

/** Whether the value of a key may be, or contain, something that runs. */
function mayRun(key: string): boolean {
  return RUNS.has(key) || PREFIXES.some((prefix) => key.startsWith(prefix));
}

/**
 * Relationships, by type in the database, that say what sets off an action, with which values, and what becomes of the page. A link has a mark of
 * its own: an administrator's element and an administrator's mapping that somebody else has put together stay what they are, and have nothing to do with
 * each other.
 */
const LINKS: ReadonlySet<string> = new Set([
  ...['TRIGGERED_BY', 'PARAMETER', 'INPUT_ELEMENT', 'SUCCESS_TARGET', 'FAILURE_TARGET'],
  ...['SUCCESS_NOTIFICATION_ELEMENT', 'FAILURE_NOTIFICATION_ELEMENT'],
  // Which page an address means, and what its scripts are told by it.
  ...['HAS_PATH', 'HAS_PARAMETER'],
]);
/**
 * Relationships, by type in the database, that say where a node is shown, and what it leads to. An administrator's text that somebody else has put into an
 * administrator's script is run by nobody.
 */
const PLACES: ReadonlySet<string> = new Set(['CONTAINS', 'SYNC', 'LINK']);
const OF_SERVICE = /^(?:id|type|name|owner\w*|created\w*|lastModified\w*|visibleTo\w+|hidden|grantees|sandboxed)$/;

/** Whether what the actor writes into pages is run, and not marked. */
export function runsScripts({ actor, options }: Pick<ObjectTransaction, 'actor' | 'options'>): boolean {
  return actor.isAdmin || options.usersDecide === true;
}

/** What a relationship is marked with that the actor makes, or changes. Whoever reads such links knows what those with the mark may not do. */
export function markOfLink(link: Pick<GraphRelationship, 'type' | 'relType'>, objects: ObjectTransaction): PropertyMap {
  if (runsScripts(objects)) return {};
  const isPlace = PLACES.has(link.relType) && kindOfLink(objects.schema, link) !== undefined;
  return isPlace || LINKS.has(link.relType) ? { [SANDBOXED]: true } : {};
}

/** What a relationship is marked with that somebody else has made, whoever makes it anew. */
export const OF_OTHERS: PropertyMap = { [SANDBOXED]: true };

/** Says of a node of the transaction that somebody else has written it, whatever the actor has written in it since. */
export function markAsOfOthers(objects: ObjectTransaction, node: GraphNode): Promise<GraphNode> {
  return objects.tx.updateNode(node.id, OF_OTHERS);
}

function sandboxing(trait: string, mayRun: (key: string) => boolean): TraitRule {
  return {
    trait,
    normalise(values, before, objects) {
      if (!runsScripts(objects)) {
        if (Object.keys(values).some(mayRun)) values[SANDBOXED] = true;
        return;
      }
      if (before?.[SANDBOXED] === true && writesAll(values, before, mayRun)) values[SANDBOXED] = null;
    },
  };
}

/** Nothing that could run is left of what was there. */
function writesAll(
  values: Readonly<Record<string, unknown>>,
  before: PropertyMap,
  mayRun: (key: string) => boolean,
): boolean {
  return Object.keys(before).every((key) => !mayRun(key) || key in values);
}

/** All that a mapping says is done with the rights of whoever sets it off. */
const ofMappings = (key: string): boolean => !OF_SERVICE.test(key);

/** What they say of the values that scripts of a page get. */
const OF_PARAMETERS: ReadonlySet<string> = new Set(['name', 'valueType', 'defaultValue', 'isOptional']);

export const sandboxRules: readonly TraitRule[] = [
  sandboxing('DOMNode', mayRun),
  // Its source becomes nodes of pages, with the rights of whoever inserts it.
  sandboxing('Widget', (key) => key === 'source'),
  sandboxing('ActionMapping', ofMappings),
  sandboxing('ParameterMapping', ofMappings),
  sandboxing('PagePath', (key) => key === 'name' || key === 'priority'),
  sandboxing('PagePathParameter', (key) => OF_PARAMETERS.has(key)),
];
