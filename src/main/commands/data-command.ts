/** `svc data`: objects of a running server out and in. */
import { runTransfer } from './transfer-command.js';

const HELP = `Usage: svc data export DIR TYPE[,TYPE...] [--conf PATH | --url URL --user NAME]
       svc data import DIR|ZIP|URL [--within FOLDER] [--conf PATH | --url URL --user NAME]

Writes the objects of types into a directory, or reads them from a directory, a ZIP archive, or an archive at an address. Objects that
are there are replaced by their ids; all else stays.

  svc data export deployment/data City,Country
  svc data import deployment/data

  --within FOLDER  the folder of the archive that the export is in`;

/** Runs the command with the arguments behind its name; the exit code. */
export function run(args: readonly string[]): Promise<number> {
  return runTransfer(
    {
      program: 'svc data',
      command: 'deployData',
      help: HELP,
      options: { within: { type: 'string' } },
      input: (mode, place, [types, ...more], { within }) => {
        if (more.length > 0) return undefined;
        if (mode === 'export')
          return types === undefined || within !== undefined ? undefined : { mode, target: place, types };
        if (types !== undefined) return undefined;
        return { mode, source: place, ...(typeof within === 'string' ? { zipContentPath: within } : {}) };
      },
    },
    args,
  );
}
