/**
 * Whether the server in this container answers: exit code 0, else 1 with a line that says why. It looks at the port of the settings in
 * the folder where it is started. Any answer but a failure (500 and more) is health; a redirect to HTTPS is one.
 */
import { Config } from '../dist/src/main/config/index.js';

const PATIENCE_MS = 8000;
const EVERYWHERE = ['', '0.0.0.0', '::', 'localhost'];

try {
  const config = await Config.load({ confPath: 'svc.conf', env: process.env });
  const host = config.get('application.host');
  const name = EVERYWHERE.includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  const url = `http://${name}:${String(config.get('application.http.port'))}/svc/`;
  const { status } = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) });
  if (status >= 500) throw new Error(`${url} answered ${String(status)}`);
} catch (error) {
  process.stdout.write(`${String(error)}\n`);
  process.exit(1);
}
