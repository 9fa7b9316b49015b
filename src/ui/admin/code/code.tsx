/** All code of an application in one tree (docs/interface/admin-ui.md, Code). The place is `#/code/<type>/<id>/<property>`. */
import { type ReactNode, useState } from 'react';
import { Button, Empty } from '../../common/parts.js';
import { goOn, placeOf, type AreaProps } from '../frame/place.js';
import { Trouble } from '../frame/trouble.js';
import { useWork } from '../../common/work.js';
import { Tree } from '../parts/tree.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { codeTexts } from '../texts/code.js';
import './code.css';
import { leadsTo, loadChildren, ROOT } from './code-tree.js';
import { CreateMethod } from './create-method.js';
import { kindOf, pieceOf } from './kinds.js';
import { SearchList } from './search-list.js';
import { SourceView } from './source-view.js';

export default function Code({ place }: AreaProps): ReactNode {
  const { t } = useAreaTexts(codeTexts);
  const [text, setText] = useState('');
  const [creating, setCreating] = useState(false);
  const [revision, setRevision] = useState(0);
  const [opened, setOpened] = useState<readonly string[]>(['functions', 'types']);
  const { problem, run } = useWork();
  const chosen = place.slice(0, 3).join('/');
  const piece = pieceOf(chosen);
  const kind = piece === undefined ? undefined : kindOf(piece.type, piece.key);
  const load = async (id: string): ReturnType<typeof loadChildren> => {
    let found: Awaited<ReturnType<typeof loadChildren>> = [];
    await run(async () => {
      found = await loadChildren(id, t);
    });
    return found;
  };
  return (
    <div className="code">
      <div className="area-side">
        <div className="head-row">
          <h1>{t('code.title')}</h1>
          <Button
            kind="main"
            onClick={() => {
              setCreating(true);
            }}
          >
            {t('code.new')}
          </Button>
        </div>
        <nav className="code-side" aria-label={t('code.title')}>
          <div className="code-find">
            <input
              type="search"
              value={text}
              aria-label={t('code.search')}
              placeholder={t('code.search')}
              onChange={(event) => {
                setText(event.target.value);
              }}
            />
          </div>
          <Trouble problem={problem} />
          {text.trim() === '' ? (
            <Tree
              label={t('code.tree')}
              root={ROOT}
              load={load}
              revision={revision}
              chosen={chosen}
              opened={opened}
              onChoose={({ id, isFolder }) => {
                if (!isFolder) location.hash = placeOf(...leadsTo(id));
              }}
            />
          ) : (
            <SearchList text={text.trim()} />
          )}
        </nav>
      </div>
      <div className="code-main">
        {piece === undefined || kind === undefined ? (
          <Empty>{t('code.none')}</Empty>
        ) : (
          <SourceView
            key={chosen}
            kind={kind}
            piece={piece}
            onChanged={() => {
              setRevision(revision + 1);
            }}
            onDeleted={() => {
              setRevision(revision + 1);
              goOn(placeOf('code'));
            }}
          />
        )}
      </div>
      {creating ? (
        <CreateMethod
          onClose={() => {
            setCreating(false);
          }}
          onCreated={(id, type) => {
            setCreating(false);
            setText('');
            // So that the tree shows it.
            if (type !== '') setOpened(['types', `type:${type}`]);
            setRevision(revision + 1);
            goOn(placeOf('code', 'SchemaMethod', id, 'source'));
          }}
        />
      ) : null}
    </div>
  );
}
