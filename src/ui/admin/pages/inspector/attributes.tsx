/** All HTML attributes of an element: those that its type knows, and own ones (docs/interface/pages.md 3.2). */
import { type ReactNode, useState } from 'react';
import { Button, Notice, Tick } from '../../../common/parts.js';
import { loadProperties } from '../../server/schema.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { useDraft } from './draft.js';
import { DraftForm, type FormField } from './draft-form.js';
import type { OfNode } from './of-node.js';
import { useRead } from './use-read.js';

const KNOWN = '_html_';
const CUSTOM = '_custom_html_';
/** Those that are set most often stand first. */
const FIRST = ['id', 'class', 'style', 'title', 'href', 'src', 'alt', 'type', 'name', 'value', 'placeholder', 'for'];

const attributeOf = (key: string): string => key.replace(CUSTOM, '').replace(KNOWN, '');
const rank = (name: string): number => (FIRST.indexOf(name) + FIRST.length + 1) % (FIRST.length + 1);

export function Attributes({ node, revision, touched }: OfNode): ReactNode {
  const { t } = useAreaTexts(pages);
  const [text, setText] = useState('');
  const [isAll, setIsAll] = useState(false);
  const { value: known } = useRead(() => loadProperties(node.type, KNOWN), [node.type]);
  const draft = useDraft({
    path: `${node.type}/${node.id}`,
    form: 'attributes',
    view: KNOWN,
    revision,
    onSaved: touched,
  });
  const [own, setOwn] = useState('');
  const values = draft.values ?? {};
  const keys = new Set([...(known ?? []).map(({ jsonName }) => jsonName), ...Object.keys(values)]);
  const wanted = text.trim().toLowerCase();
  const isSet = (key: string): boolean => (values[key] ?? null) !== null || draft.changed.includes(key);
  const isFirst = (key: string): boolean => {
    const name = attributeOf(key);
    return FIRST.includes(name) && (key.startsWith(CUSTOM) || !name.startsWith('on'));
  };
  const shown = [...keys]
    .filter((key) => key.startsWith(KNOWN) || key.startsWith(CUSTOM) || key.startsWith('data-'))
    .filter((key) => attributeOf(key).toLowerCase().includes(wanted))
    .filter((key) => isAll || wanted !== '' || isSet(key) || isFirst(key))
    .sort((a, b) => rank(attributeOf(a)) - rank(attributeOf(b)) || (attributeOf(a) < attributeOf(b) ? -1 : 1));
  const fields: readonly FormField[] = shown.map((key) => ({ key, label: attributeOf(key) }));
  const name = own.trim();
  const isName = /^[A-Za-z_:@][\w:.@-]*$/.test(name);
  const add = (): void => {
    // What the type knows is shown by that name alone; the service's own data- attributes are fields.
    const known = keys.has(KNOWN + name) ? KNOWN + name : name.startsWith('data-') ? name : CUSTOM + name;
    draft.set(known, values[known] ?? '');
    setOwn('');
    setText('');
  };
  return (
    <>
      <div className="row attribute-find">
        <input
          type="search"
          value={text}
          aria-label={t('pages.findAttribute')}
          placeholder={t('pages.findAttribute')}
          onChange={(event) => {
            setText(event.target.value);
          }}
        />
        <Tick label={t('pages.allAttributes')} checked={isAll} onChange={setIsAll} />
      </div>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (isName) add();
        }}
      >
        <div className="field">
          <label htmlFor="own-attribute">{t('pages.ownAttribute')}</label>
          <input
            id="own-attribute"
            value={own}
            placeholder="data-…"
            spellCheck={false}
            onChange={(event) => {
              setOwn(event.target.value);
            }}
          />
        </div>
        <Button type="submit" disabled={!isName}>
          {t('pages.add')}
        </Button>
      </form>
      {name === '' || isName ? null : <Notice kind="wrong">{t('pages.noAttributeName')}</Notice>}
      <div className="attributes">
        <DraftForm draft={draft} fields={fields} />
      </div>
    </>
  );
}
