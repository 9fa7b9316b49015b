/** The editor of one piece of code, with the documentation beside it, and below it what comes of running it. */
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { Badge, Button, Confirm, Notice } from '../../common/parts.js';
import { Trouble } from '../frame/trouble.js';
import { CodeEditor, type CodeProblem } from '../parts/code-editor.js';
import { FunctionDoc, useFunctionAt } from '../parts/function-doc.js';
import { scriptCompletion } from '../parts/script-completion.js';
import { TextView } from '../parts/value-view.js';
import { remove } from '../server/rest.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { codeTexts } from '../texts/code.js';
import { keyTitle } from './code-tree.js';
import { drafts } from './drafts.js';
import { idOf, languageIn, ownerOf, titleOf, type Kind, type Piece } from './kinds.js';
import { MethodSettings } from './method-settings.js';
import { RunMethod } from './run-method.js';
import { useSource } from './use-source.js';

/** Whether the cursor is in a script of a template. */
const isInScript = (before: string): boolean => before.lastIndexOf('${') > before.lastIndexOf('}');

export function SourceView({
  kind,
  piece,
  onDeleted,
  onChanged,
}: {
  readonly kind: Kind;
  readonly piece: Piece;
  readonly onDeleted: () => void;
  /** The name or what is said of it in the tree is another one. */
  readonly onChanged: () => void;
}): ReactNode {
  const { t } = useAreaTexts(codeTexts);
  const source = useSource(kind, piece);
  const { object, text, isDirty, theirs, isGone, work } = source;
  const { found, look } = useFunctionAt();
  /** Faults of the last run, as long as the text is the one that was run. */
  const [ran, setRan] = useState<{ readonly text: string; readonly problems: readonly CodeProblem[] }>();
  const [asking, setAsking] = useState(false);
  const [revision, setRevision] = useState(0);
  const owner = object === undefined ? '' : ownerOf(object);
  const latest = useRef({ text, owner });
  latest.current = { text, owner };
  const complete = useMemo(
    () =>
      scriptCompletion(
        (before) => {
          if (kind.form === 'template') return isInScript(before) ? 'expression' : 'other';
          return latest.current.text.trimStart().startsWith('{') ? 'javascript' : 'expression';
        },
        () => latest.current.owner || undefined,
      ),
    [kind],
  );
  const problems = useMemo(
    () => [...source.problems, ...(ran?.text === text ? ran.problems : [])],
    [source.problems, ran, text],
  );
  const gone = isGone ? <Notice kind="note">{t('code.gone')}</Notice> : null;
  if (object === undefined) return gone ?? <Trouble problem={work.problem} />;
  const isMethod = piece.type === 'SchemaMethod';
  return (
    <div className="source">
      <div className="source-bar">
        <h2>
          <bdi>{titleOf(kind, object).slice(0, 200)}</bdi>
        </h2>
        {piece.key === 'source' ? null : <Badge>{t(keyTitle(piece.key))}</Badge>}
        {isMethod ? (
          <Badge>{object['isPrivate'] === true ? t('code.private') : String(object['httpVerb'])}</Badge>
        ) : null}
        {isMethod && owner !== '' && object['isStatic'] === true ? <Badge>{t('code.static')}</Badge> : null}
        {isDirty ? <Badge kind="warn">{t('code.unsaved')}</Badge> : null}
        <span className="grow" />
        <Button
          kind="main"
          disabled={!isDirty || work.busy}
          onClick={() => {
            void source.save();
          }}
        >
          {t('app.save')}
        </Button>
        {isDirty ? <Button onClick={source.takeTheirs}>{t('code.discard')}</Button> : null}
        {isMethod ? (
          <Button
            kind="danger"
            onClick={() => {
              setAsking(true);
            }}
          >
            {t('app.delete')}
          </Button>
        ) : null}
      </div>
      {gone}
      <Trouble problem={work.problem} />
      {asking ? (
        <Confirm
          question={t('code.deleteQuestion', { name: titleOf(kind, object) })}
          yes={t('app.delete')}
          no={t('app.cancel')}
          disabled={work.busy}
          onYes={() => {
            void work
              .run(() => remove(`${piece.type}/${piece.id}`))
              .then((done) => {
                if (!done) return;
                drafts.keep(idOf(piece), undefined);
                onDeleted();
              });
          }}
          onNo={() => {
            setAsking(false);
          }}
        />
      ) : null}
      {theirs === undefined ? null : (
        <div className="notice note" role="alert">
          <p>{t('code.theirs')}</p>
          <TextView text={theirs} />
          <div className="row">
            <Button kind="danger" onClick={() => void source.save(true)}>
              {t('code.replace')}
            </Button>
            <Button onClick={source.takeTheirs}>{t('code.takeTheirs')}</Button>
          </div>
        </div>
      )}
      <div className="source-main">
        <div className="source-editor">
          <CodeEditor
            key={idOf(piece)}
            label={t('code.editor', { name: titleOf(kind, object) })}
            value={text}
            language={languageIn(kind, object)}
            problems={problems}
            complete={complete}
            onChange={source.type}
            onCursor={look}
            onGo={() => {
              if (isDirty) void source.save();
            }}
          />
          {problems.map(({ line, message }) => (
            <p key={`${String(line)}${message}`} className="wrong source-problem">
              {t('code.problem', { line, message })}
            </p>
          ))}
          <p className="soft">{t('code.keys')}</p>
        </div>
        <aside className="card">
          <FunctionDoc found={found} />
        </aside>
      </div>
      {isMethod ? (
        <MethodSettings
          key={`settings ${piece.id}`}
          object={object}
          isFunction={owner === ''}
          onSaved={() => {
            source.again();
            onChanged();
            setRevision(revision + 1);
          }}
        />
      ) : null}
      {isMethod ? (
        <RunMethod
          key={`${piece.id} ${String(revision)}`}
          object={object}
          owner={owner}
          isDirty={isDirty}
          save={source.save}
          onRan={(faults) => {
            setRan({ text: latest.current.text, problems: faults });
          }}
        />
      ) : null}
    </div>
  );
}
