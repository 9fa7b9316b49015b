/** The files of flows, read: folders for each flow, or the one list of older exports (docs/interface/deployment.md 2.8). */
import type { JsonObject } from '../../../../shared/json/index.js';
import { DeploymentError } from '../../common/errors.js';
import type { Report } from '../../common/report.js';
import { textAt } from '../../tree/principal-names.js';
import { objectAt, type ExportSource } from '../../tree/source.js';

/** Where flows of packages lie, beside the files of a flow that has the package's name. */
export const CHILDREN = '__children';
export const FLOWS = 'modules/flows/flows';
const OLD = 'modules/flows/flow-engine.json';
/** What is a file of its own. */
export const SCRIPTS: readonly string[] = ['query', 'result', 'script'];
const DEEPEST = 64;

/** A flow, one of its nodes, or how somebody has arranged it. */
export interface FlowObject {
  readonly values: JsonObject;
  /** Names of the packages that it lies in; undefined: its package is linked with it. */
  readonly folder: readonly string[] | undefined;
  readonly place: string;
}

export interface FlowLink {
  readonly id: string;
  readonly type: string;
  readonly relType: string;
  readonly sourceId: string;
  readonly targetId: string;
  readonly place: string;
}

export interface FlowsRead {
  readonly objects: readonly FlowObject[];
  readonly links: readonly FlowLink[];
}

/** Undefined: the export has none. Throws `DeploymentError` that names the file. */
export async function readFlows(
  source: ExportSource,
  idPattern: RegExp,
  report: Report,
): Promise<FlowsRead | undefined> {
  const isThere = (await source.list(FLOWS)) !== undefined;
  const old = isThere ? undefined : await source.entries(OLD);
  if (!isThere && old === undefined) return undefined;
  const reading = new Reading(source, idPattern, report);
  if (old === undefined) await reading.flowsIn(FLOWS, []);
  else reading.list(old);
  return reading;
}

class Reading implements FlowsRead {
  readonly objects: FlowObject[] = [];
  readonly links: FlowLink[] = [];
  readonly #ids = new Map<string, string>();
  readonly #linkIds = new Set<string>();

  constructor(
    private readonly source: ExportSource,
    private readonly idPattern: RegExp,
    private readonly report: Report,
  ) {}

  /** Flows of a package, and of those in it. */
  async flowsIn(folder: string, path: readonly string[]): Promise<void> {
    if (path.length > DEEPEST)
      throw new DeploymentError(`${folder}: packages lie more than ${String(DEEPEST)} levels deep.`);
    for (const { name, isFolder } of (await this.source.list(folder)) ?? []) {
      if (!isFolder) continue;
      const at = `${folder}/${name}`;
      await this.#flow(at, path);
      await this.flowsIn(`${at}/${CHILDREN}`, [...path, name]);
    }
  }

  /** All of them in one list: objects first, or relationships, which say their ends. */
  list(entries: readonly JsonObject[]): void {
    for (const [at, entry] of entries.entries()) {
      const place = `${OLD}[${String(at)}]`;
      if (entry['sourceId'] === undefined) this.#object(entry, undefined, place);
      else this.#link(entry, place);
    }
  }

  async #flow(folder: string, path: readonly string[]): Promise<void> {
    const container = await this.#json(`${folder}/flow-container.json`);
    if (container === undefined) return;
    this.#object(container, path, `${folder}/flow-container.json`);
    for (const at of await this.#foldersIn(`${folder}/nodes`)) {
      const place = `${at}/node.json`;
      const node = await this.#json(place);
      if (node !== undefined) this.#object({ ...node, ...(await this.#scripts(`${at}/scripts`)) }, undefined, place);
    }
    for (const at of await this.#foldersIn(`${folder}/config`)) {
      const configuration = await this.#json(`${at}/config.json`);
      if (configuration !== undefined) this.#object(configuration, undefined, `${at}/config.json`);
    }
    for (const at of await this.#foldersIn(`${folder}/rels`)) {
      const link = await this.#json(`${at}/rel.json`);
      if (link !== undefined) this.#link(link, `${at}/rel.json`);
    }
  }

  async #json(path: string): Promise<JsonObject | undefined> {
    const value = await this.source.json(path);
    return value === undefined ? undefined : objectAt(value, path);
  }

  async #foldersIn(folder: string): Promise<string[]> {
    const found = (await this.source.list(folder)) ?? [];
    return found.filter(({ isFolder }) => isFolder).map(({ name }) => `${folder}/${name}`);
  }

  async #scripts(folder: string): Promise<JsonObject> {
    const scripts: JsonObject = {};
    for (const { name, isFolder } of (await this.source.list(folder)) ?? []) {
      if (!isFolder && SCRIPTS.includes(name)) scripts[name] = (await this.source.text(`${folder}/${name}`)) ?? null;
      else this.report.warn('Left out', `${folder}/${name}: it is no script of a flow.`);
    }
    return scripts;
  }

  #object(values: JsonObject, folder: readonly string[] | undefined, place: string): void {
    const id = textAt(values['id'], `${place}.id`);
    textAt(values['type'], `${place}.type`);
    this.#mustBeNew(id, place);
    this.objects.push({ values, folder, place });
  }

  #link(said: JsonObject, place: string): void {
    const [id = '', type = '', relType = '', sourceId = '', targetId = ''] = [
      'id',
      'type',
      'relType',
      'sourceId',
      'targetId',
    ].map((key) => textAt(said[key], `${place}.${key}`));
    if (!this.idPattern.test(id))
      throw new DeploymentError(`${place}.id: ${JSON.stringify(id.slice(0, 100))} is no id.`);
    // One between two flows may be said by both.
    if (this.#linkIds.has(id)) return;
    this.#linkIds.add(id);
    this.links.push({ id, type, relType, sourceId, targetId, place });
  }

  #mustBeNew(id: string, place: string): void {
    const other = this.#ids.get(id);
    if (other !== undefined) throw new DeploymentError(`${place} has the id of ${other}.`);
    this.#ids.set(id, place);
  }
}
