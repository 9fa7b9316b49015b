/**
 * Where a file or folder lies: kept with it as one indexed value, so that a path is a few look-ups however many files its
 * folders hold; and no two of one name in a folder (docs/interface/files.md 2).
 */
import type { GraphNode, StoredValue } from '../../../graph/index.js';
import { SchemaError, type ErrorToken } from '../../model/errors.js';
import type { ObjectTransaction } from '../../writing/object-transaction.js';
import { folderOf, putInto } from '../../file-tree/tree.js';
import { mustBeShortName } from '../../file-tree/file-name.js';
import { ensureHome } from '../../file-tree/home.js';
import { freePlace, placeOf } from '../../file-tree/place.js';
import type { TraitRule } from '../rule.js';

export const abstractFileRule: TraitRule = {
  trait: 'AbstractFile',
  normalise(values, before, objects) {
    // What is in a mounted directory is called what it is called there; what was there before keeps its name.
    if (
      'name' in values &&
      values['name'] !== before?.['name'] &&
      !(objects.actor.isAdmin && values['isExternal'] === true)
    )
      mustBeShortName(values['name'], objects.options.longestFileName);
    // Who could say that a file is one of a mounted directory could put it where another one is.
    if (objects.actor.isAdmin || (values['isExternal'] ?? false) === (before?.['isExternal'] ?? false)) return;
    if (!('isExternal' in values)) return;
    throw new SchemaError('Property ‛isExternal‛ is read-only', [
      { type: 'AbstractFile', property: 'isExternal', token: 'is_read_only_property' },
    ]);
  },
  async complete(node, objects) {
    const { place, hasParent } = node.properties;
    const folder = (await folderOf(objects, node.id)) ?? (await ownersFolder(node, objects));
    const changes: Record<string, StoredValue | null> = {};
    if ((hasParent === true) !== (folder !== undefined)) changes['hasParent'] = folder !== undefined;
    const name = nameOf(node);
    const wanted = placeOf(folder?.id, name);
    if (place !== wanted) {
      const position = objects.options.uniquePaths;
      // What is in a mounted directory is called what it is called there.
      const free =
        position === undefined || node.properties['isExternal'] === true
          ? { name, place: wanted }
          : await freePlace(objects, folder?.id, name, position, node.id);
      if (free.name !== name) changes['name'] = free.name;
      changes['place'] = free.place;
    }
    if (Object.keys(changes).length > 0) await objects.tx.updateNode(node.id, changes);
  },
  async validate(node, objects) {
    const { name } = node.properties;
    const tokens: ErrorToken[] = [];
    // In a path they mean other folders.
    if (name === '.' || name === '..') {
      tokens.push({ type: node.type, property: 'name', token: 'must_match', value: name, detail: 'is no name' });
    }
    if (objects.schema.typeOf(node).hasTrait('Folder') && (await isInItself(node, objects))) {
      tokens.push({ type: node.type, property: 'parent', token: 'circular_reference', value: node.id });
    }
    return tokens;
  },
};

/** Whether a folder is somewhere below itself: nothing would find it any more. */
async function isInItself(node: GraphNode, objects: ObjectTransaction): Promise<boolean> {
  if (node.properties['hasParent'] !== true) return false;
  const seen = new Set<string>();
  for (let at = await folderOf(objects, node.id); at !== undefined; at = await folderOf(objects, at.id)) {
    if (at.id === node.id) return true;
    if (seen.has(at.id)) return false;
    seen.add(at.id);
  }
  return false;
}

/**
 * Where a new file goes whose creator said nothing: into his working directory, or his home (docs/interface/files.md 6). Undefined: it
 * stays at the root.
 */
async function ownersFolder(node: GraphNode, objects: ObjectTransaction): Promise<GraphNode | undefined> {
  const { actor, options, schema } = objects;
  if (options.homeDirectories !== true || actor.isAdmin || actor.id === undefined) return undefined;
  // `hasParent` in the request says that the root is meant.
  if (!objects.isNew(node.id) || node.properties['hasParent'] === true) return undefined;
  if (!schema.typeOf(node).hasTrait('File')) return undefined;
  const [working = []] = await objects.tx.related([actor.id], { relType: 'WORKING_DIR', direction: 'out' }, 1);
  const own = working[0];
  const folder = own !== undefined && (await objects.may('write', own)) ? own : await ensureHome(objects, actor.id);
  await putInto(objects, folder.id, node.id, 'File');
  return folder;
}

function nameOf(node: GraphNode): string {
  const { name } = node.properties;
  return typeof name === 'string' ? name : node.id;
}
