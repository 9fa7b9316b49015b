/**
 * Scripts and markup in pages run with the rights of whoever looks at them: those of users who are no administrators must not be run. A node
 * that one of them has written is marked, until an administrator writes anew all that could run in it.
 */
import type { PropertyMap } from '../../../graph/index.js';
import type { TraitRule } from '../rule.js';

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

/** Relations that say what a node sets off, or from where. */
const LINKS: ReadonlySet<string> = new Set([
  'triggeredActions',
  'triggerElements',
  'parameterMappings',
  'actionMapping',
]);
const OF_SERVICE = /^(?:id|type|name|owner\w*|created\w*|lastModified\w*|visibleTo\w+|hidden|grantees|sandboxed)$/;

function sandboxing(trait: string, mayRun: (key: string) => boolean): TraitRule {
  return {
    trait,
    normalise(values, before, { actor, options }, input) {
      if (!actor.isAdmin && options.usersDecide !== true) {
        if (Object.keys(values).some(mayRun) || Object.keys(input).some((key) => LINKS.has(key))) {
          values[SANDBOXED] = true;
        }
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

export const sandboxRules: readonly TraitRule[] = [
  sandboxing('DOMNode', mayRun),
  sandboxing('ActionMapping', ofMappings),
  sandboxing('ParameterMapping', ofMappings),
];
