/** `svc deploy`: the application of a running server out and in. */
import { runTransfer } from './transfer-command.js';

const HELP = `Usage: svc deploy export DIR [--conf PATH | --url URL --user NAME]
       svc deploy import DIR|ZIP|URL [--within FOLDER] [--extend] [--conf PATH | --url URL --user NAME]

Writes the application into a directory, or replaces it by that of a directory, a ZIP archive, or an archive at an address. An import
happens as a whole, or not at all.

  svc deploy export deployment/shop
  svc deploy import https://example.org/shop.zip --within shop/app

  --within FOLDER  the folder of the archive that the export is in
  --extend         adds to the application that is there`;

/** Runs the command with the arguments behind its name; the exit code. */
export function run(args: readonly string[]): Promise<number> {
  return runTransfer(
    {
      program: 'svc deploy',
      command: 'deploy',
      help: HELP,
      options: { within: { type: 'string' }, extend: { type: 'boolean' } },
      input: (mode, place, more, { within, extend }) => {
        if (more.length > 0) return undefined;
        if (mode === 'export')
          return within === undefined && extend === undefined ? { mode, target: place } : undefined;
        const folder = typeof within === 'string' ? { zipContentPath: within } : {};
        return { mode, source: place, extendExistingApp: extend === true, ...folder };
      },
    },
    args,
  );
}
