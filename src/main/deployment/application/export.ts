/** An application becomes files (docs/interface/deployment.md 2). */
import type { DeploymentContext } from '../common/context.js';
import type { Report } from '../common/report.js';
import { giveToGroup } from '../tree/file-group.js';
import { writeEmptyScripts } from '../tree/scripts.js';
import { ExportTarget } from '../tree/target.js';
import { writeConfiguration } from './configuration.js';
import { SECTIONS } from './table.js';

/** Folders that are there even when nothing is in them. */
const FOLDERS = [
  'files',
  'pages',
  'components',
  'templates',
  'events',
  'security',
  'schema',
  'mail-templates',
  'modules',
];

/** Writes the application into a directory, which is made where it is missing. Throws `DeploymentError`. */
export async function exportApplication(
  context: DeploymentContext,
  directory: string,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const { config, graph, schemas, version } = context;
  const out = new ExportTarget(directory);
  await out.folder('');
  for (const folder of FOLDERS) await out.folder(folder);
  await graph.read(
    async (tx) => {
      const { schema } = schemas;
      for (const section of SECTIONS) {
        signal.throwIfAborted();
        report.begin(section.title);
        await section.write({ context, tx, schema, out, report });
      }
    },
    { timeout: 0, signal },
  );
  await writeConfiguration(out, config, version);
  await writeEmptyScripts(out, 'pre-deploy.conf', 'post-deploy.conf');
  await giveToGroup(config, directory, report);
}
