/** The command line of `svc graph copy`. */
import { parseArgs } from 'node:util';
import { CopyError } from './errors.js';

export interface CopyArguments {
  readonly from: string;
  readonly to: string;
  readonly resume: boolean;
  readonly overwrite: boolean;
  readonly user: string | undefined;
  readonly passwordFile: string | undefined;
  readonly database: string | undefined;
  readonly conf: string | undefined;
}

export const HELP = `Usage: svc graph copy --from PLACE --to PLACE [options]

Copies a whole database, verifies the copy by counts and checksums, and leaves the source as it is.
Stop the servers on both databases before.

  PLACE                  sqlite:PATH (the folder of the database: database.path)
                         neo4j:bolt://HOST:PORT, neo4j:neo4j://HOST, with +s encrypted; a name of a database may follow: /NAME

  --resume               go on with a copy that was interrupted
  --overwrite            remove everything that is in the target database first
  --user NAME            user at Neo4j; default: database.connection.username
  --password-file PATH   file with the password; default: database.connection.password
  --database NAME        database of the Neo4j server; default: database.connection.databasename
  --conf PATH            settings file to take these settings from; without it only SVC_... variables of the environment
  --help                 print this

Without --overwrite or --resume the target must be empty. Files and settings are not in the database: copy the folder of
files and svc.conf as well.
`;

const OPTIONS = {
  from: { type: 'string' },
  to: { type: 'string' },
  resume: { type: 'boolean' },
  overwrite: { type: 'boolean' },
  user: { type: 'string' },
  'password-file': { type: 'string' },
  database: { type: 'string' },
  conf: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const TRY_HELP = 'try svc graph copy --help.';

/** Undefined: help is asked for. Throws `CopyError`; what was typed is not repeated, it may have a password in it. */
export function parseArguments(args: readonly string[]): CopyArguments | undefined {
  // Not strict: the messages of strict parsing repeat arguments.
  const { tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind !== 'option') throw new CopyError('usage', `there is an argument without an option; ${TRY_HELP}`);
    const { name, rawName, value } = token;
    if (!Object.hasOwn(OPTIONS, name)) throw new CopyError('usage', `there is no option '${rawName}'; ${TRY_HELP}`);
    const { type } = OPTIONS[name as keyof typeof OPTIONS];
    if (type === 'boolean' && value !== undefined) {
      throw new CopyError('usage', `${rawName} takes no value; ${TRY_HELP}`);
    }
    if (
      type === 'string' &&
      (value === undefined || value === '' || (token.inlineValue !== true && value.startsWith('--')))
    ) {
      throw new CopyError('usage', `${rawName} needs a value; ${TRY_HELP}`);
    }
    given.set(name, value ?? '');
  }
  if (given.has('help')) return undefined;
  const [from, to] = [given.get('from'), given.get('to')];
  if (from === undefined || to === undefined) throw new CopyError('usage', `--from and --to are needed; ${TRY_HELP}`);
  const [resume, overwrite] = [given.has('resume'), given.has('overwrite')];
  if (resume && overwrite) {
    throw new CopyError('usage', '--resume goes on with a copy and --overwrite begins anew: give one of them.');
  }
  return {
    from,
    to,
    resume,
    overwrite,
    user: given.get('user'),
    passwordFile: given.get('password-file'),
    database: given.get('database'),
    conf: given.get('conf'),
  };
}
