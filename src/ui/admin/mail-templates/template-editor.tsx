/** Edits one template. */
import { type ReactNode, useRef, useState } from 'react';
import { Badge, Button, Confirm, Notice, TextField, Tick } from '../../common/parts.js';
import { useLoaded, useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { CodeEditor } from '../parts/code-editor.js';
import { mailTexts } from '../texts/mail-templates.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { typedSince } from '../server/rebase.js';
import { CreateTemplate } from './create-template.js';
import { drafts } from './drafts.js';
import { Preview } from './preview.js';
import { differing, isHtml, loadTemplate, removeTemplate, saveTemplate, type Draft, type Field } from './templates.js';

interface EditorProps {
  readonly id: string;
  /** Something was written; `next`: what is shown then. */
  readonly onChanged: (next: string) => void;
  /** Whether there is something unsaved has changed. */
  readonly onDraft: () => void;
}

export function TemplateEditor(props: EditorProps): ReactNode {
  const { t } = useAreaTexts(mailTexts);
  const { id } = props;
  const { value, problem } = useLoaded(() => loadTemplate(id));
  if (problem?.status === 404) return <Notice kind="note">{t('mail.gone')}</Notice>;
  if (value === undefined) return <Trouble problem={problem} />;
  return <Editor {...props} loaded={value} />;
}

function Editor({ id, onChanged, onDraft, loaded }: EditorProps & { readonly loaded: Draft }): ReactNode {
  const { t } = useAreaTexts(mailTexts);
  const [before, setBefore] = useState(drafts.get(id)?.before ?? loaded);
  const [draft, setDraft] = useState(drafts.get(id)?.draft ?? loaded);
  const [theirs, setTheirs] = useState<{ readonly fields: readonly Field[]; readonly now: Draft }>();
  const [asking, setAsking] = useState(false);
  const [copying, setCopying] = useState(false);
  const [saved, setSaved] = useState(false);
  const work = useWork();
  const dirty = differing(before, draft).length > 0;
  const latest = useRef(draft);
  const put = (stored: Draft, next: Draft): void => {
    latest.current = next;
    setDraft(next);
    drafts.keep(id, differing(stored, next).length > 0 ? { before: stored, draft: next } : undefined);
    onDraft();
  };
  const edit = (more: Partial<Draft>): void => {
    setSaved(false);
    put(before, { ...latest.current, ...more });
  };
  const settle = (now: Draft, typed: Partial<Draft> = {}): void => {
    setBefore(now);
    put(now, { ...now, ...typed });
  };
  const save = async (): Promise<void> => {
    const { met, now } = await saveTemplate(id, before, draft);
    if (met.length > 0) {
      // What was typed is over what there is now: who has been told of it, and saves again, means it.
      settle(now, typedSince(before, latest.current));
      setTheirs({ fields: met, now });
      return;
    }
    // What was typed while it was saved stays.
    settle(now, typedSince(draft, latest.current));
    setTheirs(undefined);
    setSaved(true);
    onChanged(id);
  };
  const submit = (): void => {
    if (!work.busy && dirty && draft.name.trim() !== '') void work.run(save);
  };
  const labels: Readonly<Record<Field, string>> = {
    name: t('mail.name'),
    locale: t('mail.locale'),
    description: t('mail.description'),
    text: t('mail.text'),
    visibleToPublicUsers: t('mail.public'),
    visibleToAuthenticatedUsers: t('mail.loggedIn'),
  };
  const html = isHtml(draft);
  return (
    <section className="mail-editor" aria-labelledby="mail-title">
      <div className="row spread">
        <h2 id="mail-title" className="mail-title">
          <bdi>{before.name.slice(0, 200)}</bdi> {before.locale === '' ? null : <Badge>{before.locale}</Badge>}{' '}
          {dirty ? <Badge kind="warn">{t('mail.unsaved')}</Badge> : null}
        </h2>
        <div className="row">
          <Button kind="main" disabled={!dirty || work.busy || draft.name.trim() === ''} onClick={submit}>
            {t('app.save')}
          </Button>
          <Button
            onClick={() => {
              setCopying(true);
            }}
          >
            {t('mail.copy')}
          </Button>
          <Button
            kind="danger"
            onClick={() => {
              setAsking(true);
            }}
          >
            {t('app.delete')}
          </Button>
        </div>
      </div>
      <Trouble problem={work.problem} />
      {saved ? <Notice kind="good">{t('mail.saved')}</Notice> : null}
      {theirs === undefined ? null : (
        <div className="notice note" role="alert">
          <p>
            {t('mail.conflict', {
              fields: theirs.fields.map((field) => labels[field]).join(', '),
            })}
          </p>
          <Button
            onClick={() => {
              settle(theirs.now);
              setTheirs(undefined);
            }}
          >
            {t('mail.takeTheirs')}
          </Button>
        </div>
      )}
      {asking ? (
        <Confirm
          question={t('mail.deleteSure', { name: before.name.slice(0, 200) })}
          yes={t('app.delete')}
          no={t('app.cancel')}
          disabled={work.busy}
          onYes={() => {
            void work
              .run(() => removeTemplate(id))
              .then((went) => {
                setAsking(false);
                if (!went) return;
                drafts.keep(id, undefined);
                onChanged('');
              });
          }}
          onNo={() => {
            setAsking(false);
          }}
        />
      ) : null}
      <div className="row">
        <TextField
          label={t('mail.name')}
          value={draft.name}
          onChange={(name) => {
            edit({ name });
          }}
        />
        <TextField
          label={t('mail.locale')}
          value={draft.locale}
          onChange={(locale) => {
            edit({ locale });
          }}
        />
        <TextField
          label={t('mail.description')}
          value={draft.description}
          onChange={(description) => {
            edit({ description });
          }}
        />
      </div>
      <div className="mail-code">
        <CodeEditor
          label={t('mail.text')}
          value={draft.text}
          language={html ? 'html' : 'text'}
          onChange={(text) => {
            edit({ text });
          }}
          onGo={submit}
        />
      </div>
      <div className="row mail-flags">
        {(['visibleToPublicUsers', 'visibleToAuthenticatedUsers'] as const).map((flag) => (
          <Tick
            key={flag}
            label={labels[flag]}
            checked={draft[flag]}
            onChange={(isOn) => {
              edit({ [flag]: isOn });
            }}
          />
        ))}
        <span className="soft">{t('mail.saveHint')}</span>
      </div>
      <Preview text={draft.text} html={html} />
      {copying ? (
        <CreateTemplate
          from={draft}
          onMade={(made) => {
            setCopying(false);
            onChanged(made);
          }}
          onClose={() => {
            setCopying(false);
          }}
        />
      ) : null}
    </section>
  );
}
