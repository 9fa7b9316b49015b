/**
 * Writes objects as JSON in a view: which keys, how deep, what of related objects (docs/interface/lists.md 2.3 to 2.6).
 * Objects whose view needs no further reading are written synchronously; related ones are read a list at a time.
 */
import type { GraphEntity, GraphNode, StoredValue } from '../../graph/index.js';
import type { ValueProperty } from '../model/property.js';
import type { RelationProperty } from '../model/relation-property.js';
import type { Computed, Property, Type } from '../model/schema.js';
import { relationOf, storedValue } from '../model/lookup.js';
import type { JsonValue } from '../../../shared/json/index.js';
import { LONG_TEXT, type JsonOut } from './json-out.js';
import { jsonText } from './json-value.js';
import { ownText } from './own-text.js';
import { NOTHING, RelatedLists, relationToRead, type Loaded } from './related.js';
import type { RenderOptions } from './render-options.js';
import { RepeatedTexts } from './repeated.js';
import { hasOwnOnly, isReducedAt, labelOf, shownOf, type Shown } from './shown.js';

/** Related objects are read for this many objects at a time. */
const CHUNK = 256;

export class Renderer {
  private readonly prepared = new Map<string, Shown>();
  private readonly lists: RelatedLists;
  /** Ids of the objects that are open around the current one. */
  private readonly path: string[] = [];
  private readonly repeated = new RepeatedTexts();

  constructor(
    private readonly out: JsonOut,
    private readonly options: RenderOptions,
  ) {
    this.lists = new RelatedLists(options);
  }

  /** A list of root objects, as they arrive. Returns how many were written, at most the array limit. */
  async list(
    batches: AsyncIterable<readonly GraphEntity[]> | Iterable<readonly GraphEntity[]>,
    level: number,
  ): Promise<number> {
    const { out } = this;
    let count = 0;
    out.text += '[';
    for await (const batch of batches) {
      const room = this.options.arrayLimit - count;
      const entities = batch.length > room ? batch.slice(0, room) : batch;
      count = await this.elements(entities, count, level, 0);
      if (count >= this.options.arrayLimit) break;
    }
    out.text += count === 0 ? ']' : `${out.newline(level)}]`;
    return count;
  }

  /** One root object. */
  async root(entity: GraphEntity, level: number): Promise<void> {
    const loaded = this.needsGraph(entity, 0) ? await this.load([entity], 0) : NOTHING;
    await this.entity(entity, level, 0, loaded);
  }

  /** True when the object can be written by `rootSync`. */
  isPlain(entity: GraphEntity): boolean {
    return !this.needsGraph(entity, 0);
  }

  /** One root object without related data. */
  rootSync(entity: GraphEntity, level: number): void {
    this.plain(this.prepare(entity, 0, false), entity, level);
  }

  private needsGraph(entity: GraphEntity, depth: number): boolean {
    return this.prepare(entity, depth, false).view.needsGraph;
  }

  private async elements(
    entities: readonly GraphEntity[],
    from: number,
    level: number,
    depth: number,
  ): Promise<number> {
    const { out } = this;
    let count = from;
    for (let at = 0; at < entities.length; at += CHUNK) {
      const chunk = entities.length <= CHUNK ? entities : entities.slice(at, at + CHUNK);
      const known = depth === 0 ? [] : chunk.map((one) => this.known(one, level + 1, depth));
      const others = chunk.filter((one, i) => known[i] === undefined && this.needsGraph(one, depth));
      const loaded = others.length > 0 ? await this.load(others, depth) : NOTHING;
      for (const [i, entity] of chunk.entries()) {
        out.text += (count === 0 ? '' : ',') + out.newline(level + 1);
        const text = known[i];
        const shown = text === undefined ? this.prepare(entity, depth, this.isOpen(entity)) : undefined;
        if (shown === undefined) out.text += text ?? '';
        else if (shown.view.needsGraph) await this.entity(entity, level + 1, depth, loaded);
        else this.plain(shown, entity, level + 1);
        count++;
        if (out.due) await out.pause(depth > 0);
      }
    }
    return count;
  }

  /** A text that is not made into JSON at once: it would be in memory for each client that waits. */
  private isLong(property: ValueProperty, stored: StoredValue | undefined): stored is string {
    return typeof stored === 'string' && stored.length > LONG_TEXT && property.literal === true && this.out.takesLong;
  }

  private isOpen(entity: GraphEntity): boolean {
    if (!this.options.reduceRepeated) return false;
    this.repeated.asks(entity.id);
    return this.path.includes(entity.id);
  }

  /** What was written of an object before and is the same here. */
  private known(entity: GraphEntity, level: number, depth: number): string | undefined {
    return this.isOpen(entity) ? undefined : this.repeated.text(entity.id, placeOf(level, depth), this.path);
  }

  /** The keys to write of a type at a depth, with their labels. */
  private prepare(entity: GraphEntity, depth: number, open: boolean): Shown {
    const { schema, actor } = this.options;
    const type = schema.typeOf(entity);
    const own = entity.id === actor.id;
    const reduced = open || isReducedAt(depth, this.options);
    const key = `${type.name}/${reduced ? 'r' : depth === 0 ? '0' : 'n'}${own ? 'o' : ''}`;
    let prepared = this.prepared.get(key);
    if (prepared === undefined) {
      prepared = shownOf(type, depth, reduced, own, this.options, this.out.indent);
      this.prepared.set(key, prepared);
    }
    return prepared;
  }

  private plain(shown: Shown, entity: GraphEntity, level: number): void {
    const { out, options } = this;
    const { indent } = out;
    const { serializeNulls } = options;
    const text = shown.more === undefined ? ownText(shown, entity, level, { indent, serializeNulls }) : undefined;
    if (text === undefined) this.inParts(shown, entity, level);
    else out.text += text;
  }

  /** The same where there are long texts, or keys that are not in the view. */
  private inParts({ view, labels, more }: Shown, entity: GraphEntity, level: number): void {
    const { out, options } = this;
    const nl = out.newline(level + 1);
    let first = true;
    out.text += '{';
    for (let i = 0; i < labels.length; i++) {
      const property = view.properties[i];
      if (property?.kind !== 'value') continue;
      const stored = storedValue(entity, property.key);
      const start = (first ? '' : ',') + nl + (labels[i] ?? '');
      if (this.isLong(property, stored)) {
        out.text += start;
        out.long(stored, entity);
      } else {
        const value = property.toJson(stored);
        if (value === 'null' && !options.serializeNulls) continue;
        out.text += start + value;
      }
      first = false;
    }
    if (more !== undefined) first = this.undeclared(entity, more, nl, first);
    out.text += first ? '}' : `${out.newline(level)}}`;
  }

  private async entity(entity: GraphEntity, level: number, depth: number, loaded: Loaded): Promise<void> {
    const { out } = this;
    // Here as well as between the elements of a list: two single objects each have as many ways through them as long lists.
    if (depth > 0 && out.due) await out.pause(true);
    const open = this.isOpen(entity);
    const shown = this.prepare(entity, depth, open);
    if (!shown.view.needsGraph) this.plain(shown, entity, level);
    else if (depth === 0 || open) await this.whole(shown, entity, level, depth, loaded);
    else {
      const write = (): Promise<void> => this.whole(shown, entity, level, depth, loaded);
      const place = placeOf(level, depth);
      if (!this.repeated.isAgain(entity.id, place)) await write();
      else await this.repeated.keep(entity.id, place, this.path, () => out.copied(write));
    }
  }

  /** All that is shown of an object. */
  private async whole(
    { view, labels, more }: Shown,
    entity: GraphEntity,
    level: number,
    depth: number,
    loaded: Loaded,
  ): Promise<void> {
    const { out, options } = this;
    const type = options.schema.typeOf(entity);
    const nl = out.newline(level + 1);
    let first = true;
    out.text += '{';
    this.path.push(entity.id);
    for (const [i, property] of view.properties.entries()) {
      const start = (first ? '' : ',') + nl + (labels[i] ?? '');
      if (property.kind === 'value') {
        const stored = storedValue(entity, property.key);
        if (this.isLong(property, stored)) {
          out.text += start;
          out.long(stored, entity);
        } else {
          const value = property.toJson(stored);
          if (value === 'null' && !options.serializeNulls) continue;
          out.text += start + value;
        }
      } else if (!(await this.related(entity, type, property, start, level + 1, depth, loaded))) {
        continue;
      }
      first = false;
    }
    this.path.pop();
    if (more !== undefined) first = this.undeclared(entity, more, nl, first);
    out.text += first ? '}' : `${out.newline(level)}}`;
  }

  /** Writes keys beside those of the view, if the object has them; answers whether nothing has been written yet. */
  private undeclared(entity: GraphEntity, more: (key: string) => boolean, nl: string, first: boolean): boolean {
    const { out, options } = this;
    const type = options.schema.typeOf(entity);
    for (const key of Object.keys(entity.properties)) {
      const value = entity.properties[key];
      if (value === undefined || !more(key)) continue;
      out.text += (first ? '' : ',') + nl + labelOf(key, out.indent);
      first = false;
      const property = type.properties.get(key);
      if (typeof value === 'string' && value.length > LONG_TEXT && out.takesLong) out.long(value, entity);
      else if (property?.kind === 'value') out.text += property.toJson(value);
      else out.text += jsonText(value as JsonValue);
    }
    return first;
  }

  /** Writes a property that needed the graph; false when it was left out. */
  private async related(
    entity: GraphEntity,
    type: Type,
    property: Exclude<Property, { kind: 'value' }>,
    start: string,
    level: number,
    depth: number,
    loaded: Loaded,
  ): Promise<boolean> {
    const { out, options } = this;
    if (property.kind === 'computed') {
      this.repeated.differs();
      const result = await property.compute(entity, {
        tx: options.tx,
        schema: options.schema,
        type,
        access: options.access,
        actor: options.actor,
        origin: options.origin ?? options,
        depth,
        missing: options.missing,
      });
      return this.computed(result, start, level, depth);
    }
    const relation = property.kind === 'relation' ? property : relationOf(type, property);
    if (relation === undefined) return false;
    const nodes = this.slice(property.name, loaded.get(relation)?.get(entity.id) ?? []);
    const notion = property.notion;
    if (notion !== undefined) {
      const values = nodes.map((node) => this.notionValue(node, notion.keys, level, relation.isCollection));
      if (relation.isCollection) {
        out.text += start + this.array(values, level);
        return true;
      }
      const value = values[0] ?? 'null';
      if (value === 'null' && !options.serializeNulls) return false;
      out.text += start + value;
      return true;
    }
    if (relation.isCollection) {
      out.text += start;
      await this.nested(nodes, level, depth);
      return true;
    }
    const node = nodes[0];
    if (node === undefined) {
      if (!options.serializeNulls) return false;
      out.text += `${start}null`;
      return true;
    }
    out.text += start;
    await this.single(node, level, depth + 1);
    return true;
  }

  /** One related object. */
  private async single(entity: GraphEntity, level: number, depth: number): Promise<void> {
    const { out } = this;
    if (depth > this.options.nestingDepth) {
      out.text += '{}';
      return;
    }
    const known = this.known(entity, level, depth);
    if (known === undefined) {
      const loaded = this.needsGraph(entity, depth) ? await this.load([entity], depth) : NOTHING;
      await this.entity(entity, level, depth, loaded);
      return;
    }
    if (out.due) await out.pause(true);
    out.text += known;
  }

  private async nested(nodes: readonly GraphEntity[], level: number, depth: number): Promise<void> {
    const { out, options } = this;
    if (nodes.length === 0 || depth + 1 > options.nestingDepth) {
      out.text += '[]';
      return;
    }
    out.text += '[';
    await this.elements(nodes.slice(0, options.arrayLimit), 0, level, depth + 1);
    out.text += `${out.newline(level)}]`;
  }

  private async computed(result: Computed, start: string, level: number, depth: number): Promise<boolean> {
    const { out, options } = this;
    if ('json' in result) {
      if (result.json === null && !options.serializeNulls) return false;
      out.text += start + jsonText(result.json);
      return true;
    }
    out.text += start;
    if (!result.single) await this.nested(result.entities, level, depth);
    else {
      const entity = result.entities[0];
      if (entity === undefined) out.text += 'null';
      else await this.single(entity, level, depth + 1);
    }
    return true;
  }

  /** Whether what is for its owner alone may be written of a user. */
  private sees(node: GraphNode): boolean {
    const { actor } = this.options;
    return actor.isAdmin || node.id === actor.id;
  }

  private array(values: readonly string[], level: number): string {
    if (values.length === 0) return '[]';
    const nl = this.out.newline(level + 1);
    return `[${values.map((v) => nl + v).join(',')}${this.out.newline(level)}]`;
  }

  private notionValue(node: GraphNode, keys: readonly string[], level: number, inList: boolean): string {
    const type = this.options.schema.typeOf(node);
    const value = (key: string): string => {
      const property = type.properties.get(key);
      if (property !== undefined && hasOwnOnly(property) && !this.sees(node)) return 'null';
      return property?.kind === 'value' ? property.toJson(storedValue(node, property.key)) : 'null';
    };
    const only = keys.length === 1 ? keys[0] : undefined;
    if (only !== undefined) return value(only);
    const at = level + (inList ? 1 : 0);
    const nl = this.out.newline(at + 1);
    return `{${keys.map((k) => nl + labelOf(k, this.out.indent) + value(k)).join(',')}${this.out.newline(at)}}`;
  }

  private slice(name: string, nodes: readonly GraphNode[]): readonly GraphNode[] {
    const slice = this.options.slices?.get(name);
    return slice === undefined ? nodes : nodes.slice(slice.from, slice.to);
  }

  /** Reads what the views of these objects show of related ones. */
  private load(entities: readonly GraphEntity[], depth: number): Promise<Loaded> {
    const { options } = this;
    const wanted = new Map<RelationProperty, string[]>();
    for (const entity of entities) {
      const type = options.schema.typeOf(entity);
      for (const property of this.prepare(entity, depth, this.isOpen(entity)).view.properties) {
        const relation = relationToRead(property, type, depth, options);
        if (relation === undefined) continue;
        const ids = wanted.get(relation);
        if (ids === undefined) wanted.set(relation, [entity.id]);
        // Several properties may show the same relation, as `children` and `childrenIds` do.
        else if (ids.at(-1) !== entity.id) ids.push(entity.id);
      }
    }
    // Root objects are written once.
    return this.lists.read(wanted, depth > 0);
  }
}

/** Where an object stands, as a number: what is written of it there is indented alike, and as deep. */
function placeOf(level: number, depth: number): number {
  return level * 1000 + depth;
}
