/** `deployment.conf`: which version has written an export, and by which rules (docs/interface/deployment.md 2.2). */
import type { Config } from '../../config/index.js';
import { NotStarted } from '../common/errors.js';
import type { Report } from '../common/report.js';
import type { ExportSource } from '../tree/source.js';
import type { ExportTarget } from '../tree/target.js';

const FILE = 'deployment.conf';
const VERSION = 'svc-version';
const FLAGS = 'visibility-flags-relative-to';
const IDS = 'uuid-format';
/** Bytes of the file. */
const MOST = 1024 * 1024;
const TITLE = 'Incompatible Deployment Import';

/** Writes the three keys; other lines of a file that is there stay. */
export async function writeConfiguration(out: ExportTarget, config: Config, version: string): Promise<void> {
  const values = new Map([
    [VERSION, version],
    [FLAGS, 'parent'],
    [IDS, config.get('application.uuid.allowedformats')],
  ]);
  const written = new Set<string>();
  const lines = ((await out.there(FILE)) ?? '').split(/\r?\n/).map((line) => {
    const key = keyOf(line);
    const value = key === undefined ? undefined : values.get(key);
    if (key === undefined || value === undefined || written.has(key)) return line;
    written.add(key);
    return `${key} = ${value}`;
  });
  while (lines.at(-1) === '') lines.pop();
  for (const [key, value] of values) if (!written.has(key)) lines.push(`${key} = ${value}`);
  await out.text(FILE, `${lines.join('\n')}\n`);
}

/** Checks whether this instance can read an export. Throws `NotStarted`. */
export async function checkConfiguration(
  source: ExportSource,
  config: Config,
  version: string,
  report: Report,
): Promise<{ readonly flagsOfParent: boolean }> {
  const said = new Map<string, string>();
  for (const line of ((await source.text(FILE, MOST)) ?? '').replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const key = keyOf(line);
    if (key !== undefined) said.set(key, line.slice(line.indexOf('=') + 1).trim());
  }
  const theirs = said.get(VERSION) ?? '';
  if (versionNumber(version) < versionNumber(theirs))
    throw new NotStarted(TITLE, `The export was written by version ${theirs}, and this is version ${version}.`);
  const format = config.get('application.uuid.allowedformats');
  const ids = said.get(IDS);
  if (ids === undefined) report.inform('Format of ids', `The export does not say which format its ids have (${IDS}).`);
  else if (ids !== format) {
    const difference = `The ids of the export have the format ${ids}, those of this instance ${format} (application.uuid.allowedformats).`;
    if (format !== 'both') throw new NotStarted(TITLE, difference);
    report.warn('Format of ids', difference);
  }
  return { flagsOfParent: said.get(FLAGS) === 'parent' };
}

function keyOf(line: string): string | undefined {
  const key = line.slice(0, Math.max(0, line.indexOf('='))).trim();
  return key === '' || /^[#!]/.test(key) ? undefined : key;
}

/** The first two digits of the first word: 61 of `6.1.0 build`. */
function versionNumber(text: string): number {
  const digits = (text.trim().split(/\s+/)[0] ?? '').replace(/\D/g, '');
  return digits === '' ? 0 : Number(digits.slice(0, 2));
}
