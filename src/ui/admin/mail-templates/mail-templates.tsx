/** Mail templates: list, editor, preview (docs/interface/admin-ui.md, Mail templates). The place is `#/mail-templates/<id>`. */
import { type ReactNode, useEffect, useReducer, useState } from 'react';
import { Button, Empty } from '../../common/parts.js';
import { asRefusal, type RefusedError } from '../../common/request.js';
import { goOn, placeOf, type AreaProps } from '../frame/place.js';
import { Trouble } from '../frame/trouble.js';
import { mailTexts } from '../texts/mail-templates.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { CreateTemplate } from './create-template.js';
import { drafts } from './drafts.js';
import './mail-templates.css';
import { TemplateEditor } from './template-editor.js';
import { TemplateList } from './template-list.js';
import { loadTemplates, type Listed } from './templates.js';

/** Until somebody has ended typing, in ms. */
const PAUSE_MS = 200;

function useTemplates(text: string, pages: number, turn: number) {
  const [found, setFound] = useState<{ readonly templates: readonly Listed[]; readonly hasMore: boolean }>();
  const [problem, setProblem] = useState<RefusedError>();
  useEffect(() => {
    const aborter = new AbortController();
    const timer = setTimeout(
      () => {
        loadTemplates(text, pages, aborter.signal).then(
          (next) => {
            setFound(next);
            setProblem(undefined);
          },
          (error: unknown) => {
            if (!aborter.signal.aborted) setProblem(asRefusal(error));
          },
        );
      },
      text === '' ? 0 : PAUSE_MS,
    );
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [text, pages, turn]);
  return { found, problem };
}

export default function MailTemplates({ place }: AreaProps): ReactNode {
  const { t } = useAreaTexts(mailTexts);
  const [id = ''] = place;
  const [text, setText] = useState('');
  const [pages, setPages] = useState(1);
  const [locale, setLocale] = useState<string>();
  const [creating, setCreating] = useState(false);
  const [turn, again] = useReducer((n: number) => n + 1, 0);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const { found, problem } = useTemplates(text, pages, turn);
  const show = (next: string): void => {
    again();
    goOn(placeOf('mail-templates', ...(next === '' ? [] : [next])), placeOf('mail-templates', ...place));
  };
  return (
    <>
      <div className="head-row">
        <h1>{t('mailTemplates.title')}</h1>
        <Button
          kind="main"
          onClick={() => {
            setCreating(true);
          }}
        >
          {t('mail.create')}
        </Button>
      </div>
      <Trouble problem={problem} />
      {found === undefined ? null : (
        <div className="mail">
          <TemplateList
            {...found}
            chosen={id}
            text={text}
            onText={setText}
            locale={locale}
            onLocale={setLocale}
            onMore={() => {
              setPages(pages + 1);
            }}
            unsaved={drafts.places}
          />
          {id === '' ? (
            <Empty>{t('mail.choose')}</Empty>
          ) : (
            <TemplateEditor key={id} id={id} onChanged={show} onDraft={redraw} />
          )}
        </div>
      )}
      {creating ? (
        <CreateTemplate
          onMade={(made) => {
            setCreating(false);
            show(made);
          }}
          onClose={() => {
            setCreating(false);
          }}
        />
      ) : null}
    </>
  );
}
