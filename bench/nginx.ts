/** nginx with one worker that serves a folder, where it is installed. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.js';

const START_TIMEOUT = 10_000;

export class Nginx {
  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
  ) {}

  static get installed(): boolean {
    return spawnSync('nginx', ['-v']).status === 0;
  }

  /** `root`: the folder whose files it serves; `folder`: for its own files. */
  static async start(root: string, folder: string): Promise<Nginx> {
    await mkdir(folder, { recursive: true });
    const port = await freePort();
    const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    // As who wants speed configures it: sendfile, files kept open, no log.
    const conf = `
      daemon off; master_process off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
      events { worker_connections 1024; }
      http {
        ${own.join(' ')}
        access_log off; sendfile on; tcp_nopush on; gzip off; etag on; default_type application/octet-stream;
        keepalive_requests 100000000; open_file_cache max=1000;
        server { listen 127.0.0.1:${String(port)}; root ${root}; }
      }`;
    const file = join(folder, 'nginx.conf');
    await writeFile(file, conf);
    const child = spawn('nginx', ['-p', folder, '-c', file, '-e', join(folder, 'error.log')], { stdio: 'inherit' });
    for (const end = Date.now() + START_TIMEOUT; ; await sleep(50)) {
      const answers = await fetch(`http://127.0.0.1:${String(port)}/`).then(
        () => true,
        () => false,
      );
      if (answers) return new Nginx(port, child);
      if (child.exitCode !== null || Date.now() > end) throw new Error('nginx did not start');
    }
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async end(): Promise<void> {
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGQUIT');
    await gone;
  }
}
