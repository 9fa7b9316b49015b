/** What was read of HTML, as nodes of pages that are to be made (docs/interface/pages.md 8.1, 8.2). */
import type { Property, Schema, Type } from '../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json.js';
import type { ParsedNode } from '../../../workers/html-parse.js';
import { instructionsIn, type Instruction } from './instructions.js';

export type ParsedElement = Extract<ParsedNode, { kind: 'element' }>;

export interface Flags {
  readonly visibleToPublicUsers: boolean;
  readonly visibleToAuthenticatedUsers: boolean;
}

/** A node to be made. */
export interface Draft {
  /** With its type; without children. */
  readonly input: JsonObject;
  readonly children: Draft[];
  readonly flags: Flags;
  /** `src` of a reference to a component or template, which has to be found before. */
  readonly src?: { readonly kind: 'component' | 'template'; readonly key: string; readonly source: string };
  /** Instructions that need something of the database. */
  readonly pending: readonly Instruction[];
}

/** A template to be shared, of this name. */
export interface SharedTemplate {
  readonly name: string;
  readonly source: string;
}

export interface Drafts {
  readonly nodes: Draft[];
  readonly shared: SharedTemplate[];
  /** Scripts to be run, in their order. */
  readonly scripts: readonly string[];
}

export interface DraftOptions {
  readonly schema: Schema;
  /** Of what they are put into. */
  readonly flags: Flags;
  /** The tag of the element that they are put into; empty: it is none. */
  readonly tag: string;
  /** Instructions, elements of the service, ids and scripts to be run are what they say; otherwise markup like any other. */
  readonly annotated: boolean;
  readonly warn: (problem: string) => void;
}

/** What there is around a node. */
interface Around {
  readonly flags: Flags;
  readonly tag: string;
  /** Of the script or style that a text is in. */
  readonly contentType: string;
  /** White space is what it is. */
  readonly keepsBlanks: boolean;
}

const RUN = /^application\/x-svc-(?:java)?script$/i;
const BLANKS_KEPT: ReadonlySet<string> = new Set(['pre', 'textarea', 'script', 'style']);
const META = 'data-svc-meta-';

export function draftsOf(nodes: readonly ParsedNode[], options: DraftOptions): Drafts {
  const drafting = new Drafting(options);
  const keepsBlanks = BLANKS_KEPT.has(options.tag);
  const contentType = options.tag === 'script' ? 'text/javascript' : options.tag === 'style' ? 'text/css' : '';
  const { flags, tag } = options;
  return {
    nodes: drafting.level(nodes, { flags, tag, contentType, keepsBlanks }),
    shared: drafting.shared,
    scripts: drafting.scripts,
  };
}

class Drafting {
  readonly shared: SharedTemplate[] = [];
  readonly scripts: string[] = [];

  constructor(private readonly options: DraftOptions) {}

  /** Nodes side by side, and the instructions between them. */
  level(nodes: readonly ParsedNode[], around: Around): Draft[] {
    const made: Draft[] = [];
    let waiting: readonly Instruction[] | undefined;
    const empty = (): void => {
      if (waiting !== undefined) made.push(this.#text('', 'Content', waiting, around));
      waiting = undefined;
    };
    for (const node of nodes) {
      const found =
        this.options.annotated && node.kind === 'comment' ? instructionsIn(node.text, this.options.warn) : undefined;
      if (found !== undefined) {
        empty();
        waiting = found;
        continue;
      }
      // An empty text is told by its content type alone: what follows is another node.
      if (isElement(node) && waiting?.some(({ name }) => name === 'content') === true) empty();
      const draft = this.#draft(node, waiting ?? [], around);
      if (draft === undefined) continue;
      made.push(draft);
      waiting = undefined;
    }
    empty();
    return made;
  }

  #draft(node: ParsedNode, said: readonly Instruction[], around: Around): Draft | undefined {
    switch (node.kind) {
      case 'element':
        return this.#element(node, said, around);
      case 'svg':
        return this.#text(node.source, 'Content', [{ name: 'content', value: 'text/xml' }, ...said], around);
      case 'comment': {
        const text = this.options.annotated ? unescaped(node.text) : node.text;
        return text.trim() === '' ? undefined : this.#text(text, 'Comment', said, around);
      }
      case 'text': {
        const text = node.text.replace(/^[\r\n\t]+|[\r\n\t]+$/g, '');
        // Blanks between words and elements are a text where they are not at the end of a line.
        if (text === '' || (text.trim() === '' && /[\r\n]/.test(node.text))) return undefined;
        return this.#text(this.#lines(text, around), 'Content', said, around);
      }
    }
  }

  /** As a text a line end would be one for visitors, too. */
  #lines(text: string, { keepsBlanks }: Around): string {
    if (this.options.annotated || keepsBlanks || text.includes('${')) return text;
    return text.replace(/[ \t]*[\r\n]+\s*/g, ' ');
  }

  #text(content: string, type: 'Content' | 'Comment', said: readonly Instruction[], around: Around): Draft {
    const input: JsonObject = {
      type,
      content,
      contentType: type === 'Comment' ? 'text/html' : around.contentType || 'text/plain',
    };
    return this.#told(input, [], said, around.flags);
  }

  #element(node: ParsedElement, said: readonly Instruction[], around: Around): Draft | undefined {
    const { annotated } = this.options;
    if (annotated && node.tag.startsWith('svc:')) return this.#special(node, said, around);
    const attributes = new Map(node.attributes);
    const scriptType = node.tag === 'script' ? (attributes.get('type') ?? '') : '';
    if (annotated && node.tag === 'script') {
      if (scriptType.toLowerCase() === 'application/schema+json') {
        this.options.warn('schemas are not imported with pages in this version');
        return undefined;
      }
      if (RUN.test(scriptType)) {
        this.scripts.push(node.children.map((child) => (child.kind === 'text' ? child.text : '')).join(''));
        return undefined;
      }
    }
    const type = typeOfTag(node.tag, this.options.schema);
    const input: JsonObject = { type: type.name, tag: node.tag };
    this.#attributes(input, node.attributes, type);
    const contentType =
      node.tag === 'script'
        ? scriptType || 'text/javascript'
        : node.tag === 'style'
          ? attributes.get('type') || 'text/css'
          : '';
    const own = this.#told(input, [], said, around.flags);
    const inside: Around = {
      flags: own.flags,
      tag: node.tag,
      contentType,
      keepsBlanks: around.keepsBlanks || BLANKS_KEPT.has(node.tag),
    };
    return { ...own, children: this.level(node.children, inside) };
  }

  /** `svc:template`, `svc:component`, `svc:shared-template`. */
  #special(node: ParsedElement, said: readonly Instruction[], around: Around): Draft | undefined {
    const attributes = new Map(node.attributes);
    const kind = node.tag.slice('svc:'.length);
    const source = (node.source ?? '').trim();
    if (kind === 'shared-template') {
      const name = attributes.get('name') ?? '';
      if (name === '') this.options.warn('svc:shared-template needs a name');
      else this.shared.push({ name, source });
      return undefined;
    }
    const key = attributes.get('src') ?? '';
    if ((kind !== 'template' && kind !== 'component') || key === '') {
      this.options.warn(`<${node.tag}> is no element of the service, or has no src`);
      return undefined;
    }
    const type = this.options.schema.type(kind === 'template' ? 'Template' : 'DOMElement');
    if (type === undefined) return undefined;
    const input: JsonObject = {};
    this.#attributes(
      input,
      node.attributes.filter(([name]) => name !== 'src'),
      type,
    );
    const own = this.#told(input, [], said, around.flags);
    const children = this.level(node.children, { ...around, flags: own.flags, tag: '', contentType: '' });
    return { ...own, children, src: { kind, key, source } };
  }

  /** Applies instructions to a node; what needs something of the database is left for later. */
  #told(input: JsonObject, children: Draft[], said: readonly Instruction[], outer: Flags): Draft {
    let flags = outer;
    const pending: Instruction[] = [];
    for (const instruction of said) {
      const { name, value } = instruction;
      const shown = FLAGS.get(name);
      const key = FIELDS.get(name);
      if (shown !== undefined) flags = shown;
      else if (name === 'hidden') input['hidden'] = true;
      else if (key !== undefined) input[key] = value;
      else pending.push(instruction);
    }
    Object.assign(input, flags);
    return { input, children, flags, pending };
  }

  #attributes(input: JsonObject, attributes: readonly (readonly [string, string])[], type: Type): void {
    for (const [name, value] of attributes) {
      if (name.startsWith(META)) this.#meta(input, name.slice(META.length), value, type);
      else if (name.startsWith('data-svc-')) {
        const property = type.properties.get(name);
        if (property?.kind === 'value') input[name] = valueOf(property, value);
      } else if (name.startsWith('data-') || name.startsWith('aria-')) input[`_custom_html_${name}`] = value;
      // What the type does not have would be kept, and not shown.
      else input[type.properties.has(`_html_${name}`) ? `_html_${name}` : `_custom_html_${name}`] = value;
    }
  }

  /** A field of the node. */
  #meta(input: JsonObject, name: string, value: string, type: Type): void {
    const key = name.replace(/-+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    if (key === 'id') {
      if (this.options.annotated) input['id'] = value;
      return;
    }
    const property = type.properties.get(key);
    if (property?.kind === 'value' && property.definition.readOnly !== true) input[key] = valueOf(property, value);
    else this.options.warn(`${META}${name}: ${type.name} has no such field`);
  }
}

const FLAGS: ReadonlyMap<string, Flags> = new Map([
  ['public', { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true }],
  ['public-only', { visibleToPublicUsers: true, visibleToAuthenticatedUsers: false }],
  ['protected', { visibleToPublicUsers: false, visibleToAuthenticatedUsers: true }],
  ['private', { visibleToPublicUsers: false, visibleToAuthenticatedUsers: false }],
]);

const FIELDS: ReadonlyMap<string, string> = new Map([
  ['content', 'contentType'],
  ['name', 'name'],
  ['show', 'showConditions'],
  ['hide', 'hideConditions'],
  ['show-for-locales', 'showForLocales'],
  ['hide-for-locales', 'hideForLocales'],
]);

/** Elements whose instructions are not those of a text. */
function isElement(node: ParsedNode): boolean {
  return node.kind === 'element' && node.tag !== 'svc:template';
}

/** The type of a tag's elements; without one of its own they are plain elements. */
export function typeOfTag(tag: string, schema: Schema): Type {
  const name = tag === 'template' ? 'TemplateElement' : tag.charAt(0).toUpperCase() + tag.slice(1);
  const own = schema.type(name);
  const plain = schema.type('DOMElement');
  if (own?.kind === 'node' && own.hasTrait('DOMElement') && !own.traitOnly) return own;
  if (plain === undefined) throw new Error('the schema has no elements');
  return plain;
}

/** The text of an attribute as a property takes it. */
function valueOf({ valueType }: Extract<Property, { kind: 'value' }>, text: string): JsonValue {
  switch (valueType) {
    case 'Boolean':
      return text === 'true';
    case 'Integer':
    case 'Long':
    case 'Double':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    default:
      return text;
  }
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
