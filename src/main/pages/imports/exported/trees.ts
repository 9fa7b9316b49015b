/**
 * Pages, shared components and templates of an application, made of its files in one transaction: nodes keep their ids (docs/interface/deployment.md 3.6).
 * All that it makes is new, so that nothing is asked of the graph for a node: what could be there already is told before.
 */
import type { GraphNode, PropertyMap } from '../../../graph/index.js';
import {
  makeLink,
  OF_OTHERS,
  SchemaError,
  type ObjectTransaction,
  type RelationDefinition,
} from '../../../schema/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import { isMarked } from '../../model/stored-values.js';
import { shadowDocument } from '../../tree/components.js';
import { valuesOf } from '../../tree/copies.js';
import { CHILDREN, LINK, PAGE, SYNC, typeNamed } from '../../tree/relations.js';
import { textOf } from '../build.js';
import { byKey, isShared, LETTERS, othersIn, visibilityIn, type Others } from '../export-form.js';
import type { HtmlElement, HtmlNode } from '../read-html.js';
import {
  flagsIn,
  given,
  inPlace,
  rootsIn,
  type ExportedItem,
  type ExportedTemplate,
  type ExportedTree,
  type TreesParts,
} from './items.js';
import { whereIs } from './ids.js';
import { attributesOf, idOf, instructionsIn, typeOf, type Instructions, type Relation } from './values.js';

/** What is said around a node. */
interface Around {
  readonly flags: JsonObject;
  readonly place: string;
  readonly parent?: HtmlElement;
}

/** A node that was made, and what comes below it. */
interface Made {
  readonly node: GraphNode;
  readonly below: readonly HtmlNode[];
  readonly around: Around;
  /** For messages: file, line, element. */
  readonly place: string;
  readonly isPlacedByOthers: boolean;
}

/** What is done when all nodes are there. */
interface Later {
  readonly node: GraphNode;
  readonly place: string;
  readonly link: Instructions['link'];
  readonly isLinkOfOthers: boolean;
  readonly relations: readonly Relation[];
}

/** What an element that stands for a shared component has of its own, or not at all. */
const OF_REFERENCE =
  /^(?:id|type|name|hidden|visibleTo\w+|dataKey|cypherQuery|functionQuery|selectedValues|show\w+|hide\w+|eventMapping|sharedComponentConfiguration|data-.*|_custom_html_.*)$/;
const KEY = /(?:^|-)([\da-f]{32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;

export class ExportedTrees {
  readonly #templates = new Map<string, ExportedTemplate>();
  readonly #components = new Map<string, ExportedTree>();
  /** Templates by their ids, as they were made. */
  readonly #madeTemplates = new Map<string, GraphNode>();
  readonly #heads = new Map<string, Made>();
  readonly #making = new Set<string>();
  readonly later: Later[] = [];
  readonly #relations = new Map<string, RelationDefinition>();
  #shadow: GraphNode | undefined;

  constructor(
    private readonly objects: ObjectTransaction,
    private readonly parts: TreesParts,
  ) {}

  addTemplate(item: ExportedTemplate): void {
    this.#templates.set(item.id, item);
  }

  addComponent(item: ExportedTree): void {
    this.#components.set(item.id, item);
  }

  /** Makes the components: first each by itself, then what is in them, so that all that may stand for one finds it. Throws `SchemaError`. */
  async components(): Promise<void> {
    for (const { id } of this.#components.values()) await this.#head(id);
    for (const item of this.#components.values()) {
      const made = this.#heads.get(item.id);
      if (made !== undefined) await inPlace(item.place, () => this.#fill(made));
    }
  }

  /** Makes a page with all that is in it. Throws `SchemaError`. */
  page(item: ExportedTree): Promise<GraphNode> {
    return inPlace(item.place, async () => {
      const type = typeNamed(this.objects, 'Page');
      const node = await this.objects.create(
        type,
        { ...item.values, name: item.name },
        given(item.id, item.isOfOthers),
      );
      await this.#fill({
        node,
        below: item.nodes,
        around: { flags: flagsIn(item.values), place: item.place },
        place: item.place,
        isPlacedByOthers: false,
      });
      return node;
    });
  }

  /** Makes the templates that nothing has put anywhere. Throws `SchemaError`. */
  async otherTemplates(): Promise<void> {
    for (const item of this.#templates.values()) {
      if (this.#madeTemplates.has(item.id)) continue;
      const node = await inPlace(item.place, () => this.#template(item, {}, {}, item.isOfOthers));
      if (item.isShared) await this.#share(node);
      else this.parts.warn('Template(s) in no page', item.place);
    }
  }

  /** Makes a node that stands by itself in the page of shared components. */
  async #head(id: string): Promise<Made | undefined> {
    const known = this.#heads.get(id);
    const item = this.#components.get(id);
    if (known !== undefined || item === undefined) return known;
    const { place } = item;
    if (this.#making.has(id)) throw new SchemaError(`${place}: this component stands for itself.`);
    this.#making.add(id);
    const [root] = rootsIn(item.nodes);
    if (root === undefined) {
      this.#making.delete(id);
      this.#components.delete(id);
      this.parts.warn('Component(s) without content', place);
      return undefined;
    }
    const around = { flags: flagsIn(item.values), place };
    const made = await inPlace(place, () => this.#single(root, around, item));
    this.#making.delete(id);
    if (made === undefined) return undefined;
    await this.#share(made.node);
    this.#heads.set(id, made);
    return made;
  }

  async #share(node: GraphNode): Promise<void> {
    this.#shadow ??= await shadowDocument(this.objects);
    await this.#link(PAGE, node, this.#shadow);
  }

  /** Makes what is below a node. */
  async #fill({ node, below, around }: Made): Promise<void> {
    let position = 0;
    for (const one of below) {
      const made = await this.#single(one, around);
      if (made === undefined) continue;
      await this.#fill(made);
      const values = { position: position++, ...(made.isPlacedByOthers ? OF_OTHERS : {}) };
      await inPlace(made.place, () => this.#link(CHILDREN, node, made.node, values));
    }
  }

  /** Makes a node without what is below it; undefined: there is none in this place. */
  #single(said: HtmlNode, around: Around, item?: ExportedItem): Promise<Made | undefined> {
    const element = said.kind === 'element' ? said : around.parent;
    const id = said.kind === 'element' ? (idOf(said) ?? '') : '';
    const place = element === undefined ? around.place : `${around.place}, ${whereIs(element)} ${id}`.trimEnd();
    return inPlace(place, () => this.#made(said, around, place, item));
  }

  async #made(
    said: HtmlNode,
    around: Around,
    place: string,
    item: ExportedItem | undefined,
  ): Promise<Made | undefined> {
    const { objects, parts } = this;
    const others = othersIn(said.marks);
    const flags = { ...around.flags, ...visibilityIn(said.marks) };
    const instructions = instructionsIn(said.marks, LETTERS, place, parts.warn);
    const inside: Around = {
      flags: parts.flagsOfItem ? around.flags : flags,
      place: around.place,
      ...(said.kind === 'element' ? { parent: said } : {}),
    };
    const own = { ...item?.values, ...flags, ...instructions.values };
    const isOfOthers = others.node || item?.isOfOthers === true;
    const finished = async (
      node: GraphNode,
      below: readonly HtmlNode[],
      relations: readonly Relation[],
    ): Promise<Made> => {
      await this.#rights(node, instructions);
      if (instructions.link !== undefined || relations.length > 0)
        this.later.push({ node, place, link: instructions.link, isLinkOfOthers: others.link, relations });
      return { node, below, around: inside, place, isPlacedByOthers: others.place };
    };
    if (said.kind !== 'element') {
      const { type, values } = textOf(objects, said, 'author', around.parent?.tag.toLowerCase());
      const id = item?.id ?? objects.newId();
      return finished(await objects.create(type, { ...values, ...own }, given(id, isOfOthers)), [], []);
    }
    if (said.tag.startsWith('svc:')) {
      const found = await this.#standing(said, own, others, isOfOthers, place, item);
      return found === undefined ? undefined : finished(found.node, found.below, found.relations);
    }
    const type = typeOf(objects, said);
    const { values, relations } = attributesOf(type, said, place, parts.warn);
    if (RUN.test(said.attributes.find(([name]) => name.toLowerCase() === 'type')?.[1] ?? ''))
      parts.warn('Script(s) that are not run', `${place}: its text stays in the page.`);
    const tag = idOf(said) === undefined ? said.tag.toLowerCase() : said.tag;
    const id = item?.id ?? idOf(said) ?? objects.newId();
    const node = await objects.create(type, { ...own, ...values, ...instructions.values, tag }, given(id, isOfOthers));
    return finished(node, said.children, relations);
  }

  /** The node that an element of the service stands for. */
  async #standing(
    said: HtmlElement,
    own: JsonObject,
    others: Others,
    isOfOthers: boolean,
    place: string,
    item: ExportedItem | undefined,
  ): Promise<{ node: GraphNode; below: readonly HtmlNode[]; relations: readonly Relation[] } | undefined> {
    const { objects, parts } = this;
    const key =
      said.attributes.find(
        ([name]) => name.toLowerCase() === (said.tag === 'svc:shared-template' ? 'name' : 'src'),
      )?.[1] ?? '';
    const rest = { ...said, attributes: said.attributes.filter(([name]) => name.toLowerCase() !== 'src') };
    if (said.tag === 'svc:shared-template') {
      if (key === '') throw new SchemaError(`${place}: a shared template needs a name.`);
      if ((await byKey(objects, key, true)) === undefined) {
        const node = await objects.create(
          typeNamed(objects, 'Template'),
          { contentType: 'text/html', ...own, name: key, content: (said.source ?? '').trim() },
          given(objects.newId(), isOfOthers),
        );
        await this.#share(node);
      }
      return undefined;
    }
    const isTemplate = said.tag === 'svc:template';
    if (!isTemplate && said.tag !== 'svc:component') {
      parts.warn('Unknown element(s)', place);
      return undefined;
    }
    const ownId = item?.id ?? idOf(said);
    const keyId = KEY.exec(key)?.[1];
    const type = typeNamed(objects, isTemplate ? 'Template' : 'DOMElement');
    const template = isTemplate && keyId !== undefined ? this.#templates.get(keyId) : undefined;
    if (template !== undefined) {
      const { values, relations } = attributesOf(type, rest, place, parts.warn);
      const isSelf = ownId === template.id || (ownId === undefined && !template.isShared);
      if (isSelf && !this.#madeTemplates.has(template.id)) {
        const node = await this.#template(template, own, values, isOfOthers || template.isOfOthers);
        return { node, below: said.children, relations };
      }
      if (!template.isShared) {
        // One template in two places: each has its own.
        const id = ownId === undefined || ownId === template.id ? objects.newId() : ownId;
        const node = await this.#template(template, own, values, isOfOthers || template.isOfOthers, id);
        return { node, below: said.children, relations };
      }
    }
    const shared =
      (keyId === undefined ? undefined : (await this.#head(keyId))?.node) ?? (await byKey(objects, key, isTemplate));
    if (shared === undefined) {
      if (isTemplate && keyId !== undefined) {
        parts.warn('Missing template(s)', `${place}: there is no template ${key}.`);
        return undefined;
      }
      if (isTemplate) {
        const { values, relations } = attributesOf(type, rest, place, parts.warn);
        const fields = { contentType: 'text/html', ...own, ...values, content: (said.source ?? '').trim() };
        const name = values['name'] ?? (key === '' ? null : key);
        const node = await objects.create(type, { ...fields, name }, given(ownId ?? objects.newId(), isOfOthers));
        return { node, below: [], relations };
      }
      const made = await this.#component(said, key, keyId, own, place);
      if (made === undefined) {
        parts.warn('Missing component(s)', `${place}: there is no shared component ${key}.`);
        return undefined;
      }
      return this.#reference(made, rest, own, others, isOfOthers, place, ownId);
    }
    return this.#reference(shared, rest, own, others, isOfOthers, place, ownId);
  }

  /** Makes a shared component of what is in the element that stands for it. */
  async #component(
    said: HtmlElement,
    key: string,
    id: string | undefined,
    own: JsonObject,
    place: string,
  ): Promise<GraphNode | undefined> {
    const [root] = rootsIn(said.children);
    if (root === undefined) return undefined;
    const name = id === undefined ? key : key.slice(0, Math.max(0, key.length - id.length - 1));
    const item = {
      ...{ id: id ?? this.objects.newId(), place, name, isOfOthers: false },
      values: name === '' ? {} : { name },
    };
    const made = await this.#single(root, { flags: flagsIn(own), place }, item);
    if (made === undefined) return undefined;
    await this.#share(made.node);
    this.#heads.set(item.id, made);
    await this.#fill(made);
    return made.node;
  }

  async #reference(
    shared: GraphNode,
    said: HtmlElement,
    own: JsonObject,
    others: Others,
    isOfOthers: boolean,
    place: string,
    ownId: string | undefined,
  ): Promise<{ node: GraphNode; below: readonly HtmlNode[]; relations: readonly Relation[] }> {
    const { objects, parts } = this;
    const type = objects.schema.typeOf(shared);
    const isTemplate = type.hasTrait('Template');
    const { values, relations } = attributesOf(type, said, place, parts.warn);
    const copied = Object.fromEntries(
      Object.entries(valuesOf(objects, shared)).filter(([key]) => !OF_REFERENCE.test(key)),
    );
    const { contentType: _type, ...rest } = own;
    const { name: called } = shared.properties;
    const name = isTemplate ? { name: typeof called === 'string' ? called : null } : {};
    const node = await objects.create(
      type,
      { ...rest, ...values, ...copied, ...name },
      given(ownId ?? objects.newId(), isOfOthers || isMarked(shared)),
    );
    if (isTemplate && !(await this.#isShared(shared))) return { node, below: said.children, relations };
    await this.#link(SYNC, shared, node, others.component ? OF_OTHERS : {});
    return { node, below: isTemplate ? said.children : [], relations };
  }

  async #isShared(node: GraphNode): Promise<boolean> {
    return this.#heads.has(node.id) || isShared(this.objects, node);
  }

  async #template(
    item: ExportedTemplate,
    own: JsonObject,
    values: JsonObject,
    isOfOthers: boolean,
    id = item.id,
  ): Promise<GraphNode> {
    const name = item.name === null ? {} : { name: item.name };
    const node = await this.objects.create(
      typeNamed(this.objects, 'Template'),
      { ...item.values, ...name, ...own, ...values, content: item.text },
      given(id, isOfOthers),
    );
    this.#madeTemplates.set(id, node);
    return node;
  }

  async #rights(node: GraphNode, { owner, grants }: Instructions): Promise<void> {
    const { principal } = this.parts;
    const owning = owner === undefined ? undefined : await principal(owner);
    if (owning !== undefined) await this.#link('PrincipalOwnsNode', owning, node);
    for (const [name, allowed] of grants) {
      const one = await principal(name);
      if (one !== undefined) await this.#link('Security', one, node, { allowed });
    }
  }

  /** Between nodes of which nothing else takes the place. */
  async #link(name: string, source: GraphNode, target: GraphNode, values: PropertyMap = {}): Promise<void> {
    let relation = this.#relations.get(name);
    if (relation === undefined) {
      relation = this.objects.schema.relations.get(name);
      if (relation === undefined) throw new SchemaError(`There is no relation ${name}.`);
      this.#relations.set(name, relation);
    }
    await makeLink(this.objects, relation, source, target, values);
  }

  /** Has a node lead to a page or file. */
  async lead(node: GraphNode, target: GraphNode, isOfOthers: boolean): Promise<void> {
    this.objects.mustBeOf(node, 'LinkSource');
    await this.#link(LINK, node, target, isOfOthers ? OF_OTHERS : {});
  }
}

/** Scripts of older exports that import something themselves. */
const RUN = /^application\/(?:schema\+json|x-svc-(?:script|javascript))$/i;
