/** Entries of a data export made of objects and relationships as they are stored (deployment/data/export.ts). */
import { decodeProperties } from '../../main/graph/sqlite/connection/codec.js';
import { StoredTexts } from '../../main/deployment/data/stored-text.js';
import { inner, LINK_MEMBERS, NODE_MEMBERS, rightsMembers } from '../../main/deployment/data/entry-text.js';
import { prettyJson } from '../../main/deployment/tree/json-styles.js';
import { holdersNamed } from '../../main/schema/rights/holder-names.js';
import type { Made, StoredEntity, StoredLink, StoredNode } from '../../main/graph/making.js';

/** What the loop says of an export: types of relationships in the database. */
export interface EntriesAbout {
  readonly owns: string;
  readonly security: string;
}

const nodes = new StoredTexts(NODE_MEMBERS, decodeProperties);
const links = new StoredTexts(LINK_MEMBERS, decodeProperties);
const encoder = new TextEncoder();
const ALLOWED = '"allowed":[';

const PLAIN = /^[\w-]+$/;
const id = (text: string): string => (PLAIN.test(text) ? `"${text}"` : prettyJson(text));

/** Names of types. */
const names = new Map<string, string>();
const MOST_NAMES = 10_000;

function known(name: string): string {
  let text = names.get(name);
  if (text === undefined) {
    if (names.size >= MOST_NAMES) names.clear();
    names.set(name, (text = prettyJson(name)));
  }
  return text;
}

/** Each entry with a comma and the end of a line before it. */
export default function make(entities: readonly StoredEntity[], about: unknown): Made {
  const rights = new Rights(about as EntriesAbout);
  let text = '';
  for (const entity of entities) {
    const entry =
      entity.kind === 'node'
        ? nodes.entry(entity.text, [rights.grantees(entity), id(entity.id), rights.owner(entity), known(entity.type)])
        : links.entry(entity.text, [id(entity.id), known(entity.relType), id(entity.sourceId), id(entity.targetId)]);
    text += `,\n${entry}`;
  }
  return { bytes: encoder.encode(text), entities: entities.length };
}

/** Owners and grantees are few, and their texts are kept while a batch is made. */
class Rights {
  readonly #owners = new Map<unknown, string>();
  readonly #grantees = new Map<unknown, Map<string, string>>();

  constructor(private readonly about: EntriesAbout) {}

  owner({ incoming }: StoredNode): string {
    let name: unknown;
    for (const { relType, source } of incoming) {
      if (relType !== this.about.owns) continue;
      name = source['name'];
      break;
    }
    let text = this.#owners.get(name);
    if (text === undefined) this.#owners.set(name, (text = inner(rightsMembers(holdersNamed(name, [])).owner)));
    return text;
  }

  grantees({ incoming }: StoredNode): string {
    let only: StoredLink | undefined;
    let count = 0;
    for (const link of incoming) {
      if (link.relType !== this.about.security) continue;
      count++;
      only = link;
    }
    if (only === undefined) return '[]';
    const allowed = count === 1 ? allowedText(only.text) : undefined;
    if (allowed === undefined) return granteesText(incoming.filter(({ relType }) => relType === this.about.security));
    const { name } = only.source;
    let texts = this.#grantees.get(name);
    if (texts === undefined) this.#grantees.set(name, (texts = new Map<string, string>()));
    let text = texts.get(allowed);
    if (text === undefined) texts.set(allowed, (text = granteesText([only])));
    return text;
  }
}

function granteesText(links: readonly StoredLink[]): string {
  const grants = links.map(({ source, text }) => ({
    name: source['name'],
    allowed: decodeProperties(text)['allowed'],
  }));
  return inner(rightsMembers(holdersNamed(undefined, grants)).grantees);
}

/** Where the rights stand in the stored text; a quote within a text would have a backslash before it. */
function allowedText(text: string): string | undefined {
  const at = text.indexOf(ALLOWED);
  if (at < 1 || text.charAt(at - 1) === '\\') return undefined;
  const end = text.indexOf(']', at);
  return end < 0 ? undefined : text.slice(at, end);
}
