/** What has the name of something that is brought (docs/interface/files.md 2). */
import { RefusedError } from '../../../common/request.js';
import { exactly } from '../../server/named.js';
import { call, list, remove, type Entity } from '../../server/rest.js';
import { createFolder, within } from '../tree-server.js';

const MOST = 200;

async function named(type: 'File' | 'Folder', name: string, folder: string | undefined): Promise<Entity | undefined> {
  const { result } = await list(
    type,
    { ...within(folder), ...exactly('name', name), _pageSize: MOST, _page: 1 },
    { properties: ['id', 'type', 'name'] },
  );
  return result.find((one) => one.name === name);
}

/** Id of the folder of this name, made where there is none. */
export async function folderNamed(name: string, folder: string | undefined): Promise<string> {
  return (await named('Folder', name, folder))?.id ?? createFolder(name, folder);
}

/** Id of the file of this name; undefined: there is none, or who asks may not look. */
export async function fileNamed(name: string, folder: string | undefined): Promise<string | undefined> {
  try {
    return (await named('File', name, folder))?.id;
  } catch (error) {
    if (error instanceof RefusedError && (error.status === 401 || error.status === 403)) return undefined;
    throw error;
  }
}

/** Gives a file the content of another one, which goes. The first keeps its id, its rights and all else that is known of it. */
export async function replaceBy(file: string, sent: string): Promise<void> {
  await call(`File/${sent}/copyFileContents`, { target: file });
  await removeSent(sent);
}

/** Deletes a file that was sent. One that is gone already is none to complain about. */
export async function removeSent(file: string): Promise<void> {
  try {
    await remove(`File/${file}`);
  } catch (error) {
    if (!(error instanceof RefusedError) || error.status !== 404) throw error;
  }
}
