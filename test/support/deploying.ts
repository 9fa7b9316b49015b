/** A server whose application is exported and imported by tests, and a folder for that. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Answer, Client } from './client.js';
import { treeOf, writeTree } from './export-tree.js';
import { TestServer } from './server.js';

export class Deploying {
  #count = 0;

  private constructor(
    readonly server: TestServer,
    readonly folder: string,
  ) {}

  static async start(): Promise<Deploying> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-deploy-'));
    return new Deploying(await TestServer.start(), folder);
  }

  get admin(): Client {
    return this.server.admin;
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The path of one that is not there yet. */
  newFolder(): string {
    return join(this.folder, String(++this.#count));
  }

  deploy(body: unknown, client = this.admin): Promise<Answer> {
    return client.post('/maintenance/deploy', body);
  }

  /** The files of an export. */
  async exported(target = this.newFolder()): Promise<Record<string, string>> {
    const answer = await this.deploy({ mode: 'export', target });
    expect([answer.status, answer.body?.result ?? answer.text]).toEqual([200, []]);
    return treeOf(target);
  }

  /** Imports files: texts as they are, everything else as JSON. */
  async imported(files: Readonly<Record<string, unknown>>, more: object = {}): Promise<Answer> {
    const source = this.newFolder();
    await writeTree(source, files);
    return this.deploy({ mode: 'import', source, ...more });
  }
}

/** An id of one digit. */
export const id = (digit: string): string => digit.repeat(32);
