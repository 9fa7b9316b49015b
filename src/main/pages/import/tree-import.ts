/** Makes nodes of pages of what was read, in one transaction and with the rights of its actor (docs/interface/pages.md 8). */
import type { GraphNode } from '../../graph/index.js';
import { createRelationship, updateRelationship, type ObjectTransaction } from '../../schema/index.js';
import { runText, ScriptError, type ScriptContext } from '../../scripting/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json.js';
import { insertAll, shadowDocument } from '../tree/index.js';
import { valuesOf } from '../tree/copies.js';
import type { Draft, Drafts } from './drafts.js';
import { keyOf, References } from './references.js';

/** The source of a template that is kept elsewhere (exports); undefined: there is none. */
export type TemplateSources = (key: string) => { readonly content: string; readonly contentType: string } | undefined;

export interface ImportWays {
  readonly warn: (problem: string) => void;
  readonly templates?: TemplateSources | undefined;
}

interface Grant {
  readonly id: string;
  readonly principal: GraphNode;
  readonly allowed: readonly string[];
}

const RIGHTS: Readonly<Record<string, string>> = { r: 'read', w: 'write', d: 'delete', a: 'accessControl' };

export class TreeImport {
  readonly #references: References;
  readonly #grants: Grant[] = [];

  constructor(
    private readonly context: ScriptContext,
    private readonly objects: ObjectTransaction,
    private readonly ways: ImportWays,
  ) {
    this.#references = new References(objects);
  }

  /** Puts what was read into a node, before one of its children or behind the last. Throws `SchemaError`, `ScriptError`. */
  async insert(parent: GraphNode, drafts: Drafts, before?: GraphNode): Promise<readonly GraphNode[]> {
    const made: GraphNode[] = [];
    for (const input of await this.#prepared(drafts)) made.push(await this.#create(input));
    await insertAll(this.objects, parent, made, before);
    await this.#grant();
    return made;
  }

  /** A new page of what was read. */
  async page(input: JsonObject, drafts: Drafts): Promise<GraphNode> {
    const children = await this.#prepared(drafts);
    const page = await this.#create({ ...input, type: 'Page', children });
    await this.#grant();
    return page;
  }

  async #prepared({ nodes, shared, scripts }: Drafts): Promise<JsonObject[]> {
    await this.#run(scripts);
    for (const { name, source } of shared) {
      if ((await this.#references.component({ name, id: undefined }, 'Template')) !== undefined) continue;
      await this.#create({
        type: 'Template',
        name,
        content: source,
        contentType: 'text/html',
        ownerDocument: await this.#shadow(),
      });
    }
    return this.#keepFreeIds(await this.#inputs(nodes));
  }

  async #shadow(): Promise<string> {
    return (await shadowDocument(this.objects)).id;
  }

  /** Scripts that a text wants to be run, and not shown. */
  async #run(scripts: readonly string[]): Promise<void> {
    if (scripts.length === 0) return;
    this.#mustBeAdmin('have scripts run by an import');
    for (const source of scripts) await runText(source, this.context);
  }

  #mustBeAdmin(what: string): void {
    if (!this.objects.actor.isAdmin) throw new ScriptError(403, `Only administrators may ${what}.`);
  }

  async #inputs(drafts: readonly Draft[]): Promise<JsonObject[]> {
    const inputs: JsonObject[] = [];
    for (const draft of drafts) {
      await this.objects.breathe();
      const input = draft.src === undefined ? { ...draft.input } : await this.#referred(draft, draft.src);
      if (input === undefined) continue;
      await this.#apply(input, draft);
      const children = isReference(input) ? [] : await this.#inputs(draft.children);
      if (children.length > 0) input['children'] = children;
      inputs.push(input);
    }
    return inputs;
  }

  /** What stands for a component, or a template. Undefined: there is nothing that it could stand for. */
  async #referred({ input, children }: Draft, src: NonNullable<Draft['src']>): Promise<JsonObject | undefined> {
    const key = keyOf(src.key);
    const isTemplate = src.kind === 'template';
    const component = await this.#references.component(key, isTemplate ? 'Template' : 'DOMNode');
    if (component !== undefined) return this.#standingFor(component, input);
    if (!isTemplate) {
      const made = await this.#component(key.name, children);
      if (made === undefined) this.ways.warn(`there is no component '${src.key}'`);
      return made === undefined ? undefined : this.#standingFor(made, input);
    }
    const given = this.ways.templates?.(src.key);
    if (given !== undefined) return { type: 'Template', ...named(key.name), ...given, ...input };
    const template = await this.#references.template(key);
    if (template !== undefined) {
      return { ...this.#valuesOf(template), type: 'Template', ...input };
    }
    if (key.id !== undefined) {
      this.ways.warn(`there is no template '${src.key}'`);
      return undefined;
    }
    // The source is all that it has.
    children.length = 0;
    return { type: 'Template', ...named(key.name), content: src.source, contentType: 'text/html', ...input };
  }

  #standingFor(component: GraphNode, input: JsonObject): JsonObject {
    return { ...this.#valuesOf(component), type: component.type, ...input, sharedComponent: component.id };
  }

  /** Whoever imports would answer for it as if he had written it: nothing is taken from what strangers have written. */
  #valuesOf(node: GraphNode): JsonObject {
    const { tag, name } = node.properties;
    const values = valuesOf(this.objects, node);
    if (node.properties['sandboxed'] !== true) return values;
    return { ...(typeof tag === 'string' ? { tag } : {}), ...(typeof name === 'string' ? { name } : {}) };
  }

  /** A new shared component of what is in an element. */
  async #component(name: string, children: readonly Draft[]): Promise<GraphNode | undefined> {
    const inside = await this.#keepFreeIds(await this.#inputs(children));
    const [only, ...others] = inside;
    if (only === undefined) return undefined;
    const root =
      others.length === 0 && 'tag' in only ? only : { type: 'Div', tag: 'div', ...flagsOf(only), children: inside };
    return this.#create({ ...root, ...named(name), ownerDocument: await this.#shadow() });
  }

  /** Instructions that name something. */
  async #apply(input: JsonObject, { pending }: Draft): Promise<void> {
    const { schema } = this.objects;
    for (const { name, value } of pending) {
      if (name === 'link' || name === 'pagelink') {
        const target = await (name === 'link' ? this.#references.file(value) : this.#references.page(value));
        const type = typeof input['type'] === 'string' ? schema.type(input['type']) : undefined;
        if (type?.properties.has('linkable') !== true) this.ways.warn(`a ${String(input['type'])} links nothing`);
        else if (target === undefined) this.ways.warn(`there is no ${name === 'link' ? 'file' : 'page'} ${value}`);
        else input['linkable'] = target.id;
        continue;
      }
      this.#mustBeAdmin('import owners and permissions');
      const [principalName = '', letters = ''] = name === 'grant' ? atLastComma(value) : [value];
      const principal = await this.#references.principal(principalName.trim());
      if (principal === undefined) this.ways.warn(`there is no one principal '${principalName}'`);
      else if (name === 'owner') input['owner'] = principal.id;
      else if (!/^[rwda]+$/.test(letters.trim())) this.ways.warn(`'${value}' grants nothing`);
      else {
        const id = typeof input['id'] === 'string' ? input['id'] : this.objects.newId();
        input['id'] = id;
        this.#grants.push({ id, principal, allowed: [...letters.trim()].map((letter) => RIGHTS[letter] ?? '') });
      }
    }
  }

  /** Ids that something has already are not taken over. */
  async #keepFreeIds(inputs: readonly JsonObject[]): Promise<JsonObject[]> {
    const all: JsonObject[] = [];
    const gather = (list: readonly JsonObject[]): void => {
      for (const one of list) {
        if (typeof one['id'] === 'string') all.push(one);
        if (Array.isArray(one['children'])) gather(one['children'] as JsonObject[]);
      }
    };
    gather(inputs);
    const taken = new Set(
      (await this.objects.tx.nodes(all.map((one) => String(one['id'])))).flatMap((node) => node?.id ?? []),
    );
    for (const one of all) {
      const id = String(one['id']);
      const isFree = this.objects.options.idPattern.test(id) && !taken.has(id);
      taken.add(id);
      if (isFree) continue;
      const own = this.objects.newId();
      one['id'] = own;
      this.#grants.forEach((grant, i) => {
        if (grant.id === id) this.#grants[i] = { ...grant, id: own };
      });
    }
    return [...inputs];
  }

  #create(input: JsonObject): Promise<GraphNode> {
    const name = String(input['type']);
    const type = this.objects.schema.type(name);
    if (type === undefined) throw new ScriptError(422, `There is no type ${name}.`);
    return this.objects.create(type, input);
  }

  async #grant(): Promise<void> {
    const { objects } = this;
    const type = objects.schema.type('Security');
    if (type === undefined) return;
    for (const { id, principal, allowed } of this.#grants.splice(0)) {
      const [links = []] = await objects.tx.links([id], { relType: 'SECURITY', direction: 'in' });
      const known = links.find(({ node }) => node.id === principal.id);
      const values: JsonValue = [...allowed];
      if (known !== undefined) await updateRelationship(objects, known.relationship.id, { allowed: values });
      else await createRelationship(objects, type, { sourceId: principal.id, targetId: id, allowed: values });
    }
  }
}

function isReference(input: JsonObject): boolean {
  return 'sharedComponent' in input && input['type'] !== 'Template';
}

function named(name: string): JsonObject {
  return name === '' ? {} : { name };
}

function flagsOf({ visibleToPublicUsers = false, visibleToAuthenticatedUsers = false }: JsonObject): JsonObject {
  return { visibleToPublicUsers, visibleToAuthenticatedUsers };
}

/** Names may have commas. */
function atLastComma(text: string): [string, string] {
  const at = text.lastIndexOf(',');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
