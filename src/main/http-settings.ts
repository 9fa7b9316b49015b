/** The settings of the HTTP server, in the form it takes them. */
import { logger } from '../shared/log.js';
import type { Config } from './config/index.js';
import { parseHeaderList, type HttpPolicyOptions, type HttpServer } from './http/index.js';

const log = logger('http');

/** Settings `httpPolicy` reads. */
const POLICY = [
  'htmlservlet.customresponseheaders',
  'httpservice.hsts.maxage',
  'httpservice.cookies.httponly',
  'httpservice.cookies.samesite',
  'httpservice.cookies.secure',
  'httpservice.trustedproxies',
] as const;

/** What may change while the server runs; `own` headers are the server's, whatever the settings say. */
export function httpPolicy(config: Config, own: Readonly<Record<string, string>>): HttpPolicyOptions {
  const { headers, problems } = parseHeaderList(config.get('htmlservlet.customresponseheaders'));
  for (const problem of problems) log.warn(`htmlservlet.customresponseheaders: ${problem}`);
  return {
    responseHeaders: { ...headers, ...own },
    hstsMaxAge: config.get('httpservice.hsts.maxage'),
    cookies: {
      httpOnly: config.get('httpservice.cookies.httponly'),
      sameSite: config.get('httpservice.cookies.samesite'),
      secure: config.get('httpservice.cookies.secure'),
    },
    trustedProxies: config.get('httpservice.trustedproxies'),
  };
}

/** Lets changed settings hold from the next response on. */
export function followPolicy(config: Config, server: HttpServer, own: Readonly<Record<string, string>>): void {
  let planned = false;
  for (const name of POLICY) {
    config.onChange(name, () => {
      // One reload may change several of them.
      if (planned) return;
      planned = true;
      queueMicrotask(() => {
        planned = false;
        server.reconfigure(httpPolicy(config, own));
      });
    });
  }
}
