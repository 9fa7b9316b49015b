import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exampleConf } from '../../src/main/config/example.js';
import { Config, describeSetting, settingNames } from '../../src/main/config/index.js';
import { formatValue, parseValue, sameValue } from '../../src/main/config/values.js';
import { load, useFolder } from './support.js';

/** Names and defaults of the contract (specification, Configuration). */
const CONTRACT: Readonly<Record<string, string>> = {
  'application.instance.name': '',
  'application.instance.stage': '',
  'application.http.port': '8082',
  'application.https.port': '8083',
  'application.https.enabled': 'false',
  'application.heap.min_size': '1g',
  'application.heap.max_size': '4g',
  'files.path': 'files',
  'log.level': 'INFO',
  'initialuser.name': 'admin',
  'initialuser.password': 'admin',
  'configured.services':
    'NodeService SchemaService AgentService CronService HttpService MigrationService StorageSyncService ProcessTimerService',
  'security.passwordpolicy.maxfailedattempts': '4',
  'application.uploads.folder': '/._svc_uploads',
  'uploadservlet.maxfilesize': '1000',
  'application.migration.mode': 'apply',
  'application.scripting.js.wrapinmainfunction': 'false',
  'application.legacy.requestparameters.enabled': 'false',
  'application.title': 'Svc',
  'application.filesystem.enabled': 'false',
  'application.filesystem.indexing.enabled': 'true',
  'application.filesystem.indexing.maxsize': '10',
  'application.filesystem.unique.paths': 'true',
  'application.filesystem.checksums.default': '',
  'application.changelog.enabled': 'false',
  'application.changelog.user_centric.enabled': 'false',
  'changelog.path': 'changelog',
  'log.cypher.debug': 'false',
  'log.querytime.threshold': '3000',
  'maintenance.enabled': 'false',
  'maintenance.application.http.port': '8182',
  'maintenance.application.https.port': '8183',
  'maintenance.application.ssh.port': '8122',
  'maintenance.application.ftp.port': '8121',
  'maintenance.resource.path': '',
  'setup.token': '',
  'setup.wizard.completed': 'false',
  'superuser.password': '',
};

describe('the catalogue', () => {
  it('has the settings of the contract with their defaults', () => {
    const config = Config.of();
    const found = Object.fromEntries(settingNames.map((name) => [name, formatValue(config.get(name))]));
    expect(found).toMatchObject(CONTRACT);
    expect(settingNames).toEqual(expect.arrayContaining(['maintenance.message', 'log.functions.shortenstacktrace']));
  });

  it.each([...settingNames])('%s is well formed', (name) => {
    const setting = describeSetting(name);
    expect(name).toBe(name.toLowerCase());
    expect(setting.text).toMatch(/^[A-Z][^\n]+[^.\s]$/);
    expect(setting.group).toMatch(/^\w+\/\w/);
    const parsed = parseValue(setting, formatValue(setting.default));
    expect(parsed.ok && sameValue(parsed.value, setting.default)).toBe(true);
    if (/password$|secret$|apikey$|token$/.test(name)) expect(setting.secret).toBe(true);
  });
});

describe('svc.conf.example', () => {
  const place = useFolder();

  it('is what the catalogue says; `npm run settings:example` writes it anew', () => {
    expect(readFileSync(join(import.meta.dirname, '../../svc.conf.example'), 'utf8')).toBe(exampleConf());
  });

  it('changes nothing as a settings file, even with every setting taken out of its comment', async () => {
    const active = exampleConf().replace(/^# ([a-z][a-z0-9._]* =)/gm, '$1');
    const config = await load(place.confPath, active);
    expect(config.problems).toEqual([]);
    for (const name of settingNames) expect(config.get(name)).toEqual(describeSetting(name).default);
    expect(settingNames.filter((name) => config.source(name) === 'file')).toEqual(
      settingNames.filter((name) => describeSetting(name).hidden !== true),
    );
  });
});
