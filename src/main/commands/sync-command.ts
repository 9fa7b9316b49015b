/** `svc sync`: the graph of a running server out and in. */
import { runTransfer } from './transfer-command.js';

const HELP = `Usage: svc sync export ZIP [--db-only] [--query QUERY] [--conf PATH | --url URL --user NAME]
       svc sync import ZIP [--no-validate] [--conf PATH | --url URL --user NAME]

Writes nodes, relationships and content of files into an archive, or adds those of an archive to what is there.

  svc sync export deployment/all.zip
  svc sync import deployment/all.zip

  --db-only      without the content of files
  --query QUERY  what is exported, in Cypher where the database speaks it
  --no-validate  nodes are not checked`;

/** Runs the command with the arguments behind its name; the exit code. */
export function run(args: readonly string[]): Promise<number> {
  return runTransfer(
    {
      program: 'svc sync',
      command: 'sync',
      help: HELP,
      options: { 'db-only': { type: 'boolean' }, query: { type: 'string' }, 'no-validate': { type: 'boolean' } },
      input: (direction, file, more, values) => {
        if (more.length > 0) return undefined;
        const { query } = values;
        const isExport = direction === 'export';
        const ofOther = isExport ? values['no-validate'] : (values['db-only'] ?? query);
        if (ofOther !== undefined) return undefined;
        if (!isExport) return { mode: 'import', file, validate: values['no-validate'] !== true };
        const mode = values['db-only'] === true ? 'exportDb' : 'export';
        return { mode, file, ...(typeof query === 'string' ? { query } : {}) };
      },
    },
    args,
  );
}
