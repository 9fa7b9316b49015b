/** The group of the system that exported files are given to (`deploymentservlet.filegroup.name`, docs/interface/deployment.md 2.9). */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '../../config/index.js';
import type { Report } from '../common/report.js';
import { ifMissing } from './source.js';

const TITLE = 'Group of the files not set';
const GROUP_OF_FILES = 0o060;
const GROUP_OF_FOLDERS = 0o070;
/** Milliseconds. */
const LOOKUP_TIME = 10_000;

/** Gives all files and folders of an export to the group of the setting, which may then write them. What does not work is a warning: the export is there. */
export async function giveToGroup(config: Config, directory: string, report: Report): Promise<void> {
  const name = config.get('deploymentservlet.filegroup.name').trim();
  if (name === '') return;
  const group = await groupId(name);
  if (group === undefined) report.warn(TITLE, `The system knows no group ${name} (deploymentservlet.filegroup.name).`);
  else {
    try {
      await give(directory, group);
    } catch (error) {
      report.warn(TITLE, `The files cannot be given to the group ${name}: ${(error as Error).message}`);
    }
  }
}

/** The number of a group; undefined: there is none. */
async function groupId(name: string): Promise<number | undefined> {
  if (name.startsWith('-') || /[:\s]/.test(name)) return undefined;
  // Groups may lie elsewhere than in the file; not every system has the program that knows.
  const asked = await promisify(execFile)('getent', ['group', name], { timeout: LOOKUP_TIME }).catch(() => undefined);
  const lines = (asked?.stdout ?? (await readFile('/etc/group', 'utf8').catch(ifMissing)) ?? '').split('\n');
  const number = lines.map((line) => line.split(':')).find(([one]) => one === name)?.[2];
  return number !== undefined && /^\d+$/.test(number) ? Number(number) : undefined;
}

/** Links are no part of an export, and are not followed. */
async function give(path: string, group: number): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  let isFolder: boolean;
  try {
    const facts = await handle.stat();
    isFolder = facts.isDirectory();
    if (facts.gid !== group) await handle.chown(facts.uid, group);
    const mode = (facts.mode | (isFolder ? GROUP_OF_FOLDERS : GROUP_OF_FILES)) & 0o7777;
    if (mode !== (facts.mode & 0o7777)) await handle.chmod(mode);
  } finally {
    await handle.close();
  }
  if (!isFolder) return;
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isFile() || entry.isDirectory()) await give(join(path, entry.name), group);
}
