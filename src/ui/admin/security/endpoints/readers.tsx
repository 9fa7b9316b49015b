/** For whom a permission counts besides those that its flags name: users and groups that may read it. */
import { type ReactNode, useState } from 'react';
import { Badge, Button } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { ObjectPicker, type Picked } from '../../parts/object-picker.js';
import { create, list, remove } from '../../server/rest.js';
import { changeNow } from '../../server/save-over.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import { Pager, usePaged } from '../paged.js';
import type { Permission } from './permissions.js';
import { nameOf, type Principal } from '../people/principals.js';

/** A relationship that grants rights on an object (docs/interface/security.md 1.1). */
interface Grant {
  readonly id: string;
  readonly sourceNode: Principal | null;
  readonly sourceId: string;
  readonly allowed: readonly string[] | null;
}

const GRANT = ['id', 'type', 'sourceId', 'sourceNode', 'allowed', 'name'];

/** Lets them read it; what they may do already stays. */
async function letRead(object: string, principal: string): Promise<void> {
  const query = { sourceId: principal, targetId: object, _pageSize: 1, _page: 1 };
  const known = (await list<Grant>('Security/all', query, { properties: GRANT })).result[0];
  if (known === undefined) await create('Security', { sourceId: principal, targetId: object, allowed: ['read'] });
  else
    await changeNow<Grant>(`Security/${known.id}`, GRANT, ({ allowed }) => ({
      allowed: [...new Set([...(allowed ?? []), 'read'])],
    }));
}

export function Readers({
  permission,
  onClose,
}: {
  readonly permission: Permission;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useAreaTexts(security);
  const [picked, setPicked] = useState<Picked>();
  const { busy, problem, run } = useWork();
  const paged = usePaged<Grant>('Security/all', { targetId: permission.id, _sort: undefined }, GRANT);
  const doIt = (work: () => Promise<void>): void => {
    void run(async () => {
      await work();
      setPicked(undefined);
      paged.again();
    });
  };
  return (
    <Modal title={t('sec.readersOf', { signature: permission.signature })} onClose={onClose}>
      <p className="soft">{t('sec.readersHelp')}</p>
      <Trouble problem={problem ?? paged.problem} />
      <div className="row sec-add">
        <div className="grow">
          <ObjectPicker
            type="Principal"
            label={t('sec.userOrGroup')}
            placeholder={t('sec.userOrGroup')}
            picked={picked}
            onPick={setPicked}
          />
        </div>
        <Button
          disabled={busy || picked === undefined}
          onClick={() => {
            if (picked !== undefined) doIt(() => letRead(permission.id, picked.id));
          }}
        >
          {t('sec.add')}
        </Button>
      </div>
      {paged.rows?.length === 0 ? <p className="soft">{t('sec.noReaders')}</p> : null}
      <ul className="sec-list" aria-label={t('sec.readers')}>
        {(paged.rows ?? []).map(({ id, sourceId, sourceNode, allowed }) => {
          const name = sourceNode === null ? sourceId : nameOf(sourceNode);
          return (
            <li key={id} className="sec-item">
              <span className="sec-name">
                <bdi>{name}</bdi>
              </span>
              <Badge>{(allowed ?? []).join(', ')}</Badge>
              <button
                type="button"
                className="button sec-small"
                disabled={busy}
                aria-label={t('sec.deleteOf', { name })}
                onClick={() => {
                  doIt(() => remove(`Security/${id}`));
                }}
              >
                ×
              </button>
            </li>
          );
        })}
      </ul>
      <Pager paged={paged} label={t('sec.readers')} />
      <Button onClick={onClose}>{t('sec.close')}</Button>
    </Modal>
  );
}
