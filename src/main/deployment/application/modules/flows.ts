/** Flows: `modules/flows/flows/`, a folder for each of them (docs/interface/deployment.md 2.8). */
import type { GraphNode } from '../../../graph/index.js';
import { makeLink, type ObjectTransaction, type RelationDefinition } from '../../../schema/index.js';
import { DeploymentError } from '../../common/errors.js';
import { createMarked, told, typeNamed } from '../list-section.js';
import { allOf, removeAll, type Importing, type Section } from '../section.js';
import { readFlows, type FlowLink, type FlowObject, type FlowsRead } from './flow-files.js';
import { writeFlows } from './flow-folders.js';
import { packagePaths } from './package-paths.js';

const CONTAINER = 'FlowContainer';
const PACKAGE = 'FlowContainerPackage';
const CONFIGURATION = 'FlowContainerConfiguration';
const NODE = 'FlowBaseNode';
const TYPES = [CONTAINER, PACKAGE, CONFIGURATION, NODE];

export const flows: Section = {
  title: 'Flows',
  write: writeFlows,
  read: async ({ context, source, report }) => {
    const read = await readFlows(source, context.write().idPattern, report);
    if (read === undefined) return undefined;
    return {
      remove: async (into) => {
        for (const type of [CONFIGURATION, NODE, CONTAINER]) await removeAll(into, type);
        // Packages of an older export are a part of its list.
        if (read.objects.some(({ values }) => values['type'] === PACKAGE)) await removeAll(into, PACKAGE);
      },
      create: async (into) => {
        const packages = await Packages.of(into);
        for (const object of read.objects) await told(object, () => make(into.objects, object, packages));
        await packages.removeEmpty(into);
      },
      connect: (into) => link(into, read),
    };
  },
};

async function make(
  objects: ObjectTransaction,
  { values, place, folder }: FlowObject,
  packages: Packages,
): Promise<void> {
  const { type: said, id, ...rest } = values;
  const type = typeNamed(objects, typeof said === 'string' ? said : '');
  if (!TYPES.some((trait) => type.hasTrait(trait)))
    throw new DeploymentError(`${place}.type: ${type.name} is no type of flows.`);
  const there = typeof id === 'string' ? await objects.tx.node(id) : undefined;
  if (there !== undefined) throw new DeploymentError(`${place}.id: the id is that of a ${there.type}.`);
  const within = folder === undefined ? undefined : await packages.at(folder);
  const flowPackage = within === undefined ? {} : { flowPackage: within };
  await createMarked(objects, type, { ...rest, ...(id === undefined ? {} : { id }), ...flowPackage }, place);
}

/** Packages of flows are what their folders are called. */
class Packages {
  readonly #used = new Set<string>();

  private constructor(
    private readonly objects: ObjectTransaction,
    /** Ids by path. */
    private readonly known: Map<string, string>,
  ) {}

  /** Those that are there. */
  static async of({ objects }: Importing): Promise<Packages> {
    const nodes = await allOf(objects.tx, objects.schema, PACKAGE);
    const paths = await packagePaths(objects, nodes);
    return new Packages(objects, new Map([...paths].map(([id, path]) => [path.join('/'), id])));
  }

  /** The id of the one at a path; undefined: none is said. */
  async at(path: readonly string[]): Promise<string | undefined> {
    if (path.length === 0) return undefined;
    const key = path.join('/');
    const above = await this.at(path.slice(0, -1));
    let id = this.known.get(key);
    if (id === undefined) {
      const input = { name: path.at(-1) ?? '', visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
      const type = typeNamed(this.objects, PACKAGE);
      ({ id } = await this.objects.create(type, above === undefined ? input : { ...input, parent: above }));
      this.known.set(key, id);
    }
    this.#used.add(id);
    return id;
  }

  /** Takes away those that nothing has been put into; of an older export all are a part of the list. */
  async removeEmpty(into: Importing): Promise<void> {
    const { objects } = into;
    for (const id of this.known.values()) {
      const node = this.#used.has(id) ? undefined : await objects.tx.node(id);
      if (node !== undefined) await objects.delete(node);
    }
  }
}

/** Makes the relationships whose ends are there. */
async function link({ objects, report }: Importing, { links }: FlowsRead): Promise<void> {
  const missing: string[] = [];
  for (const one of links) {
    await objects.breathe();
    const [source, target, other] = await objects.tx.nodes([one.sourceId, one.targetId, one.id]);
    if (other !== undefined) throw new DeploymentError(`${one.place}.id: the id is that of a ${other.type}.`);
    if (source === undefined || target === undefined) missing.push(one.place);
    else await told(one, () => connect(objects, one, source, target));
  }
  report.warnOfAll('Missing ends of relationships of flows', missing);
}

async function connect(objects: ObjectTransaction, one: FlowLink, source: GraphNode, target: GraphNode): Promise<void> {
  const { type, relType, place, id } = one;
  const relation = objects.schema.relations.get(type);
  const fits = ({ source: from, target: to }: RelationDefinition): boolean =>
    objects.schema.typeOf(source).hasTrait(from) && objects.schema.typeOf(target).hasTrait(to);
  if (relation?.relType !== relType || !fits(relation))
    throw new DeploymentError(
      `${place}: there is no relation ${type} (${relType}) from ${source.type} to ${target.type}.`,
    );
  const [there = []] = await objects.tx.links([source.id], { relType, direction: 'out' });
  // What an object was made with, or another section has linked.
  const same = there.find(({ node, relationship }) => node.id === target.id && relationship.type === type);
  if (same === undefined) await makeLink(objects, relation, source, target, {}, id);
}
