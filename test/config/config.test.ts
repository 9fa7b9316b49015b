import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Config, ConfigError } from '../../src/main/config/index.js';
import { load, problemsOf, useFolder } from './support.js';

const place = useFolder();
const root = process.getuid?.() === 0;
/** Mounting needs rights that most containers do not give. */
const mayMount = root && process.platform === 'linux' && canMount();
const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'svc-mount-'));
  const [from, to] = [join(folder, 'a'), join(folder, 'b')];
  try {
    writeFileSync(from, '');
    writeFileSync(to, '');
    execFileSync('mount', ['--bind', from, to], { stdio: 'ignore' });
    execFileSync('umount', [to], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('the first start', () => {
  it('writes a file with a generated superuser password and nothing else', async () => {
    const config = await Config.load({ confPath: place.confPath, env: {} });
    const text = await readFile(place.confPath, 'utf8');
    expect(text).toMatch(/^superuser\.password = [\w-]{24}\n$/);
    expect(await mode(place.confPath)).toBe(0o600);
    expect(config.get('superuser.password')).toBe(text.slice('superuser.password = '.length).trim());
    expect(config.created).toBe(true);
    expect(config.problems).toEqual([]);
    expect(await readdir(place.folder)).toEqual(['svc.conf']);
    const again = await Config.load({ confPath: place.confPath, env: {} });
    expect(again.created).toBe(false);
    expect(again.get('superuser.password')).toBe(config.get('superuser.password'));
  });

  it('makes a new password each time', async () => {
    const first = await Config.load({ confPath: join(place.folder, 'a.conf'), env: {} });
    const second = await Config.load({ confPath: join(place.folder, 'b.conf'), env: {} });
    expect(first.get('superuser.password')).not.toBe(second.get('superuser.password'));
  });

  it('writes nothing where the environment has the password', async () => {
    const config = await Config.load({ confPath: place.confPath, env: { SVC_superuser_password: 'given' } });
    expect(config.get('superuser.password')).toBe('given');
    expect(await readdir(place.folder)).toEqual([]);
  });

  it('says when the file cannot be written', async () => {
    const confPath = join(place.folder, 'missing', 'svc.conf');
    const problems = await problemsOf(() => Config.load({ confPath, env: {} }));
    expect(problems).toEqual([{ kind: 'unwritable', message: expect.stringContaining(confPath) as string }]);
  });

  it('says when the path is a folder', async () => {
    const problems = await problemsOf(() => Config.load({ confPath: place.folder, env: {} }));
    expect(problems.map((problem) => problem.kind)).toEqual(['unreadable']);
  });
});

describe('reading', () => {
  it('takes types from the catalogue and names in any case', async () => {
    const config = await load(
      place.confPath,
      'Application.HTTP.port = 9000\njson.indentation=FALSE\nlog.level: debug\nconfigured.services = A, B  C\n',
    );
    const port: number = config.get('application.http.port');
    const indent: boolean = config.get('json.indentation');
    const level: 'TRACE' | 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' = config.get('log.level');
    expect([port, indent, level]).toEqual([9000, false, 'DEBUG']);
    expect(config.get('configured.services')).toEqual(['A', 'B', 'C']);
  });

  it('refuses to start for bad lines and values, and names all of them with their lines', async () => {
    const text = [
      '# settings',
      'application.http.port = eighty',
      'hunter2',
      'json.indentation = yes',
      'database.driver = oracle',
      'application.http.port = 70000',
      'database.reader.threads = 65',
      'database.query.timeout = 0',
      'application.heap.max_size = lots',
      'application.timezone = Mars/Olympus',
      'log.querytime.threshold =',
      'geocoding.provider = ftp://x/{address}',
      'application.email.validation.regex = (',
    ].join('\n');
    const problems = await problemsOf(() => load(place.confPath, text));
    expect(problems.map((problem) => problem.message)).toEqual([
      "svc.conf line 2: 'application.http.port': 'eighty' is not a whole number",
      "svc.conf line 3: there is no '=' between name and value",
      "svc.conf line 4: 'json.indentation': 'yes' is not true or false",
      "svc.conf line 5: 'database.driver': 'oracle' is none of embedded, neo4j",
      "svc.conf line 7: 'database.reader.threads': '65' is more than 64",
      "svc.conf line 8: 'database.query.timeout': '0' is less than 1",
      "svc.conf line 9: 'application.heap.max_size': 'lots' is not understood; it should look like 512m or 4g",
      "svc.conf line 10: 'application.timezone': 'Mars/Olympus': there is no such time zone",
      "svc.conf line 11: 'log.querytime.threshold': '' is not a whole number",
      "svc.conf line 12: 'geocoding.provider': 'ftp://x/{address}': it is no http or https URL",
      "svc.conf line 13: 'application.email.validation.regex': '(': it is no regular expression",
    ]);
  });

  it('goes on with an unknown name, which keeps its case, and says so without its value', async () => {
    const config = await load(place.confPath, '\nmy.Own = s3cret\n__proto__ = x\n');
    expect(config.problems).toEqual([
      { kind: 'unknown_setting', message: "svc.conf line 2: there is no setting 'my.Own'", name: 'my.Own', line: 2 },
      {
        kind: 'unknown_setting',
        message: "svc.conf line 3: there is no setting '__proto__'",
        name: '__proto__',
        line: 3,
      },
    ]);
    expect([...config.dynamic()]).toEqual([
      ['my.Own', 's3cret'],
      ['__proto__', 'x'],
    ]);
  });

  it('says when the file can be read by others', async () => {
    await writeFile(place.confPath, 'superuser.password = x\n');
    await chmod(place.confPath, 0o644);
    const config = await Config.load({ confPath: place.confPath, env: {} });
    expect(config.problems.map((problem) => problem.message)).toEqual([
      'svc.conf has mode 0644, expected 0600: it holds passwords',
    ]);
  });

  it('lets the first of two entries count and says so', async () => {
    const config = await load(place.confPath, 'log.level = WARN\nLOG.LEVEL = ERROR\n');
    expect(config.get('log.level')).toBe('WARN');
    expect(config.problems.map((problem) => problem.message)).toEqual([
      "svc.conf line 2: 'log.level' was set in line 1 already; this line has no effect",
    ]);
  });

  it('says when a setting is set that nothing reads yet', async () => {
    const config = await load(
      place.confPath,
      'httpservice.dosfilter.managedattr = false\nmaintenance.enabled = false\n',
      {
        SVC_maintenance_application_ssh_port: '1',
      },
    );
    expect(config.problems.map((problem) => problem.message)).toEqual([
      "svc.conf: setting 'httpservice.dosfilter.managedattr' is set, but nothing reads it yet",
      "environment: setting 'maintenance.application.ssh.port' is set, but nothing reads it yet",
    ]);
  });

  it('takes bytes that are no UTF-8 for ISO-8859-1 and says so', async () => {
    await writeFile(place.confPath, Buffer.from('openapiservlet.server.title = Caf\u00e9\n', 'latin1'), {
      mode: 0o600,
    });
    const config = await Config.load({ confPath: place.confPath, env: {} });
    expect(config.get('openapiservlet.server.title')).toBe('Café');
    expect(config.problems.map((problem) => problem.kind)).toEqual(['encoding']);
  });

  it('reads a file with a byte order mark', async () => {
    const config = await load(place.confPath, '\ufeffopenapiservlet.server.title = x\n');
    expect(config.get('openapiservlet.server.title')).toBe('x');
    expect(config.problems).toEqual([]);
  });
});

describe('secrets', () => {
  it('are in no message', async () => {
    const text =
      'application.http.port = 1x\nsuperuser.password = hunter2\nsuperuser.password = hunter2\nhunter2\nunknown.key = hunter2\n';
    const error: unknown = await load(place.confPath, text, { SVC_x: 'hunter2' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).not.toContain('hunter2');
    const config = await load(place.confPath, 'geocoding.apikey = hunter2\nk = hunter2\nK = hunter2\n', {
      SVC_x: 'hunter2',
    });
    expect(JSON.stringify(config.problems)).not.toContain('hunter2');
    expect(JSON.stringify(config)).not.toContain('hunter2');
  });
});

describe('paths', () => {
  it('count from the folder of the settings file', async () => {
    const config = await load(place.confPath, 'files.path = ../elsewhere/files\nbase.path = /srv/svc\n');
    expect(config.path('database.path')).toBe(join(place.folder, 'db'));
    expect(config.path('files.path')).toBe(join(place.folder, '../elsewhere/files'));
    expect(config.path('base.path')).toBe('/srv/svc');
    expect(config.path('maintenance.resource.path')).toBe('');
    expect(config.folder).toBe(place.folder);
  });
});

describe('changing', () => {
  it('keeps comments, order and what it does not know; defaults and the environment stay out', async () => {
    const text = [
      '# my server',
      '',
      'OpenApiServlet.Server.Title = One \\',
      '   title',
      '! ports',
      'application.http.port = 8082',
      'my.Own = \\u00e4 # kept as it is',
      'log.level = WARN',
      'log.level = ERROR',
      'JSON.indentation = false',
      '# the end',
    ].join('\n');
    const config = await load(place.confPath, text, { SVC_log_requests: 'true' });
    config.set('json.indentation', true);
    config.set('application.instance.name', 'näme');
    config.set('database.result.softlimit', 5);
    config.set('log.requests', false);
    config.setText('another.Own', ' spaced ');
    expect(config.get('json.indentation')).toBe(true);
    await config.save();
    expect(await readFile(place.confPath, 'utf8')).toBe(
      [
        '# my server',
        '',
        'openapiservlet.server.title = One title',
        '! ports',
        'my.Own = \\u00e4 # kept as it is',
        'log.level = WARN',
        '# the end',
        'application.instance.name = näme',
        'database.result.softlimit = 5',
        'another.Own = \\u0020spaced\\u0020',
        '',
      ].join('\n'),
    );
    const again = await Config.load({ confPath: place.confPath, env: {} });
    expect(again.get('database.result.softlimit')).toBe(5);
    expect(again.dynamic().get('another.Own')).toBe(' spaced ');
  });

  it('writes what the file had changed meanwhile back untouched', async () => {
    const config = await load(place.confPath, 'log.level = WARN\n');
    config.set('openapiservlet.server.title', 'New');
    await writeFile(place.confPath, '# by hand\nlog.level = ERROR\nbad line\n');
    await config.save();
    expect(await readFile(place.confPath, 'utf8')).toBe(
      '# by hand\nlog.level = ERROR\nbad line\nopenapiservlet.server.title = New\n',
    );
    expect(await mode(place.confPath)).toBe(0o600);
  });

  it('changes an entry at its place', async () => {
    const config = await load(place.confPath, '# a\nLog.Level = WARN\n# b\nmy.Own = 1\n# c\n');
    config.set('log.level', 'ERROR');
    config.setText('my.Own', '2');
    await config.save();
    expect(await readFile(place.confPath, 'utf8')).toBe('# a\nlog.level = ERROR\n# b\nmy.Own = 2\n# c\n');
    config.reset('log.level');
    config.reset('my.Own');
    await config.save();
    expect(await readFile(place.confPath, 'utf8')).toBe('# a\n# b\n# c\n');
  });

  it('always writes the superuser password, and reset takes it out', async () => {
    const config = await load(place.confPath, 'superuser.password = a\nlog.level = INFO\n');
    await config.save();
    expect(await readFile(place.confPath, 'utf8')).toBe('superuser.password = a\n');
    config.set('superuser.password', 'b\\ =# ');
    await config.save();
    expect(await readFile(place.confPath, 'utf8')).toBe('superuser.password = b\\\\ =#\\u0020\n');
    expect((await Config.load({ confPath: place.confPath, env: {} })).get('superuser.password')).toBe('b\\ =# ');
    config.reset('superuser.password');
    await config.save();
    expect(await readFile(place.confPath, 'utf8')).toBe('');
  });

  it('changes the file value under an environment value, which still counts', async () => {
    const config = await load(place.confPath, '', { SVC_application_http_port: '9000' });
    let calls = 0;
    config.onChange('application.http.port', () => calls++);
    config.set('application.http.port', 9500);
    await config.save();
    expect(config.get('application.http.port')).toBe(9000);
    expect(calls).toBe(0);
    expect(await readFile(place.confPath, 'utf8')).toBe('application.http.port = 9500\n');
  });

  it('refuses a value the setting cannot have', async () => {
    const config = await load(place.confPath, '');
    expect(() => {
      config.set('application.http.port', 70_000);
    }).toThrow(ConfigError);
    expect(() => {
      config.set('application.http.port', 1.5);
    }).toThrow("'1.5' is not a whole number");
    expect(() => {
      config.setText('LOG.level', 'loud');
    }).toThrow("'log.level': 'loud' is none of TRACE, DEBUG, INFO, WARN, ERROR");
    expect(config.get('application.http.port')).toBe(8082);
  });

  it('tells listeners, even when one of them fails, until they leave', async () => {
    const config = await load(place.confPath, '');
    const heard: unknown[] = [];
    const stop = config.onChange('log.level', (level, previous) => heard.push(previous, level));
    config.onChange('log.level', () => {
      throw new Error('listener');
    });
    config.onChange('log.level', (level) => heard.push(level));
    config.set('log.level', 'DEBUG');
    config.set('log.level', 'DEBUG');
    stop();
    config.reset('log.level');
    expect(heard).toEqual(['INFO', 'DEBUG', 'DEBUG', 'INFO']);
  });

  it('replaces the file as a whole, behind a link, and leaves nothing lying about', async () => {
    await mkdir(join(place.folder, 'real'));
    const real = join(place.folder, 'real', 'svc.conf');
    await writeFile(real, 'log.level = WARN\n', { mode: 0o600 });
    await symlink(real, place.confPath);
    const before = (await stat(real)).ino;
    const config = await Config.load({ confPath: place.confPath, env: {} });
    config.set('openapiservlet.server.title', 'x');
    await Promise.all([config.save(), config.save(), config.save()]);
    expect((await stat(real)).ino).not.toBe(before);
    expect(await readdir(place.folder)).toEqual(['real', 'svc.conf']);
    expect(await readdir(join(place.folder, 'real'))).toEqual(['svc.conf']);
    expect(await readFile(place.confPath, 'utf8')).toBe('log.level = WARN\nopenapiservlet.server.title = x\n');
  });

  it.skipIf(!mayMount)('writes a file that is a mount point in place', async () => {
    const real = join(place.folder, 'real.conf');
    await writeFile(real, `# ${'long '.repeat(100)}\nlog.level = WARN\n`, { mode: 0o600 });
    await writeFile(place.confPath, '');
    execFileSync('mount', ['--bind', real, place.confPath]);
    try {
      const config = await Config.load({ confPath: place.confPath, env: {} });
      config.set('log.level', 'DEBUG');
      await config.save();
    } finally {
      execFileSync('umount', [place.confPath]);
    }
    expect(await readFile(real, 'utf8')).toBe(`# ${'long '.repeat(100)}\nlog.level = DEBUG\n`);
    expect((await readdir(place.folder)).sort()).toEqual(['real.conf', 'svc.conf']);
  });

  it.skipIf(root)('says when the file cannot be replaced, and keeps the change for the next try', async () => {
    const config = await load(place.confPath, '');
    config.set('openapiservlet.server.title', 'x');
    await chmod(place.folder, 0o500);
    expect((await problemsOf(() => config.save())).map((problem) => problem.kind)).toEqual(['unwritable']);
    await chmod(place.folder, 0o700);
    await config.save();
    expect(await readFile(place.confPath, 'utf8')).toBe('openapiservlet.server.title = x\n');
  });

  it('keeps the change for the next try when the folder is gone', async () => {
    const config = await load(place.confPath, '');
    config.set('openapiservlet.server.title', 'x');
    await rm(place.folder, { recursive: true });
    expect((await problemsOf(() => config.save())).map((problem) => problem.kind)).toEqual(['unwritable']);
    await mkdir(place.folder);
    await config.save();
    expect(await readFile(place.confPath, 'utf8')).toBe('openapiservlet.server.title = x\n');
  });
});

describe('reloading', () => {
  it('takes the file as it is now and answers what changed', async () => {
    const config = await load(place.confPath, 'log.level = WARN\nopenapiservlet.server.title = a\n');
    const heard: string[] = [];
    config.onChange('log.level', (level) => heard.push(level));
    config.set('application.instance.name', 'never saved');
    await writeFile(place.confPath, 'application.http.port = 9000\nopenapiservlet.server.title = a\nx = 1\n');
    expect(await config.reload()).toEqual([
      { name: 'application.instance.name', restart: false },
      { name: 'application.http.port', restart: true },
      { name: 'log.level', restart: false },
    ]);
    expect(heard).toEqual(['INFO']);
    expect(config.get('application.instance.name')).toBe('');
    expect(config.problems.map((problem) => problem.kind)).toEqual(['unknown_setting']);
  });

  it('changes nothing when the file makes no sense or is gone', async () => {
    const config = await load(place.confPath, 'log.level = WARN\n');
    await writeFile(place.confPath, 'log.level = ERROR\napplication.http.port = x\n');
    expect((await problemsOf(() => config.reload())).map((problem) => problem.line)).toEqual([2]);
    expect(config.get('log.level')).toBe('WARN');
    await rm(place.confPath);
    expect((await problemsOf(() => config.reload())).map((problem) => problem.kind)).toEqual(['unreadable']);
    expect(config.get('log.level')).toBe('WARN');
  });
});

describe('without a file', () => {
  it('has the values it is given', () => {
    const config = Config.of({ 'application.http.port': 0, 'json.indentation': false }, '/srv');
    expect(config.get('application.http.port')).toBe(0);
    expect(config.get('json.indentation')).toBe(false);
    expect(config.get('log.level')).toBe('INFO');
    expect(config.path('database.path')).toBe('/srv/db');
  });
});
