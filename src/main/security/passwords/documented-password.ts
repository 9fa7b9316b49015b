/**
 * The first administrator gets a password that is in the documentation. As long as he keeps it the log says so at every
 * start and once an hour, and the answers to him carry a header. Checked once, at start; forgotten when he changes it.
 */
import type { Cluster } from '../../cluster/index.js';
import type { Graph } from '../../graph/index.js';
import { PreparedHeaders } from '../../http/index.js';
import { logger } from '../../../shared/log.js';
import { textOf, verifyPassword } from '../../schema/index.js';
import type { Principals } from '../principals.js';

const log = logger('security');
/** The initial password of the first administrator, which is in the documentation. */
export const DOCUMENTED = 'admin';
const INTERVAL = 3_600_000;

/** Header of the answers to a user with the documented password. */
export const NOTICE_HEADER = 'X-Svc-Notice';
const NOTICE = new PreparedHeaders({ [NOTICE_HEADER]: 'This user has the documented initial password: change it' });

export class DocumentedPassword {
  /** The user who has it, and the hash of it. */
  #found: { readonly id: string; readonly stored: string } | undefined;

  private constructor(
    private readonly graph: Graph,
    private readonly name: string,
  ) {}

  /** `name`: `initialuser.name` */
  static async check(graph: Graph, principals: Principals, name: string): Promise<DocumentedPassword> {
    const own = new DocumentedPassword(graph, name);
    for (const user of await principals.find(['name'], name)) {
      const stored = textOf(user, 'password');
      if (stored === undefined || !(await verifyPassword(stored, DOCUMENTED, textOf(user, 'salt')))) continue;
      own.#found = { id: user.id, stored };
      break;
    }
    principals.onChange((id) => {
      own.#look(id);
    });
    // He may have changed since he was read.
    own.#look(undefined);
    return own;
  }

  /** Whether somebody still has it. */
  get inUse(): boolean {
    return this.#found !== undefined;
  }

  /** What answers to this user say, in `NOTICE_HEADER`; undefined: nothing. */
  noticeFor(userId: string | undefined): PreparedHeaders | undefined {
    return this.#found !== undefined && this.#found.id === userId ? NOTICE : undefined;
  }

  /** Has the coordinator repeat the warning. */
  remind(cluster: Cluster): void {
    cluster.repeat(INTERVAL, 'it could not be said that the documented password is in use', () => {
      this.warn();
    });
  }

  /** Says in the log that somebody still has it. */
  warn(): void {
    if (this.#found === undefined) return;
    log.warn(
      `the administrator '${this.name}' still has the documented initial password: change it, for example by 'svc user passwd ${this.name}'`,
    );
  }

  #look(id: string | undefined): void {
    const found = this.#found;
    if (found === undefined || (id !== undefined && id !== found.id)) return;
    this.graph
      .read((tx) => tx.node(found.id))
      .then((node) => {
        if (textOf(node, 'password') !== found.stored && this.#found === found) this.#found = undefined;
      })
      .catch((error: unknown) => {
        log.warn('it could not be checked whether the documented initial password was changed', error);
      });
  }
}
