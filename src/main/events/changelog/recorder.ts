/** What the journal gets of a transaction: all that the changelog tells of it (docs/interface/changelog.md 3). */
import type { Config } from '../../config/index.js';
import type { Ending } from '../../graph/index.js';
import {
  explained,
  hasOwnLog,
  isLogged,
  loggedName,
  SUPERUSER_ID,
  SYSTEM,
  type ExplainedChange,
  type Schema,
  type SchemaService,
  type Type,
} from '../../schema/index.js';
import { changeText, headText, linkText, nodeText, PieceWriter } from './files/record.js';

const NOBODY = 'anonymous';
/** What comes through these doors without a user is the service's own work. */
const OWN_DOORS: ReadonlySet<string> = new Set(['system', 'job', 'command']);

export class ChangelogRecorder {
  /** Time of the last record: those of one instance have the order of their times, also when its clock is put back. */
  #last = 0;
  #written = false;
  readonly #ofObjects: () => boolean;
  readonly #ofUsers: () => boolean;

  constructor(
    config: Config,
    private readonly schemas: Pick<SchemaService, 'latest'>,
  ) {
    this.#ofObjects = () => config.get('application.changelog.enabled');
    this.#ofUsers = () => config.get('application.changelog.user_centric.enabled');
  }

  /** Whether a transaction was written down since this was asked last; it may have failed since. */
  hasWritten(): boolean {
    const has = this.#written;
    this.#written = false;
    return has;
  }

  /** Records are later than this. */
  notBefore(time: number): void {
    this.#last = Math.max(this.#last, time);
  }

  /** The writer of the journal. */
  readonly write = (ending: Ending): Iterable<string> => {
    const { door, userId } = ending.origin;
    // What an import of an application or its data writes is what another place has written (docs/interface/changelog.md 3).
    if (door === 'deployment') return [];
    const ofObjects = this.#ofObjects();
    const ofUser = this.#ofUsers() && (userId !== undefined || OWN_DOORS.has(door));
    if (!ofObjects && !ofUser) return [];
    return this.#pieces(ending, ofObjects, ofUser);
  };

  *#pieces(ending: Ending, ofObjects: boolean, ofUser: boolean): IterableIterator<string> {
    const { origin, time } = ending;
    this.#last = Math.max(this.#last, time);
    const itself = origin.userId === undefined && OWN_DOORS.has(origin.door);
    const userId = origin.userId ?? (itself ? SUPERUSER_ID : NOBODY);
    const userName = origin.userName ?? (itself ? SYSTEM.name : origin.userId === undefined ? NOBODY : '');
    const pieces = new PieceWriter(headText({ time: this.#last, userId, userName, ofUser }));
    const texts = new ChangeTexts(ending, this.schemas.latest, ofObjects);
    for (const change of texts) {
      if (change === '') continue;
      this.#written = true;
      yield* pieces.add(change);
    }
    const rest = pieces.end();
    if (rest !== undefined) yield rest;
  }
}

/** The texts of a transaction's changes. */
class ChangeTexts {
  /** Of whom the line before tells. */
  #last = '';
  #types: Map<string, string> | undefined;

  constructor(
    private readonly ending: Ending,
    private readonly schema: Schema,
    private readonly ofObjects: boolean,
  ) {}

  *[Symbol.iterator](): IterableIterator<string> {
    for (const change of explained(this.ending, this.schema).changes) yield this.#text(change);
  }

  #text(change: ExplainedChange): string {
    const { verb, id } = change;
    const type = this.schema.typeOf(change);
    if (!isLogged(type)) return '';
    const own = this.#hasOwn(type) && hasOwnLog(type);
    let text = '';
    if (verb === 'create' || verb === 'delete') text = nodeText(verb, id, change.type, own);
    else if (verb !== 'change') text = this.#link(change, verb, type, own);
    if (verb !== 'change') this.#last = id;
    // What goes is told by itself.
    if (verb === 'delete' || verb === 'unlink') return text;
    const { after, before } = change;
    for (const key of Object.keys(after)) text += this.#value(change, type, own, key);
    if (verb !== 'change') return text;
    for (const key of Object.keys(before)) if (!(key in after)) text += this.#value(change, type, own, key);
    return text;
  }

  #value({ kind, id, before, after }: ExplainedChange, type: Type, own: boolean, key: string): string {
    const name = loggedName(type, key);
    if (name === undefined) return '';
    const whose = id === this.#last ? undefined : id;
    this.#last = id;
    return changeText(kind === 'node' ? 'n' : 'r', own, whose, name, before[key] ?? null, after[key] ?? null);
  }

  #link(change: ExplainedChange, verb: 'link' | 'unlink', type: Type, own: boolean): string {
    const { id, type: rel, sourceId = '', targetId = '' } = change;
    const { relation } = type;
    return linkText(verb, {
      rel,
      id,
      sourceId,
      targetId,
      own,
      atSource: this.#hasOwn(this.#typeOfEnd(sourceId, relation?.source)),
      atTarget: this.#hasOwn(this.#typeOfEnd(targetId, relation?.target)),
    });
  }

  #hasOwn(type: Type | undefined): boolean {
    return this.ofObjects && type?.changelogDisabled !== true;
  }

  /** Of a node that the transaction has not written, what the relation says is known. */
  #typeOfEnd(id: string, declared: string | undefined): Type | undefined {
    if (this.#types === undefined) {
      this.#types = new Map();
      for (const { entity } of this.ending.changes) if (entity.kind === 'node') this.#types.set(entity.id, entity.type);
    }
    const type = this.#types.get(id) ?? declared;
    return type === undefined ? undefined : this.schema.typeOf({ kind: 'node', type });
  }
}
