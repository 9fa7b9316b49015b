/** A copy of the server with packages of the test's choosing, as somebody else has it installed. */
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

export interface Installation {
  /** Of the launcher. */
  readonly program: string;
  remove(): Promise<void>;
}

/**
 * Makes it from what is built. `packages`: what stands in the place of a package: the text of its main file, or undefined: it is
 * not installed.
 */
export async function installationWith(packages: Readonly<Record<string, string | undefined>>): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-installed-'));
  for (const part of ['bin', 'dist/src', 'package.json']) {
    // What servers keep compiled there comes and goes with each of them.
    await cp(join(ROOT, part), join(folder, part), {
      recursive: true,
      filter: (from) => basename(from) !== 'compiled',
    });
  }
  for (const name of await installedIn(join(ROOT, 'node_modules'))) {
    const target = join(folder, 'node_modules', name);
    await mkdir(dirname(target), { recursive: true });
    if (!(name in packages)) await symlink(join(ROOT, 'node_modules', name), target);
    else if (packages[name] !== undefined) {
      await mkdir(target);
      await writeFile(join(target, 'index.js'), packages[name]);
    }
  }
  return { program: join(folder, 'bin/svc.js'), remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Names of packages, those of scopes with their scope. */
async function installedIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of await readdir(folder)) {
    if (name.startsWith('.')) continue;
    if (!name.startsWith('@')) names.push(name);
    else names.push(...(await readdir(join(folder, name))).map((inside) => `${name}/${inside}`));
  }
  return names;
}
