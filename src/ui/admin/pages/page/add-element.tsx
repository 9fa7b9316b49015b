/** Adds an element by its tag: into the chosen node, before or behind it. */
import { type ReactNode, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { addElement } from './entries.js';
import { isPage, nextOf, readNode, titleOf, type PageNode } from './nodes.js';
import { ALL_TAGS } from './tags.js';

type Place = 'inside' | 'before' | 'behind';

export function AddElement(props: {
  readonly node: PageNode;
  readonly types: ReadonlySet<string>;
  readonly mayHold: boolean;
  readonly onAdded: (id: string) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { node, types, mayHold, onAdded, onClose } = props;
  const { t } = useAreaTexts(pages);
  const hasSiblings = !isPage(node) && typeof node.parentId === 'string';
  const [tag, setTag] = useState('div');
  const [place, setPlace] = useState<Place>(mayHold ? 'inside' : 'behind');
  const { busy, problem, run } = useWork();
  const add = async (): Promise<void> => {
    const text = t('pages.newText');
    let id: string;
    if (place === 'inside') id = await addElement(node, tag, types, text);
    else {
      const parent = await readNode(node.parentId ?? '');
      id = await addElement(parent, tag, types, text, place === 'before' ? node.id : await nextOf(node));
    }
    onClose();
    onAdded(id);
  };
  const places: readonly Place[] = [
    ...(mayHold ? (['inside'] as const) : []),
    ...(hasSiblings ? (['before', 'behind'] as const) : []),
  ];
  return (
    <Modal title={t('pages.addElement')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(add);
        }}
      >
        <Trouble problem={problem} />
        <div className="field">
          <label htmlFor="add-tag">{t('pages.tag')}</label>
          <input
            id="add-tag"
            list="add-tags"
            value={tag}
            spellCheck={false}
            onChange={(event) => {
              setTag(event.target.value.trim());
            }}
          />
          <datalist id="add-tags">
            {ALL_TAGS.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </div>
        <div className="field">
          <label htmlFor="add-place">{t('pages.place')}</label>
          <select
            id="add-place"
            value={place}
            onChange={(event) => {
              setPlace(event.target.value as Place);
            }}
          >
            {places.map((name) => (
              <option key={name} value={name}>
                {t(`pages.place.${name}`, { name: titleOf(node) })}
              </option>
            ))}
          </select>
        </div>
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || !/^[a-z][\w-]*$/i.test(tag) || places.length === 0}>
            {t('pages.add')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}
