/** What the elements and instructions of imported text name: components, templates, pages, files, principals (docs/interface/pages.md 8.2). */
import type { GraphNode } from '../../graph/index.js';
import { childAt, onlyReadable, typesOf, type ObjectTransaction } from '../../schema/index.js';

/** Objects of one name that are looked at. */
const FEW = 50;
const ID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
const BEHIND_NAME = /^(.*)-((?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))$/i;

export interface Key {
  readonly name: string;
  readonly id: string | undefined;
}

/** `name`, `id` or `name-id`. */
export function keyOf(text: string): Key {
  if (ID.test(text)) return { name: '', id: text };
  const [, name = '', id] = BEHIND_NAME.exec(text) ?? [];
  return id === undefined ? { name: text, id: undefined } : { name, id };
}

/** What the actor of a transaction may read. */
export class References {
  constructor(private readonly objects: ObjectTransaction) {}

  /** A shared component, by its id or name; undefined: there is none. */
  async component({ id, name }: Key, trait = 'DOMNode'): Promise<GraphNode | undefined> {
    const found = id === undefined ? await this.#named(trait, name) : await this.#ofId(id, trait);
    for (const one of found) if (await this.#isShared(one)) return one;
    return undefined;
  }

  /** Any template, by its id or name. */
  async template({ id, name }: Key): Promise<GraphNode | undefined> {
    return (id === undefined ? await this.#named('Template', name) : await this.#ofId(id, 'Template'))[0];
  }

  /** A page by its path, its name or its id. */
  async page(text: string): Promise<GraphNode | undefined> {
    const name = text.trim().replace(/^\//, '');
    return (ID.test(name) ? await this.#ofId(name, 'Page') : await this.#named('Page', name))[0];
  }

  /** A file by its path. */
  async file(path: string): Promise<GraphNode | undefined> {
    const { tx, schema } = this.objects;
    let at: GraphNode | undefined;
    for (const name of path.split('/').filter((one) => one !== '')) {
      const next: GraphNode | undefined = await childAt(tx, schema, at?.id, name);
      if (next === undefined || !(await this.objects.may('read', next))) return undefined;
      at = next;
    }
    return at !== undefined && schema.typeOf(at).hasTrait('File') ? at : undefined;
  }

  /** The one user or group of a name. */
  async principal(name: string): Promise<GraphNode | undefined> {
    const found = await this.#named('Principal', name);
    return found.length === 1 ? found[0] : undefined;
  }

  async #ofId(id: string, trait: string): Promise<readonly GraphNode[]> {
    const node = await this.objects.tx.node(id);
    if (node === undefined || !this.objects.schema.typeOf(node).hasTrait(trait)) return [];
    return (await this.objects.may('read', node)) ? [node] : [];
  }

  async #named(trait: string, name: string): Promise<readonly GraphNode[]> {
    const { tx, schema, access } = this.objects;
    if (name === '') return [];
    const where = { op: 'equals', key: 'name', value: name } as const;
    return tx.find(onlyReadable({ kind: 'nodes', trait, ...typesOf(schema, trait), where, limit: FEW }, access));
  }

  /** Components lie in the shadow document, and below nothing. */
  async #isShared({ id }: GraphNode): Promise<boolean> {
    const { tx, schema } = this.objects;
    const [pages = []] = await tx.related([id], { relType: 'PAGE', direction: 'out' }, 1);
    const [page] = pages;
    if (page === undefined || !schema.typeOf(page).hasTrait('ShadowDocument')) return false;
    const [parents = []] = await tx.related(
      [id],
      { relType: 'CONTAINS', direction: 'in', ...typesOf(schema, 'DOMNode') },
      1,
    );
    return parents.length === 0;
  }
}
