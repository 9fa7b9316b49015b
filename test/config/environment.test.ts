import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromEnvironmentName, settingNames, toEnvironmentName } from '../../src/main/config/index.js';
import { load, problemsOf, useFolder } from './support.js';

describe('names of variables', () => {
  it('follow the rule of the contract', () => {
    expect(toEnvironmentName('application.heap.min_size')).toBe('SVC_application_heap_min__size');
    expect(fromEnvironmentName('SVC_application_heap_min__size')).toBe('application.heap.min_size');
    expect(fromEnvironmentName('SVC_setup_token')).toBe('setup.token');
  });

  it.each(['PATH', 'svc_application_title', 'SVC_', 'XSVC_a', 'SVC'])('%s is none', (variable) => {
    expect(fromEnvironmentName(variable)).toBeUndefined();
  });

  it('come back for every setting of the catalogue', () => {
    for (const name of settingNames) expect(fromEnvironmentName(toEnvironmentName(name))).toBe(name);
  });

  it('come back for every name without an underscore beside a dot', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9-]{1,6}$/);
    const separator = fc.oneof(fc.constant('.'), fc.stringMatching(/^_{1,4}$/));
    const name = fc
      .tuple(word, fc.array(fc.tuple(separator, word), { maxLength: 6 }))
      .map(([first, rest]) => first + rest.map(([s, w]) => s + w).join(''));
    fc.assert(
      fc.property(name, (text) => {
        expect(fromEnvironmentName(toEnvironmentName(text))).toBe(text);
      }),
    );
  });

  it('come back the other way round for every variable', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_]{1,20}$/), (text) => {
        const name = fromEnvironmentName(`SVC_${text}`);
        expect(name === undefined ? undefined : toEnvironmentName(name)).toBe(`SVC_${text}`);
      }),
    );
  });
});

describe('variables', () => {
  const place = useFolder();

  it('go before the file', async () => {
    const config = await load(place.confPath, 'application.http.port = 9000\nlog.level = WARN\n', {
      SVC_application_http_port: '9100',
      SVC_APPLICATION_TITLE: 'Any case',
    });
    expect(config.get('application.http.port')).toBe(9100);
    expect(config.source('application.http.port')).toBe('environment');
    expect(config.get('application.title')).toBe('Any case');
    expect(config.source('log.level')).toBe('file');
    expect(config.source('json.indentation')).toBe('default');
  });

  it('that are empty count as not set', async () => {
    const config = await load(place.confPath, 'application.http.port = 9000\n', { SVC_application_http_port: '' });
    expect(config.get('application.http.port')).toBe(9000);
  });

  it('without a setting are told, and kept as dynamic ones', async () => {
    const config = await load(place.confPath, 'my.own = file\n', {
      SVC_my_own: 'env',
      SVC_other: '1',
    });
    expect(config.problems.filter((problem) => problem.kind === 'unknown_variable').map((p) => p.message)).toEqual([
      "environment variable SVC_my_own: there is no setting 'my.own'",
      "environment variable SVC_other: there is no setting 'other'",
    ]);
    expect(Object.fromEntries(config.dynamic())).toEqual({ 'my.own': 'env', other: '1' });
  });

  it('with a bad value stop the start, named', async () => {
    const problems = await problemsOf(() => load(place.confPath, '', { SVC_application_http_port: 'many' }));
    expect(problems.map((problem) => problem.message)).toEqual([
      "environment variable SVC_application_http_port: 'application.http.port': 'many' is not a whole number",
    ]);
  });

  it('of the time zone is the setting, and wins over the one that is named after it', async () => {
    const config = await load(place.confPath, 'application.timezone = Europe/Berlin\n', {
      SVC_application_timezone: 'America/Lima',
      SVC_TIMEZONE: 'Asia/Tokyo',
    });
    expect([config.get('application.timezone'), config.source('application.timezone')]).toEqual([
      'Asia/Tokyo',
      'environment',
    ]);
    expect(config.problems.map((problem) => problem.message)).toEqual([
      "environment variable SVC_application_timezone: 'application.timezone' is set by another variable already",
    ]);
    const problems = await problemsOf(() => load(place.confPath, '', { SVC_TIMEZONE: 'Mars/Olympus' }));
    expect(problems.map((problem) => problem.message)).toEqual([
      "environment variable SVC_TIMEZONE: 'application.timezone': 'Mars/Olympus': there is no such time zone",
    ]);
  });

  it('that name one setting twice: the first counts', async () => {
    const config = await load(place.confPath, '', { SVC_log_level: 'WARN', SVC_LOG_LEVEL: 'ERROR' });
    expect(config.get('log.level')).toBe('WARN');
    expect(config.problems.map((problem) => problem.kind)).toEqual(['duplicate']);
  });
});
