/** Options that all commands share which ask a running server. */
import { RemoteError } from './running-server.js';

/** For `parseArgs`. */
export const SERVER_OPTIONS = {
  conf: { type: 'string' },
  url: { type: 'string' },
  user: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

export interface ServerOptions {
  readonly conf?: string | undefined;
  readonly url?: string | undefined;
  readonly user?: string | undefined;
}

/** Lines of their help. */
export const SERVER_HELP = `  --conf PATH   settings file of a server on this machine, with the embedded database; default: ./svc.conf.
                Its database belongs to whoever runs this: no password is asked for
  --url URL     address of a server, here or elsewhere: https://example.org
  --user NAME   with --url: an administrator; the password is in the variable SVCPASSWORD, or asked for
  --help        print this
`;

/** The variable of the environment with the password for `--user`. */
export const PASSWORD_VARIABLE = 'SVCPASSWORD';

/** Throws `RemoteError` for options that make no sense together. */
export function checkOptions({ conf, url, user }: ServerOptions): void {
  if (url !== undefined && conf !== undefined) throw new RemoteError('give --url or --conf.', true);
  if ((url === undefined) !== (user === undefined)) throw new RemoteError('--url and --user go together.', true);
}
