/** What the journal gets of a transaction: all that the changelog tells of it (docs/interface/changelog.md 3). */
import type { Config } from '../../config/index.js';
import type { Ending, StoredValue } from '../../graph/index.js';
import {
  explained,
  isLogged,
  loggedName,
  SUPERUSER_ID,
  SYSTEM,
  type ExplainedChange,
  type Type,
} from '../../schema/index.js';
import type { SchemaService } from '../../schema/index.js';
import { changeText, headText, inPieces, linkText, nodeText } from './files/record.js';

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
    const changes = this.#changes(ending, ofObjects);
    const first = changes.next();
    if (first.done === true) return;
    this.#written = true;
    const head = headText({ time: this.#last, userId, userName, ofUser });
    yield* inPieces(
      (function* () {
        yield head + first.value;
        yield* changes;
      })(),
    );
  }

  *#changes(ending: Ending, ofObjects: boolean): IterableIterator<string> {
    const schema = this.schemas.latest;
    // Of a relationship that comes or goes two more files tell: those of its ends, unless they are of types that have none.
    const typeOfNode = typesOfNodes(ending);
    const hasOwn = (type: Type | undefined): boolean => ofObjects && type?.changelogDisabled !== true;
    const ofEnd = (id: string): boolean => {
      const name = typeOfNode(id);
      return hasOwn(name === undefined ? undefined : schema.typeOf({ kind: 'node', type: name }));
    };
    let last = '';
    for (const change of explained(ending, schema).changes) {
      const type = schema.typeOf(change);
      if (!isLogged(type)) continue;
      const { verb, kind, id } = change;
      const own = hasOwn(type);
      if (verb === 'create' || verb === 'delete') yield nodeText(verb, id, change.type, own);
      else if (verb !== 'change') {
        const { sourceId = '', targetId = '' } = change;
        const [atSource, atTarget] = [ofEnd(sourceId), ofEnd(targetId)];
        yield linkText(verb, { rel: change.type, id, sourceId, targetId, own, atSource, atTarget });
      }
      if (verb !== 'change') last = id;
      // What goes is told by itself.
      if (verb === 'delete' || verb === 'unlink') continue;
      let text = '';
      for (const [key, previous, value] of valuesOf(change)) {
        const name = loggedName(type, key);
        if (name === undefined) continue;
        text += changeText(kind === 'node' ? 'n' : 'r', own, id === last ? undefined : id, name, previous, value);
        last = id;
      }
      if (text !== '') yield text;
    }
  }
}

function* valuesOf({
  before,
  after,
  verb,
}: ExplainedChange): IterableIterator<[key: string, previous: StoredValue | null, value: StoredValue | null]> {
  for (const [key, value] of Object.entries(after)) yield [key, before[key] ?? null, value];
  if (verb !== 'change') return;
  for (const [key, previous] of Object.entries(before)) if (!(key in after)) yield [key, previous, null];
}

/** Types of nodes that a transaction has written, by their ids. */
function typesOfNodes({ changes }: Ending): (id: string) => string | undefined {
  let types: Map<string, string> | undefined;
  return (id) => {
    if (types === undefined) {
      types = new Map();
      for (const { entity } of changes) if (entity.kind === 'node') types.set(entity.id, entity.type);
    }
    return types.get(id);
  };
}
