/** Pages, components and templates of one import: three sections that make one thing (docs/interface/deployment.md 3.6). */
import { ExportedTrees, linkAll, type ExportedItem, type HtmlNode } from '../../../pages/index.js';
import { flagAt, rightsIn, textAt } from '../../tree/principal-names.js';
import type { Importing, ReadingExport, SectionWork } from '../section.js';
import { mustBeFlags, typeNamed } from '../list-section.js';
import { checkIds } from './check-ids.js';
import { nameIn } from './keys.js';
import { FLAGS } from './entries.js';
import { KeptLinks } from './kept-links.js';
import { NodeBudget, readFolder, readTrees, type ReadItem } from './read-folder.js';
import { makeRoom } from './make-room.js';
import type { ReadPage, ReadPages } from './read-pages.js';

/** One attempt of the transaction. */
interface Attempt {
  readonly of: Importing['principals'];
  readonly kept: KeptLinks;
  trees: ExportedTrees | undefined;
  hasRemoved: boolean;
  hasLooked: boolean;
  hasLinked: boolean;
}

const imports = new WeakMap<ReadingExport, PageImport>();

export class PageImport {
  readonly #read: ReadPages = { templates: [], components: [], pages: [] };
  readonly #budget = new NodeBudget();
  #attempt: Attempt | undefined;
  #isChecked = false;

  private constructor(private readonly reading: ReadingExport) {}

  /** The one of an import. */
  static of(reading: ReadingExport): PageImport {
    let found = imports.get(reading);
    if (found === undefined) imports.set(reading, (found = new PageImport(reading)));
    return found;
  }

  async readTemplates(): Promise<SectionWork | undefined> {
    const items = await readFolder(this.reading, 'templates');
    this.#read.templates = (items ?? []).map((item) => {
      const { shared } = item.entry;
      return {
        ...this.#item(item),
        text: item.text,
        isShared: flagAt(shared, `templates.json: ${item.key}.shared`) === true,
      };
    });
    return this.#work(items, async (trees) => {
      for (const one of this.#read.templates) trees.addTemplate(one);
      return Promise.resolve();
    });
  }

  async readComponents(): Promise<SectionWork | undefined> {
    const items = await readFolder(this.reading, 'components');
    const nodes = await readTrees(this.reading, items ?? [], this.#budget);
    this.#read.components = (items ?? []).map((item, i) => ({ ...this.#item(item), nodes: nodes[i] ?? [] }));
    return this.#work(items, async (trees) => {
      for (const one of this.#read.components) trees.addComponent(one);
      await trees.components();
    });
  }

  async readPages(): Promise<SectionWork | undefined> {
    const items = await readFolder(this.reading, 'pages');
    const nodes = await readTrees(this.reading, items ?? [], this.#budget);
    this.#read.pages = (items ?? []).map((item, i) => {
      const { rights, rest } = rightsIn(item.entry, item.place);
      const read = this.#item({ ...item, entry: rest });
      return { ...read, name: nameIn(item.key, read.id), nodes: inOneHead(nodes[i] ?? []), rights };
    });
    // Of several pages of one name the first is the one that requests get.
    const rank = ({ name, id }: ReadPage): string => `${name ?? ''}\0${id}`;
    this.#read.pages = [...this.#read.pages].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
    return this.#work(items, async (trees, { objects, principals }) => {
      const type = typeNamed(objects, 'Page');
      for (const one of this.#read.pages) {
        mustBeFlags(type, one.values, one.place);
        await principals.give(objects, await trees.page(one), one.rights);
      }
    });
  }

  #work(
    items: readonly ReadItem[] | undefined,
    create: (trees: ExportedTrees, into: Importing) => Promise<void>,
  ): SectionWork | undefined {
    if (items === undefined && !this.reading.replacesPages) return undefined;
    return {
      remove: (into) => this.#remove(into),
      define: (into) => this.#look(into),
      create: async (into) => create(this.#trees(into), into),
      connect: (into) => this.#connect(into),
    };
  }

  #of({ principals }: Importing): Attempt {
    if (this.#attempt?.of !== principals) {
      const none = { trees: undefined, hasRemoved: false, hasLooked: false, hasLinked: false };
      this.#attempt = { of: principals, kept: new KeptLinks(), ...none };
    }
    return this.#attempt;
  }

  /** Takes away what is replaced. */
  async #remove(into: Importing): Promise<void> {
    const attempt = this.#of(into);
    if (attempt.hasRemoved) return;
    attempt.hasRemoved = true;
    if (!this.#isChecked) {
      await checkIds(this.#read, into.objects.options.idPattern);
      this.#isChecked = true;
    }
    await makeRoom(into, this.#read, this.reading.replacesPages, attempt.kept);
  }

  async #look({ objects, principals, report }: Importing): Promise<void> {
    const attempt = this.#of({ objects, principals, report });
    if (attempt.hasLooked) return;
    attempt.hasLooked = true;
    await attempt.kept.look(objects);
  }

  #trees(into: Importing): ExportedTrees {
    const { objects, principals, report } = into;
    const attempt = this.#of(into);
    attempt.trees ??= new ExportedTrees(objects, {
      principal: (name) => principals.find(objects, name),
      warn: (title, message) => report.warn(title, message),
      flagsOfItem: !this.reading.flagsOfParent,
    });
    return attempt.trees;
  }

  async #connect(into: Importing): Promise<void> {
    const attempt = this.#of(into);
    if (attempt.hasLinked) return;
    attempt.hasLinked = true;
    const trees = this.#trees(into);
    await trees.otherTemplates();
    await linkAll(into.objects, trees, (title, message) => into.report.warn(title, message));
    await attempt.kept.relink(into.objects);
  }

  #item({ key, place, entry }: ReadItem): ExportedItem {
    const { id: said, shared: _shared, sandboxed, owner: _owner, grantees: _grantees, ...values } = entry;
    const at = `${place.slice(0, place.indexOf('/'))}.json: ${key}`;
    const id = textAt(said, `${at}.id`);
    for (const flag of FLAGS) flagAt(values[flag], `${at}.${flag}`);
    // What a file says of it counts more, so that nothing else may look at this.
    if ((values['contentType'] ?? '') !== '') textAt(values['contentType'], `${at}.contentType`);
    const name = key === id ? null : key.endsWith(`-${id}`) ? key.slice(0, -id.length - 1) : key;
    return { id, place, name, values, isOfOthers: flagAt(sandboxed, `${at}.sandboxed`) === true };
  }
}

/** Some exports have a second `head`, which belongs to the first. */
function inOneHead(nodes: readonly HtmlNode[]): readonly HtmlNode[] {
  return nodes.map((node) => {
    if (node.kind !== 'element' || node.tag.toLowerCase() !== 'html') return node;
    const isHead = (one: HtmlNode): boolean => one.kind === 'element' && one.tag.toLowerCase() === 'head';
    const [first, ...more] = node.children.filter(isHead);
    if (first?.kind !== 'element' || more.length === 0) return node;
    const added = more.flatMap((one) => (one.kind === 'element' ? one.children : []));
    const merged = { ...first, children: [...first.children, ...added] };
    const rest = node.children.filter((one) => !more.includes(one));
    return { ...node, children: rest.map((one) => (one === first ? merged : one)) };
  });
}
