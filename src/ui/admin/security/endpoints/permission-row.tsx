/** One permission: a tick for each method and audience, each written at once. */
import { type ReactNode, useEffect, useState } from 'react';
import { Badge, Button, Confirm } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { remove } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import { AUDIENCES, has, METHODS, toggled, VISIBILITY } from './flags.js';
import { changePermission, type Permission } from './permissions.js';
import { Readers } from './readers.js';

export function PermissionRow({
  permission,
  onChanged,
}: {
  readonly permission: Permission;
  readonly onChanged: (told: string) => void;
}): ReactNode {
  const { t } = useAreaTexts(security);
  const [shown, setShown] = useState(permission);
  const [open, setOpen] = useState<'readers' | 'delete'>();
  const { busy, problem, run } = useWork();
  useEffect(() => {
    setShown(permission);
  }, [permission]);
  const { id, signature, flags, hidden = false } = shown;
  const write = (decide: (now: Permission) => Readonly<Partial<Permission>>): void => {
    const before = shown;
    setShown({ ...shown, ...decide(shown) });
    void run(async () => {
      setShown(await changePermission(id, decide));
    }).then((isDone) => {
      if (!isDone) setShown(before);
    });
  };
  const anonymous = METHODS.some((method) => has(flags, 'anonymous', method));
  const close = (): void => {
    setOpen(undefined);
  };
  return (
    <>
      <tr>
        <th scope="row">
          <bdi className="sec-signature">{signature}</bdi>
          {anonymous && shown.visibleToPublicUsers !== true ? (
            <small className="soft">{t('sec.notForOthers')}</small>
          ) : null}
          {hidden ? (
            <span>
              <Badge kind="warn">{t('sec.hidden')}</Badge>{' '}
              <button
                type="button"
                className="link"
                onClick={() => {
                  write(() => ({ hidden: false }));
                }}
              >
                {t('sec.unhide')}
              </button>
            </span>
          ) : null}
        </th>
        {AUDIENCES.map((audience) => {
          const who = t(audience === 'user' ? 'sec.forUsers' : 'sec.forOthers');
          return [
            <td key={audience} className="sec-caption">
              {who}
            </td>,
            ...METHODS.map((method) => (
              <Tick
                key={`${audience} ${method}`}
                label={`${method} ${signature}: ${who}`}
                word={method}
                isOn={has(flags, audience, method)}
                onChange={(isOn) => {
                  write((now) => ({ flags: toggled(now.flags, audience, method, isOn) }));
                }}
              />
            )),
          ];
        })}
        <td className="sec-caption">{t('sec.countsFor')}</td>
        {AUDIENCES.map((audience) => (
          <Tick
            key={audience}
            label={`${signature}: ${t(audience === 'user' ? 'sec.allUsers' : 'sec.everybody')}`}
            word={t(audience === 'user' ? 'sec.allUsers' : 'sec.everybody')}
            isOn={shown[VISIBILITY[audience]] === true}
            onChange={(isOn) => {
              write(() => ({ [VISIBILITY[audience]]: isOn }));
            }}
          />
        ))}
        <td className="actions">
          <Button
            aria-label={t('sec.readersOf', { signature })}
            onClick={() => {
              setOpen('readers');
            }}
          >
            {t('sec.readers')}
          </Button>
          <Button
            aria-label={t('sec.deleteOf', { name: signature })}
            onClick={() => {
              setOpen('delete');
            }}
          >
            ×
          </Button>
          {open === 'readers' ? <Readers permission={shown} onClose={close} /> : null}
        </td>
      </tr>
      {open !== 'delete' && problem === undefined ? null : (
        <tr>
          <td colSpan={2 * METHODS.length + 4}>
            <Trouble problem={problem} />
            {open === 'delete' ? (
              <Confirm
                question={t('sec.deletePermission', { signature })}
                yes={t('app.delete')}
                no={t('app.cancel')}
                disabled={busy}
                onYes={() => {
                  void run(async () => {
                    await remove(`ResourceAccess/${id}`);
                    onChanged(t('sec.deleted', { name: signature }));
                  });
                }}
                onNo={close}
              />
            ) : null}
          </td>
        </tr>
      )}
    </>
  );
}

function Tick(props: {
  readonly label: string;
  /** Beside it where the table is too narrow for its head. */
  readonly word: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}): ReactNode {
  const { label, word, isOn, onChange } = props;
  return (
    <td className="sec-flag">
      <label>
        <input
          type="checkbox"
          aria-label={label}
          checked={isOn}
          onChange={(event) => {
            onChange(event.target.checked);
          }}
        />
        <span className="sec-word">{word}</span>
      </label>
    </td>
  );
}
