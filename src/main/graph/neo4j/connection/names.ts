/**
 * Names as Neo4j keeps them. Types, relationship types and keys of clients are used as they are wherever Neo4j can
 * hold them, so that another client of the database sees what it expects. It cannot hold the empty name nor one with
 * a null character, and some names are taken by ourselves; those are stored as `_svc_key_` and the name in URL coding.
 */

/** The label every node has: one uniqueness constraint on `id` and one index a key serve all types. */
export const COMMON = 'NodeInterface';
/** Prefix of every name that is the engine's own. */
export const OWN = '_svc_';
/** Position in the order of creation, on nodes and relationships. */
export const SEQUENCE = '_svc_seq';
/** Label of the engine's own nodes: the lock of the writers and one node an instance. */
export const META = '_svc_meta';
/** Label of what instances tell each other (notices.ts). */
export const NOTICE = '_svc_notice';
/** Label of what instances tell each other beside that (messages.ts). */
export const MESSAGE = '_svc_message';
/** Label of what commits have touched (commits.ts). */
export const COMMIT = '_svc_commit';
/** Label of the records of journals (journals.ts). */
export const JOURNAL = '_svc_journal';
/** Label of the engine's notes on relationships: which type of the schema uses which type of the database. */
export const CATALOG = '_svc_relation';
const CODED = '_svc_key_';

/**
 * A name as an identifier in a statement. Cypher replaces `\uXXXX` before it parses anything, quoted names included, so
 * that `\u0060` would end the quotes: the backslash itself is written that way.
 */
export function quoted(name: string): string {
  return '`' + name.replaceAll('`', '``').replaceAll('\\', '\\u005C') + '`';
}

function coded(name: string): string {
  return CODED + encodeURIComponent(name);
}

function unfit(name: string): boolean {
  return name === '' || name.startsWith(OWN) || name.includes('\0');
}

const MAX_CACHED = 10_000;

/** Keys come from the schema, but clients may send any: the cache is bounded. */
function cached(make: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    let made = known.get(name);
    if (made === undefined) {
      made = make(name);
      if (known.size >= MAX_CACHED) known.clear();
      known.set(name, made);
    }
    return made;
  };
}

/** The property of Neo4j that holds a key. `__proto__` is coded because the driver's maps are plain objects. */
export const propertyName = cached((key) => {
  const text = key.toWellFormed();
  return unfit(text) || text === 'id' || text === 'type' || text === '__proto__' ? coded(text) : text;
});

/** The key a property of Neo4j holds; undefined: a property of the engine. */
export function keyOf(property: string): string | undefined {
  if (!property.startsWith(OWN)) return property;
  return property.startsWith(CODED) ? decodeURIComponent(property.slice(CODED.length)) : undefined;
}

/** Prefix of the label that only nodes of exactly this type have. Names of traits, subtypes have too. */
export const TYPE = '_svc_type_';

/** The label of exactly this type, ready for a statement. */
export const labelOf = cached((type) => {
  const text = type.toWellFormed();
  return quoted(TYPE + (text.includes('\0') || text.startsWith('%') ? `%${encodeURIComponent(text)}` : text));
});

/** What a new node is called, `:A:B`, ready for a statement: for our queries by its type, for others by its traits. */
export function allLabels(type: string, traits: readonly string[]): string {
  const named = traits.map((trait) => trait.toWellFormed()).filter((trait) => !unfit(trait));
  return [...new Set([COMMON, labelOf(type), ...named.map(quoted)])].map((label) => `:${label}`).join('');
}

/** The type of a relationship in Neo4j. */
export function relationshipName(relType: string): string {
  const text = relType.toWellFormed();
  return unfit(text) ? coded(text) : text;
}

/** The same, ready for a statement. */
export const relationshipLabel = cached((relType) => quoted(relationshipName(relType)));

/** `A|B` for the label expression of some types. */
export function labels(types: readonly string[]): string {
  return [...new Set(types)].map(labelOf).join('|');
}
