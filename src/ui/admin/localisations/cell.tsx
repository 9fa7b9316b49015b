/** The text of a key in one language: shown, and edited in its place. */
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Button, Notice } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { localTexts } from '../texts/localisations.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { createEntry, findEntry, removeEntry, saveText, type Entry } from './entries.js';

/** Of keys in labels. */
const LABEL = 80;

export interface CellProps {
  readonly name: string;
  readonly domain: string;
  readonly locale: string;
  readonly entry: Entry | undefined;
  readonly onChanged: (id: string, entry: Entry | undefined) => void;
}

export function Cell(props: CellProps): ReactNode {
  const { name, locale, entry } = props;
  const { t } = useAreaTexts(localTexts);
  const [editing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const values = { locale, key: name.slice(0, LABEL) };
  /** Whether the focus comes back from the editor. */
  const back = useRef(false);
  useLayoutEffect(() => {
    if (editing || !back.current) return;
    back.current = false;
    button.current?.focus();
  }, [editing]);
  if (editing)
    return (
      <TextEditor
        {...props}
        onClose={() => {
          back.current = true;
          setEditing(false);
        }}
      />
    );
  return (
    <button
      ref={button}
      type="button"
      className={entry === undefined ? 'local-text missing' : 'local-text'}
      onClick={() => {
        setEditing(true);
      }}
    >
      <span className="hidden">{t(entry === undefined ? 'local.add' : 'local.edit', values)}: </span>
      {entry === undefined ? (
        t('local.missing')
      ) : entry.text === '' ? (
        <i>{t('local.empty')}</i>
      ) : (
        <bdi>{entry.text}</bdi>
      )}
    </button>
  );
}

function TextEditor(props: CellProps & { readonly onClose: () => void }): ReactNode {
  const { name, domain, locale, entry, onChanged, onClose } = props;
  const { t } = useAreaTexts(localTexts);
  const [text, setText] = useState(entry?.text ?? '');
  /** As somebody else has written it, and whoever edits was told. */
  const [theirs, setTheirs] = useState<Entry>();
  const { busy, problem, run } = useWork();
  const save = async (): Promise<void> => {
    const known = theirs ?? entry;
    // Somebody else may have made it.
    const made = known === undefined ? await findEntry({ name, domain, locale }) : undefined;
    if (made !== undefined && made.text !== text) {
      setTheirs(made);
      return;
    }
    const other = known === undefined ? undefined : await saveText(known, text);
    if (known !== undefined && other !== undefined) {
      setTheirs({ ...known, text: other });
      return;
    }
    const id = (known ?? made)?.id ?? (await createEntry({ name, domain, locale, text }));
    onChanged(id, { id, name, domain, locale, text });
    onClose();
  };
  return (
    <div className="local-editor">
      <textarea
        aria-label={t('local.editing', { locale, key: name.slice(0, LABEL) })}
        value={text}
        rows={Math.min(8, 1 + text.split('\n').length)}
        autoFocus
        disabled={busy}
        onChange={(event) => {
          setText(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Escape') onClose();
          if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault();
            void run(save);
          }
        }}
      />
      <p className="soft">{t('local.keys')}</p>
      {theirs === undefined ? null : (
        <Notice kind="note">{t('local.conflict', { value: theirs.text.slice(0, 200) })}</Notice>
      )}
      <Trouble problem={problem} />
      <div className="row">
        <Button disabled={busy} onClick={() => void run(save)}>
          {t('app.save')}
        </Button>
        <Button onClick={onClose}>{t('app.cancel')}</Button>
        {entry === undefined ? null : (
          <Button
            kind="danger"
            disabled={busy}
            onClick={() =>
              void run(async () => {
                await removeEntry(entry.id);
                onChanged(entry.id, undefined);
                onClose();
              })
            }
          >
            {t('local.remove')}
          </Button>
        )}
      </div>
    </div>
  );
}
