/**
 * What a transaction has done to trees of pages, folded out of its list of changes: so every door is seen, and nothing is read that the
 * changes say already. A node that the transaction has made is known completely.
 */
import type { Change, GraphNode, GraphRelationship, StoredValue } from '../../../../graph/index.js';
import type { Schema } from '../../../model/schema.js';
import type { ObjectTransaction } from '../../../writing/object-transaction.js';
import { kindOfLink, type LinkKind } from './links.js';

/** A link from a parent to a child. */
export interface ChildLink {
  readonly id: string;
  readonly child: string;
  position: number | undefined;
  /** Made, or moved, since the order was written last. */
  fresh: boolean;
}

/** What has to be done for the children of one parent. */
export interface Disorder {
  /** Links that were made without a position, in their order. */
  readonly appended: ChildLink[];
  /** Links whose position was written. */
  readonly placed: Set<string>;
  /** Something else than appending has happened. */
  other: boolean;
}

/** Everything since it was settled last. */
export class Pending {
  /** Children that have got, or lost, a parent. */
  readonly moved = new Set<string>();
  /** Those of them whose page is settled. */
  readonly placed = new Set<string>();
  /** Nodes that have got, or lost, a page. */
  readonly owned = new Set<string>();
  readonly disorders = new Map<string, Disorder>();
  /** Nodes that have got, or lost, a shared component. */
  readonly synced = new Set<string>();
  /** Nodes made. */
  readonly created = new Map<string, GraphNode>();
  /** Values written into nodes that were there, by key, as they were written last; the last written node is the last. */
  readonly written = new Map<string, Map<string, StoredValue | null>>();
  /** Nodes, and mappings of events, for which the version of their page grows. */
  readonly modified = new Set<string>();
  readonly mappings = new Set<string>();
  readonly parameters = new Set<string>();
  /** Pages themselves: a node has come to them, or gone. */
  readonly pages = new Set<string>();
}

export class TreeState {
  /** Nodes of trees that the transaction has made. */
  readonly created = new Map<string, GraphNode>();
  readonly gone = new Set<string>();
  /** Of nodes whose parent was written, and of those that were made. */
  readonly parent = new Map<string, string | undefined>();
  /** Links to the children of parents that were made. */
  readonly childLinks = new Map<string, Map<string, ChildLink>>();
  readonly page = new Map<string, { readonly id: string; readonly link: string } | undefined>();
  /** The page of a node before the transaction; of nodes whose page was written. */
  readonly pageBefore = new Map<string, string | undefined>();
  /** Pages that somebody has given to a node, other than by its place. */
  readonly given = new Map<string, string>();
  /** Pages whose version has grown. */
  readonly grown = new Set<string>();
  /** Links to pages that were written by the place of a node. */
  readonly #own: Set<string>;
  pending = new Pending();
  #at = 0;
  #last: Change | undefined;

  private constructor(own: Set<string>) {
    this.#own = own;
  }

  private static readonly states = new WeakMap<object, TreeState>();

  /** As of now, with what has been changed since the last time as pending; undefined: nothing concerns trees. */
  static async of(objects: ObjectTransaction): Promise<TreeState | undefined> {
    const changes = objects.tx.changes();
    let state = TreeState.states.get(objects.tx);
    // A part of it was taken back: what is known may not be so.
    if (state !== undefined && state.#last !== changes[state.#at - 1]) {
      state = new TreeState(state.#own);
      TreeState.states.set(objects.tx, state);
    }
    for (let at = state === undefined ? 0 : state.#at; at < changes.length; at++) {
      if ((at & 1023) === 1023) await objects.breathe();
      const change = changes[at];
      if (change === undefined || !concerns(change, objects.schema)) continue;
      if (state === undefined) TreeState.states.set(objects.tx, (state = new TreeState(new Set())));
      state.#fold(change, objects.schema);
    }
    if (state !== undefined) state.#reached(changes);
    return state;
  }

  /** What was written since is its own, and known. */
  settled(objects: ObjectTransaction): void {
    this.pending = new Pending();
    this.skip(objects);
  }

  /** The same with something still pending. */
  skip({ tx }: ObjectTransaction): void {
    this.#reached(tx.changes());
  }

  #reached(changes: readonly Change[]): void {
    this.#at = changes.length;
    this.#last = changes.at(-1);
  }

  /** A link to a page that follows from the place of a node. */
  ours(link: string): void {
    this.#own.add(link);
  }

  #fold(change: Change, schema: Schema): void {
    const { entity } = change;
    if (entity.kind === 'node') this.#node(change as Change & { entity: GraphNode }, schema);
    else this.#link(change as Change & { entity: GraphRelationship }, schema);
  }

  #node(change: Change & { readonly entity: GraphNode }, schema: Schema): void {
    const { entity } = change;
    const type = schema.typeOf(entity);
    const { pending } = this;
    if (!type.hasTrait('DOMNode')) {
      if (change.verb === 'change')
        (type.hasTrait('ActionMapping') ? pending.mappings : pending.parameters).add(entity.id);
      return;
    }
    if (change.verb === 'create') {
      // One with this id may have been deleted before it.
      this.gone.delete(entity.id);
      this.given.delete(entity.id);
      this.childLinks.delete(entity.id);
      this.grown.delete(entity.id);
      this.created.set(entity.id, entity);
      this.parent.set(entity.id, undefined);
      this.page.set(entity.id, undefined);
      this.pageBefore.set(entity.id, undefined);
      pending.created.set(entity.id, entity);
      pending.modified.add(entity.id);
    } else if (change.verb === 'delete') {
      this.gone.add(entity.id);
      this.created.delete(entity.id);
      pending.created.delete(entity.id);
      pending.written.delete(entity.id);
    } else if (change.verb === 'change') {
      if (this.created.has(entity.id)) this.created.set(entity.id, entity);
      if (pending.created.has(entity.id)) pending.created.set(entity.id, entity);
      if (change.key === 'version' && type.hasTrait('Page')) this.grown.add(entity.id);
      if (PASSING.has(change.key)) return;
      pending.modified.add(entity.id);
      let values = pending.written.get(entity.id);
      if (values === undefined) values = new Map();
      else pending.written.delete(entity.id);
      pending.written.set(entity.id, values.set(change.key, change.value));
    }
  }

  #link(change: Change & { readonly entity: GraphRelationship }, schema: Schema): void {
    const { entity, verb } = change;
    const { pending } = this;
    const kind = kindOfLink(schema, entity);
    if (kind === 'child') {
      this.#child(change);
      return;
    }
    if (verb !== 'link' && verb !== 'unlink') return;
    const { sourceId, targetId } = entity;
    if (kind === 'page') {
      this.#page(entity, verb);
      return;
    }
    for (const [list, id] of OF_KIND[kind ?? 'none'](pending, sourceId, targetId)) list.add(id);
  }

  #child({ entity, verb, ...change }: Change & { readonly entity: GraphRelationship }): void {
    const { id, sourceId, targetId } = entity;
    const { pending } = this;
    let disorder = pending.disorders.get(sourceId);
    if (disorder === undefined)
      pending.disorders.set(sourceId, (disorder = { appended: [], placed: new Set(), other: false }));
    pending.modified.add(sourceId);
    const position = numberIn(entity.properties['position']);
    const links = this.created.has(sourceId) ? this.#linksOf(sourceId) : undefined;
    if (verb === 'link') {
      this.parent.set(targetId, sourceId);
      pending.moved.add(targetId);
      pending.modified.add(targetId);
      const link: ChildLink = { id, child: targetId, position, fresh: true };
      links?.set(id, link);
      if (position === undefined) disorder.appended.push(link);
      else {
        disorder.placed.add(id);
        disorder.other = true;
      }
    } else if (verb === 'unlink') {
      if (this.parent.get(targetId) === sourceId || !this.parent.has(targetId)) this.parent.set(targetId, undefined);
      links?.delete(id);
      pending.moved.add(targetId);
      pending.modified.add(targetId);
      disorder.other = true;
    } else if ('key' in change && change.key === 'position') {
      const link = links?.get(id);
      if (link !== undefined) Object.assign(link, { position, fresh: true });
      disorder.placed.add(id);
      disorder.other = true;
    }
  }

  #linksOf(parent: string): Map<string, ChildLink> {
    let links = this.childLinks.get(parent);
    if (links === undefined) this.childLinks.set(parent, (links = new Map<string, ChildLink>()));
    return links;
  }

  #page({ id, sourceId, targetId }: GraphRelationship, verb: 'link' | 'unlink'): void {
    const { pending } = this;
    if (!this.pageBefore.has(sourceId)) this.pageBefore.set(sourceId, verb === 'unlink' ? targetId : undefined);
    if (verb === 'link') this.page.set(sourceId, { id: targetId, link: id });
    // The one that it has got instead stays.
    else if (!this.page.has(sourceId) || this.page.get(sourceId)?.link === id) this.page.set(sourceId, undefined);
    pending.pages.add(targetId);
    if (this.#own.has(id)) return;
    if (verb === 'link') this.given.set(sourceId, targetId);
    else if (this.given.get(sourceId) === targetId) this.given.delete(sourceId);
    pending.owned.add(sourceId);
  }
}

/** Keys of pages that follow from what is below them. */
const PASSING: ReadonlySet<string> = new Set(['version', 'lastModifiedDate', 'lastModifiedBy']);

type Listed = readonly (readonly [Set<string>, string])[];

/** Whose page changes with a link. */
const OF_KIND: Readonly<
  Record<Exclude<LinkKind, 'child' | 'page'> | 'none', (pending: Pending, source: string, target: string) => Listed>
> = {
  none: () => [],
  sync: ({ synced, modified }, _, target) => [
    [synced, target],
    [modified, target],
  ],
  source: ({ modified }, source) => [[modified, source]],
  both: ({ modified }, source, target) => [
    [modified, source],
    [modified, target],
  ],
  target: ({ modified, mappings }, source, target) => [
    [modified, source],
    [mappings, target],
  ],
  parameter: ({ mappings }, source) => [[mappings, source]],
  input: ({ modified, parameters }, source, target) => [
    [modified, source],
    [parameters, target],
  ],
};

function concerns({ entity, verb }: Change, schema: Schema): boolean {
  if (entity.kind === 'relationship') return kindOfLink(schema, entity) !== undefined;
  const type = schema.typeOf(entity);
  if (type.hasTrait('DOMNode')) return true;
  return verb === 'change' && (type.hasTrait('ActionMapping') || type.hasTrait('ParameterMapping'));
}

function numberIn(value: StoredValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
