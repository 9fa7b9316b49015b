/** One piece of code: read, typed, checked, saved. */
import { useEffect, useRef, useState } from 'react';
import { RefusedError } from '../../common/request.js';
import { useWork, type Work } from '../../common/work.js';
import type { CodeProblem } from '../parts/code-editor.js';
import { checkSource } from '../server/console.js';
import { list, type Entity } from '../server/rest.js';
import { saveValues } from '../server/save-over.js';
import { drafts } from './drafts.js';
import { idOf, nameOf, ownerOf, type Kind, type Piece } from './kinds.js';

/** Until somebody has ended typing, in ms. */
const PAUSE_MS = 500;
/** Methods that the service calls (docs/interface/scripting.md 6.5): their JavaScript answers by its last expression (3.1). */
const LIFECYCLE =
  /^(?:on(?:NodeCreation|Create|Creation|Save|Modification|Delete|Upload|Download)|after(?:Create|Creation|Save|Modification|Delete))/;

export interface Source {
  readonly object: Entity | undefined;
  readonly text: string;
  readonly isDirty: boolean;
  /** What somebody else has saved meanwhile, where it stands in the way. */
  readonly theirs: string | undefined;
  readonly problems: readonly CodeProblem[];
  /** It is not there any more; what was typed is, as long as there is an `object`. */
  readonly isGone: boolean;
  readonly work: Work;
  readonly type: (text: string) => void;
  /** Saves; true: it is saved. `over`: what somebody else has saved is replaced. */
  readonly save: (over?: boolean) => Promise<boolean>;
  /** Reads again what is known of the object; what was typed stays. */
  readonly again: () => void;
  /** Takes what is saved in the place of what was typed. */
  readonly takeTheirs: () => void;
}

const propertiesOf = ({ key, names }: Kind): readonly string[] => [
  ...['id', 'type', 'name', key, 'contentType', 'lastModifiedDate'],
  ...names,
  ...(key === 'source' ? ['isStatic', 'isPrivate', 'httpVerb', 'wrapJsInMain'] : []),
  ...(key === 'readFunction' ? ['readFunctionWrapJS'] : []),
  ...(key === 'writeFunction' ? ['writeFunctionWrapJS'] : []),
];

async function load(kind: Kind, id: string): Promise<Entity | undefined> {
  return (await list(kind.type, { id }, { properties: propertiesOf(kind) })).result[0];
}

function isWrapped(object: Entity): boolean {
  if (object['httpVerb'] !== undefined && ownerOf(object) !== '' && LIFECYCLE.test(object.name ?? '')) return false;
  return ![object['wrapJsInMain'], object['readFunctionWrapJS'], object['writeFunctionWrapJS']].includes(false);
}

export function useSource(kind: Kind, piece: Piece): Source {
  const place = idOf(piece);
  const [object, setObject] = useState<Entity>();
  const [isGone, setIsGone] = useState(false);
  const [base, setBase] = useState('');
  const [text, setText] = useState('');
  const latest = useRef(text);
  const show = (next: string): void => {
    latest.current = next;
    setText(next);
  };
  const [theirs, setTheirs] = useState<string>();
  const [problems, setProblems] = useState<readonly CodeProblem[]>([]);
  const work = useWork();
  const take = (found: Entity): void => {
    const source = nameOf(found[piece.key]);
    setObject(found);
    setBase(source);
    show(source);
    setTheirs(undefined);
    drafts.keep(place, undefined);
  };
  useEffect(() => {
    void work.run(async () => {
      const found = await load(kind, piece.id);
      setIsGone(found === undefined);
      if (found === undefined) return;
      const draft = drafts.get(place);
      if (draft === undefined) take(found);
      else {
        setObject(found);
        setBase(draft.base);
        show(draft.text);
      }
    });
  }, [place]);
  useEffect(() => {
    if (kind.form !== 'script' || object === undefined) return;
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      checkSource(text, isWrapped(object), aborter.signal).then(
        (problem) => {
          setProblems(problem === null ? [] : [{ line: problem.row, message: problem.message }]);
        },
        // Who may not check may still write.
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [text, object, kind]);
  /** Who has it open keeps what stands there, although it is gone. */
  const lookAgain = async (): Promise<void> => {
    const found = await load(kind, piece.id);
    setIsGone(found === undefined);
    if (found !== undefined) setObject(found);
  };
  return {
    object,
    text,
    isDirty: text !== base,
    theirs,
    problems,
    isGone,
    work,
    type(next) {
      show(next);
      if (object !== undefined) drafts.keep(place, next === base ? undefined : { base, text: next });
    },
    save: (over = false) => {
      let saved = false;
      return work
        .run(async () => {
          const { met } = await saveValues({
            path: `${piece.type}/${piece.id}`,
            // Who replaces what was shown may still be told of something newer.
            base: { [piece.key]: over ? theirs : base },
            changed: { [piece.key]: text },
            properties: propertiesOf(kind),
          }).catch((error: unknown) => {
            setIsGone(error instanceof RefusedError && error.status === 404);
            throw error;
          });
          if (met[0] !== undefined) {
            setTheirs(nameOf(met[0].theirs));
            return;
          }
          setBase(text);
          setTheirs(undefined);
          // What was typed while it was saved stays.
          drafts.keep(place, latest.current === text ? undefined : { base: text, text: latest.current });
          saved = true;
          await lookAgain();
        })
        .then(() => saved);
    },
    again() {
      void work.run(lookAgain);
    },
    takeTheirs() {
      void work.run(async () => {
        const found = await load(kind, piece.id);
        setIsGone(found === undefined);
        if (found !== undefined) take(found);
        else {
          setObject(undefined);
          drafts.keep(place, undefined);
        }
      });
    },
  };
}
