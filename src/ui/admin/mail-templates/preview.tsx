/** How a mail will look. HTML is shown in a frame of another origin, in which nothing runs (docs/interface/admin-ui.md 2.1). */
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { TabRow } from '../parts/tab-row.js';
import { mailTexts } from '../texts/mail-templates.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { quiet } from './quiet.js';
import { filled, isName, variablesOf } from './variables.js';

/** Until somebody has ended typing, in ms. */
const PAUSE_MS = 400;

export function Preview({ text, html }: { readonly text: string; readonly html: boolean }): ReactNode {
  const { t } = useAreaTexts(mailTexts);
  const [tab, setTab] = useState<string>();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  return (
    <div className="mail-below">
      <section aria-label={t('mail.variables')}>
        <h3>{t('mail.variables')}</h3>
        <Variables text={text} values={values} onChange={setValues} />
      </section>
      <section aria-label={t('mail.preview')}>
        <h3>{t('mail.preview')}</h3>
        <TabRow
          label={t('mail.preview')}
          chosen={tab ?? (html ? 'html' : 'text')}
          onChoose={setTab}
          tabs={[
            {
              name: 'html',
              title: t('mail.asHtml'),
              content: () => <HtmlFrame html={filled(text, values, true)} />,
            },
            {
              name: 'text',
              title: t('mail.asText'),
              content: () => (
                <pre className="mail-text" tabIndex={0} aria-label={t('mail.asText')}>
                  {filled(text, values, false) || t('mail.empty')}
                </pre>
              ),
            },
          ]}
        />
      </section>
    </div>
  );
}

function Variables({
  text,
  values,
  onChange,
}: {
  readonly text: string;
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (values: Readonly<Record<string, string>>) => void;
}): ReactNode {
  const { t } = useAreaTexts(mailTexts);
  const found = variablesOf(text);
  if (found.length === 0) return <p className="soft">{t('mail.variablesNone')}</p>;
  return (
    <>
      <p className="soft">{t('mail.variablesHelp')}</p>
      <ul className="mail-variables">
        {found.map((name) => (
          <li key={name}>
            <code>{name.length > 60 ? `${name.slice(0, 60)}…` : name}</code>
            {isName(name) ? null : <small className="soft">{t('mail.script')}</small>}
            <input
              aria-label={t('mail.valueOf', { name: name.slice(0, 60) })}
              value={values[name] ?? ''}
              onChange={(event) => {
                onChange({ ...values, [name]: event.target.value });
              }}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

/** A form is sent into a frame that is new each time, so that the browser's way back does not lead through old previews. */
function HtmlFrame({ html }: { readonly html: string }): ReactNode {
  const { t } = useAreaTexts(mailTexts);
  const name = useId();
  const form = useRef<HTMLFormElement>(null);
  const [sent, setSent] = useState({ html, turn: 0 });
  useEffect(() => {
    if (html === sent.html) return;
    const timer = setTimeout(() => {
      setSent(({ turn }) => ({ html, turn: turn + 1 }));
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [html, sent.html]);
  useEffect(() => {
    form.current?.submit();
  }, [sent]);
  return (
    <>
      <p className="soft">{t('mail.previewHelp')}</p>
      <form ref={form} method="post" action="ui/preview" target={name} hidden>
        <input type="hidden" name="html" value={quiet(sent.html)} readOnly />
      </form>
      <iframe key={sent.turn} className="mail-frame" name={name} title={t('mail.preview')} sandbox="" />
    </>
  );
}
