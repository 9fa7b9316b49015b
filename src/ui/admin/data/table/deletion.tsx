/** Deletes what is selected: objects by their ids, or all that the filters leave by one request (docs/interface/rest.md 3.5). */
import { type ReactNode, useState } from 'react';
import { Confirm } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { list, remove, type Query } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { dataTexts } from '../../texts/data.js';

/** Ids of one request: its address has to stay within what servers and proxies take. */
const PART = 150;
/** Between two looks at how many are left, ms. */
const LOOK_MS = 1000;

export type Selection = ReadonlySet<string> | 'all';

export interface DeletionProps {
  readonly type: string;
  readonly query: Query;
  readonly selected: Selection;
  /** How many that are. */
  readonly n: number;
  readonly onDone: (deleted: number) => void;
  readonly onCancel: () => void;
}

/** Asks, deletes, and says how far it is. */
export function Deletion(props: DeletionProps): ReactNode {
  const { type, query, selected, n, onDone, onCancel } = props;
  const { t } = useAreaTexts(dataTexts);
  const [done, setDone] = useState<number>();
  const { busy, problem, run } = useWork();
  const path = encodeURIComponent(type);
  const deleteAll = async (): Promise<void> => {
    // The request ends when all are gone; meanwhile the server is asked how many there are.
    const timer = setInterval(() => {
      list(path, { ...query, _pageSize: 1, _forceResultCount: 1 }, { properties: ['id'] }).then(
        ({ result_count: left = n }) => {
          setDone(Math.max(0, n - left));
        },
        () => undefined,
      );
    }, LOOK_MS);
    try {
      const { _sort: _s, _order: _o, ...conditions } = query;
      await remove(path, conditions);
    } finally {
      clearInterval(timer);
    }
  };
  const deleteSome = async (ids: readonly string[]): Promise<void> => {
    for (let at = 0; at < ids.length; at += PART) {
      setDone(at);
      await remove(path, { id: ids.slice(at, at + PART).join(';') });
    }
  };
  return (
    <>
      <Trouble problem={problem} />
      {busy ? (
        <div className="data-progress" role="status">
          <progress value={done} max={n} aria-label={t('app.delete')} />
          {t('data.deleting', { done: done ?? 0, n })}
        </div>
      ) : (
        <Confirm
          question={t(selected === 'all' ? 'data.deleteAllSure' : 'data.deleteSure', { n })}
          yes={t('app.delete')}
          no={t('app.cancel')}
          onYes={() => {
            setDone(0);
            void run(() => (selected === 'all' ? deleteAll() : deleteSome([...selected]))).then((isGood) => {
              if (isGood) onDone(n);
            });
          }}
          onNo={onCancel}
        />
      )}
    </>
  );
}
