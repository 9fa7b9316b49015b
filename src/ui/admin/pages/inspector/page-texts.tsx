/** The texts of a page in all languages: keys that its scripts ask for, and what they are called in each. */
import { type ReactNode, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { create, remove } from '../../server/rest.js';
import { OthersChanged } from '../../parts/others-changed.js';
import { saveValues, type Met } from '../../server/save-over.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { keysOfPage, localizationsOf, type Localization, type TextOfPage } from './localized.js';
import type { OfNode } from './of-node.js';
import { useRead } from './use-read.js';

interface Found {
  readonly keys: readonly TextOfPage[];
  readonly localizations: readonly Localization[];
}

export function PageTexts({ node, revision, touched }: OfNode): ReactNode {
  const { t, language } = useAreaTexts(pages);
  const [turn, setTurn] = useState(0);
  const [more, setMore] = useState<readonly string[]>([]);
  const [text, setText] = useState('');
  const { value: found, problem } = useRead(async (): Promise<Found> => {
    const keys = await keysOfPage(node.id);
    return { keys, localizations: await localizationsOf([...new Set(keys.map(({ key }) => key))]) };
  }, [node.id, revision, turn]);
  if (found === undefined) return <Trouble problem={problem} />;
  const locales = [...new Set([...found.localizations.map(({ locale }) => locale), ...more, language])].sort();
  return (
    <>
      <Trouble problem={problem} />
      <p className="soft">{t('pages.textsHelp')}</p>
      {found.keys.length === 0 ? <p>{t('pages.noTexts')}</p> : null}
      {found.keys.map(({ key, domain }) => (
        <section key={`${domain}\n${key}`} className="localized" aria-label={key}>
          <h3 className="long">
            <code>{key}</code> {domain === '' ? null : <span className="badge plain">{domain}</span>}
          </h3>
          {locales.map((locale) => (
            <TextIn
              key={locale}
              of={{ key, domain }}
              locale={locale}
              known={found.localizations.find(
                (one) => one.name === key && (one.domain ?? '') === domain && one.locale === locale,
              )}
              onSaved={() => {
                setTurn((before) => before + 1);
                touched();
              }}
            />
          ))}
        </section>
      ))}
      {found.keys.length === 0 ? null : (
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            setMore([...more, text.trim()]);
            setText('');
          }}
        >
          <div className="field">
            <label htmlFor="new-locale">{t('pages.newLocale')}</label>
            <input
              id="new-locale"
              value={text}
              placeholder="de_DE"
              onChange={(event) => {
                setText(event.target.value);
              }}
            />
          </div>
          <Button type="submit" disabled={!/^[a-z]{2,3}([_-]\w+)*$/i.test(text.trim())}>
            {t('pages.add')}
          </Button>
        </form>
      )}
    </>
  );
}

/** One text in one language. Empty: there is none. */
function TextIn(props: {
  readonly of: TextOfPage;
  readonly locale: string;
  readonly known: Localization | undefined;
  readonly onSaved: () => void;
}): ReactNode {
  const { of, locale, known, onSaved } = props;
  const { t } = useAreaTexts(pages);
  const [typed, setTyped] = useState<string>();
  const [theirs, setTheirs] = useState<readonly Met[]>([]);
  /** As somebody else has written it, and whoever types was told. */
  const [over, setOver] = useState<string>();
  const { busy, problem, run } = useWork();
  const stored = known?.localizedName ?? '';
  const text = typed ?? stored;
  const id = `text-${of.domain}-${of.key}-${locale}`;
  const save = async (): Promise<void> => {
    if (known === undefined)
      await create('Localization', {
        name: of.key,
        locale,
        localizedName: text,
        ...(of.domain === '' ? {} : { domain: of.domain }),
      });
    else {
      const path = `Localization/${known.id}`;
      const { met, now } = await saveValues({
        path,
        base: { localizedName: over ?? stored },
        changed: { localizedName: text },
        properties: ['id', 'localizedName'],
        // No text at all is told from an empty one by its object.
        ...(text === '' ? { write: (condition) => remove(path, {}, condition) } : {}),
      });
      setTheirs(met);
      setOver(typeof now['localizedName'] === 'string' ? now['localizedName'] : '');
      if (met.length > 0) return;
    }
    setTyped(undefined);
    setTheirs([]);
    setOver(undefined);
    onSaved();
  };
  return (
    <form
      className="text-in"
      onSubmit={(event) => {
        event.preventDefault();
        void run(save);
      }}
    >
      <label htmlFor={id}>{locale}</label>
      <input
        id={id}
        value={text}
        aria-label={`${of.key} (${locale})`}
        placeholder={t('pages.noText')}
        onChange={(event) => {
          setTyped(event.target.value);
        }}
      />
      {typed === undefined || typed === stored ? null : (
        <Button type="submit" kind="main" disabled={busy}>
          {t('app.save')}
        </Button>
      )}
      <OthersChanged met={theirs} titleOf={() => of.key} />
      <Trouble problem={problem} />
    </form>
  );
}
