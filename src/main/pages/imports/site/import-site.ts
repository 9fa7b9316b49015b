/** Import of a page from an address, from the first call to the commit (docs/interface/pages.md 8.5). */
import type { Config } from '../../../config/index.js';
import type { BroughtFields, Files } from '../../../files/index.js';
import type { Actor, ObjectAccess, ObjectTransaction } from '../../../schema/index.js';
import { runsScripts, type WriteOptions } from '../../../schema/index.js';
import type { ScriptThreads } from '../../../scripting/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import { importPage } from '../page.js';
import type { boundedBy } from '../read-html.js';
import { written } from './addresses.js';
import { Fetching } from './fetching.js';
import { fetchPage } from './site.js';

export interface SiteImport {
  readonly config: Config;
  readonly files: Files;
  readonly threads: ScriptThreads;
  readonly run: ReturnType<typeof boundedBy>;
  readonly actor: Actor;
  readonly access: ObjectAccess;
  readonly options: WriteOptions;
  /** Runs the one transaction, perhaps several times. */
  readonly write: (work: (objects: ObjectTransaction) => Promise<JsonObject>) => Promise<JsonObject>;
}

/**
 * Makes a page of what is at an address, and files of what belongs to it, all with the rights of the actor, in one transaction. Answers `id`,
 * `type`, `name` of the page, its `files` with `id` and `path`, and the `missing` ones with `address` and `reason`. Throws `ScriptError` 422 when there
 * is no page, or its address may not be called, 503 when too many imports go on, `FilesError` and `SchemaError`.
 */
export function importSite(
  address: string,
  name: string,
  fields: BroughtFields,
  { config, files, threads, run, actor, access, options, write }: SiteImport,
): Promise<JsonObject> {
  // Administrators say where scripts may call; for others it is no way into the network of the server.
  return Fetching.with(config, run, !actor.isAdmin, async (fetching) => {
    const brought = files.bringing(actor, access, fields);
    try {
      const parts = { fetching, files: brought, threads, run, runsScripts: runsScripts({ actor, options }) };
      const fetched = await fetchPage(address, parts);
      const { visibleToPublicUsers, visibleToAuthenticatedUsers } = fields;
      const page = { name, visibleToPublicUsers, visibleToAuthenticatedUsers };
      return await write(async (objects) => {
        await brought.make(objects);
        const made = await importPage(objects, page, fetched.nodes, 'site');
        return {
          id: made.id,
          type: made.type,
          name,
          files: fetched.files.map(({ id, path }) => ({ id, path: written(path) })),
          missing: fetched.missing.map((one) => ({ ...one })),
        };
      });
    } finally {
      await brought.end();
    }
  });
}
