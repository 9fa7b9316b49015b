/** What an export says of a file or folder (docs/interface/deployment.md 2.5). */
import type { GraphNode } from '../../../graph/index.js';
import type { Holders, Schema } from '../../../schema/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import { DeploymentError } from '../../common/errors.js';
import { flagAt, rightsIn, textAt, type SaidRights } from '../../tree/principal-names.js';
import { ownerAndGrantees, valuesWithDynamic } from '../list-section.js';

export const FILES = 'files.json';

const OF_ALL = ['id', 'type', 'visibleToPublicUsers', 'visibleToAuthenticatedUsers', 'includeInFrontendExport'];
const OF_FILES = ['isTemplate', 'dontCache', 'contentType', 'cacheForSeconds', 'basicAuthRealm', 'enableBasicAuth'];
const OF_IMAGES = ['isThumbnail', 'isImage', 'width', 'height'];

/** Whether the content is that of a mounted directory. */
export function isElsewhere({ properties: { mountTarget, isExternal } }: GraphNode): boolean {
  return (typeof mountTarget === 'string' && mountTarget !== '') || isExternal === true;
}

/** Its entry. */
export function fileEntry(schema: Schema, node: GraphNode, holders: Holders | undefined): JsonObject {
  const type = schema.typeOf(node);
  const keys = [...OF_ALL, ...(type.hasTrait('File') ? OF_FILES : []), ...(type.hasTrait('Image') ? OF_IMAGES : [])];
  const isExcluded = node.properties['excludeSubtreeFromExport'] === true;
  return {
    ...valuesWithDynamic(schema, node, keys),
    ...(isExcluded ? { excludeSubtreeFromExport: true } : {}),
    ...ownerAndGrantees(holders),
  };
}

/** One file or folder of an export. */
export interface FileEntry {
  readonly path: string;
  readonly place: string;
  readonly id: string;
  readonly type: string;
  readonly isFolder: boolean;
  readonly isTemplate: boolean;
  /** Somebody has written its content who is no administrator. */
  readonly isSandboxed: boolean;
  /** A null takes away what is there. */
  readonly values: JsonObject;
  readonly rights: SaidRights;
}

/** Throws `DeploymentError` that names the place. `idPattern`: what ids look like. */
export function checkedFile(path: string, properties: JsonObject, isFolder: boolean, idPattern: RegExp): FileEntry {
  const place = `${FILES}: ${path}`;
  if (
    !path.startsWith('/') ||
    path
      .split('/')
      .slice(1)
      .some((name) => name === '' || name === '.' || name === '..')
  )
    throw new DeploymentError(`${place}: this is no path of a file.`);
  const { rights, rest } = rightsIn(properties, place);
  const said = textAt(rest['id'], `${place}.id`);
  // It becomes part of the place of its content.
  if (!idPattern.test(said)) throw new DeploymentError(`${place}.id: ${JSON.stringify(said.slice(0, 100))} is no id.`);
  const { id: _id, type, isTemplate, isImage, isThumbnail, sandboxed, ...values } = rest;
  flagAt(isImage, `${place}.isImage`);
  flagAt(isThumbnail, `${place}.isThumbnail`);
  return {
    path,
    place,
    id: said,
    type: type === undefined || type === null ? (isFolder ? 'Folder' : 'File') : textAt(type, `${place}.type`),
    isFolder,
    isTemplate: flagAt(isTemplate, `${place}.isTemplate`) === true,
    isSandboxed: flagAt(sandboxed, `${place}.sandboxed`) === true,
    values,
    rights,
  };
}
