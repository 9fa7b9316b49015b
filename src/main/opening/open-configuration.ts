/** The Configuration Interface, as the settings want it. */
import type { Config } from '../config/index.js';
import { ConfigSessions, createConfiguration, type ConfigurationParts } from '../configuration/index.js';
import type { Handler } from '../http/index.js';
import { CookieGuard, type Security } from '../security/index.js';

type Given = Omit<ConfigurationParts, 'config' | 'sessions' | 'countAttempt' | 'isForeign' | 'packs'>;

/** Its handler; undefined: `configservlet.enabled` turns it off. */
export async function openConfiguration(
  config: Config,
  { security, ...parts }: Given & { readonly security: Security },
): Promise<Handler | undefined> {
  if (!config.get('configservlet.enabled')) return undefined;
  // CORS rules say who may read objects; nobody else may change settings.
  const cookies = new CookieGuard({
    baseUrl: () => config.get('application.baseurl.override'),
    trustsOrigin: () => false,
  });
  const sessions = new ConfigSessions();
  // Whoever changes it: these pages, `svc config`, or the file that is read again.
  config.onChange('superuser.password', () => {
    sessions.passwordChanged();
  });
  return createConfiguration({
    ...parts,
    config,
    sessions,
    countAttempt: (address) => {
      security.loginLimiter.check(address);
    },
    isForeign: (exchange) => cookies.foreign(exchange),
    packs: () => config.get('httpservice.gzip.enabled'),
  });
}
