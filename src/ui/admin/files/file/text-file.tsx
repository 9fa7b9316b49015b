/** Edits the text of a file. It is saved only while the file has the content that was read; what somebody else has written meanwhile is shown. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button, Notice } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { CodeEditor } from '../../parts/code-editor.js';
import { languageOf } from '../../parts/code-languages.js';
import { KeptDrafts } from '../../parts/kept-drafts.js';
import { saveOver } from '../../server/save-over.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { readText, writeContent, type Entry, type TextContent } from '../tree-server.js';

/** Larger texts are for other programs. */
const LARGEST_TEXT = 4 * 1024 * 1024;

/** What was typed and not saved, by the id of the file: it outlives a look at something else. */
const drafts = new KeptDrafts<{ readonly read: TextContent; readonly text: string }>();

/** The editor has lines; how they end is a matter of the file. */
const linesOf = (text: string): string => text.replaceAll(/\r\n?/g, '\n');
const endedLike = (text: string, read: string): string =>
  read.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;

export function TextFile({ entry, onSaved }: { readonly entry: Entry; readonly onSaved: () => void }): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const { id, name, size = 0, contentType } = entry;
  const tooLarge = size > LARGEST_TEXT;
  const [read, setRead] = useState(drafts.get(id)?.read);
  const [text, setText] = useState(drafts.get(id)?.text ?? '');
  const [theirs, setTheirs] = useState<TextContent>();
  const [saved, setSaved] = useState(false);
  const { busy, problem, run } = useWork();
  useEffect(() => {
    if (read !== undefined || tooLarge) return;
    void run(async () => {
      const found = await readText(id);
      setRead(found);
      setText(linesOf(found.text));
    });
  }, []);
  useEffect(() => {
    drafts.keep(id, read === undefined || text === linesOf(read.text) ? undefined : { read, text });
  }, [id, read, text]);
  if (tooLarge) return <p className="soft">{t('tooLargeText')}</p>;
  if (read === undefined) return <Trouble problem={problem} />;
  const dirty = text !== linesOf(read.text);
  const write = async (over: TextContent): Promise<void> => {
    setSaved(false);
    const content = endedLike(text, read.text);
    const { met, seen } = await saveOver<TextContent, 'text'>(over, {
      look: () => readText(id),
      met: (now, before) => (now.text === before.text || now.text === content ? [] : ['text']),
      write: ({ tag }) => writeContent(id, new Blob([content]), tag),
      looksFirst: false,
    });
    if (met.length > 0) {
      setTheirs(seen);
      return;
    }
    const now = await readText(id);
    if (now.text === content) {
      setRead(now);
      setTheirs(undefined);
      setSaved(true);
    } else setTheirs(now);
    onSaved();
  };
  const save = (over: TextContent): void => {
    if (!busy && read.isUtf8) void run(() => write(over));
  };
  return (
    <div className="text-file">
      <div className="bar">
        <Button
          kind="main"
          disabled={busy || !dirty || !read.isUtf8}
          onClick={() => {
            save(read);
          }}
        >
          {t('app.save')}
        </Button>
        <span className="soft" role="status">
          {dirty ? t('unsaved') : saved ? t('saved') : ''}
        </span>
      </div>
      <Trouble problem={problem} />
      {read.isUtf8 ? null : <Notice kind="note">{t('notUtf8')}</Notice>}
      {theirs === undefined ? null : (
        <section className="notice note" role="alert">
          <p>{t('changedMeanwhile')}</p>
          <div className="theirs">
            <CodeEditor label={t('theirs')} value={linesOf(theirs.text)} language={languageOf(contentType)} readOnly />
          </div>
          <div className="row">
            <Button
              onClick={() => {
                save(theirs);
              }}
            >
              {t('saveMine')}
            </Button>
            <Button
              onClick={() => {
                setRead(theirs);
                setText(linesOf(theirs.text));
                setTheirs(undefined);
              }}
            >
              {t('takeTheirs')}
            </Button>
          </div>
        </section>
      )}
      <div className="text-editor">
        <CodeEditor
          label={t('textOf', { name: name.slice(0, 200) })}
          value={text}
          onChange={(next) => {
            setText(next);
            setSaved(false);
          }}
          language={languageOf(contentType)}
          readOnly={!read.isUtf8}
          onGo={() => {
            if (dirty) save(read);
          }}
        />
      </div>
    </div>
  );
}
