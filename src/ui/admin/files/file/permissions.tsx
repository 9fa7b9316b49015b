/** Who may do what with a file or folder (docs/interface/security.md 9.8). */
import { type ReactNode, useEffect, useState } from 'react';
import { Button, Notice, Tick } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { ObjectPicker, type Picked } from '../../parts/object-picker.js';
import { saveOver } from '../../server/save-over.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { useFormats } from '../../texts/index.js';
import { inAll, readRights, RIGHTS, sameRights, writeRights, type Grant, type Right, type Rights } from './rights.js';
import type { Entry } from '../tree-server.js';

export function Permissions({ entry }: { readonly entry: Entry }): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const { number } = useFormats();
  const [known, setKnown] = useState<Rights>();
  const [rights, setRights] = useState<Rights>();
  const [told, setTold] = useState<{ readonly kind: 'good' | 'note'; readonly text: string }>();
  const [deep, setDeep] = useState(false);
  const [done, setDone] = useState(0);
  const { busy, problem, run } = useWork();
  useEffect(() => {
    void run(async () => {
      const now = await readRights(entry);
      setKnown(now);
      setRights(now);
    });
  }, []);
  if (rights === undefined || known === undefined) return <Trouble problem={problem} />;
  const dirty = !sameRights(known, rights);
  const save = async (): Promise<void> => {
    setTold(undefined);
    const { met, seen } = await saveOver<Rights, 'rights'>(known, {
      look: () => readRights(entry),
      met: (now, before) => (sameRights(now, before) ? [] : ['rights']),
      write: ({ state }) => writeRights(entry, { ...rights, state }),
      // Grants are links.
      looksFirst: true,
    });
    if (met.length > 0) {
      setKnown(seen);
      setTold({ kind: 'note', text: t('rightsMeanwhile', { who: describe(seen) }) });
      return;
    }
    if (deep) {
      let count = 0;
      await inAll(entry.id, async (one) => {
        await writeRights(one, { ...rights, owner: undefined, state: undefined });
        setDone(++count);
      });
    }
    const saved = await readRights(entry);
    setKnown(saved);
    setRights(saved);
    setDone(0);
    setTold({ kind: 'good', text: t('saved') });
  };
  const describe = ({ isPublic, forUsers, grants }: Rights): string =>
    [
      ...(isPublic ? [t('isPublic')] : []),
      ...(forUsers ? [t('forUsers')] : []),
      ...grants.map(({ name, allowed }) => `${name}: ${allowed.map((right) => t(right)).join(', ')}`),
    ].join('; ');
  return (
    <form
      className="permissions"
      onSubmit={(event) => {
        event.preventDefault();
        void run(save);
      }}
    >
      <Trouble problem={problem} />
      {told === undefined ? null : <Notice kind={told.kind}>{told.text}</Notice>}
      <fieldset>
        <legend>{t('visibility')}</legend>
        <Tick
          label={t('isPublic')}
          help={t('isPublicHelp')}
          checked={rights.isPublic}
          onChange={(isOn) => {
            setRights({ ...rights, isPublic: isOn });
          }}
        />
        <Tick
          label={t('forUsers')}
          help={t('forUsersHelp')}
          checked={rights.forUsers}
          onChange={(isOn) => {
            setRights({ ...rights, forUsers: isOn });
          }}
        />
      </fieldset>
      <div className="field">
        <span className="label-of">{t('owner')}</span>
        <ObjectPicker
          type="Principal"
          label={t('owner')}
          picked={rights.owner ?? undefined}
          onPick={(owner) => {
            setRights({ ...rights, owner: owner ?? null });
          }}
        />
      </div>
      <Grants
        grants={rights.grants}
        onChange={(grants) => {
          setRights({ ...rights, grants });
        }}
      />
      {entry.isFolder ? <Tick label={t('deep')} help={t('deepHelp')} checked={deep} onChange={setDeep} /> : null}
      <div className="row">
        <Button type="submit" kind="main" disabled={busy || !(dirty || deep)}>
          {t('app.save')}
        </Button>
        {done === 0 ? null : <span role="status">{t('changedSoFar', { n: number(done) })}</span>}
      </div>
    </form>
  );
}

function Grants({
  grants,
  onChange,
}: {
  readonly grants: readonly Grant[];
  readonly onChange: (grants: readonly Grant[]) => void;
}): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const [turn, setTurn] = useState(0);
  const set = (changed: Grant): void => {
    onChange(grants.map((grant) => (grant.id === changed.id ? changed : grant)));
  };
  const add = (picked: Picked | undefined): void => {
    if (picked === undefined) return;
    if (!grants.some(({ id }) => id === picked.id)) onChange([...grants, { ...picked, allowed: ['read'] }]);
    setTurn(turn + 1);
  };
  return (
    <>
      <table className="grants">
        <caption>{t('grants')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('principal')}</th>
            {RIGHTS.map((right) => (
              <th key={right} scope="col">
                {t(right)}
              </th>
            ))}
            <th scope="col">
              <span className="hidden">{t('actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {grants.map((grant) => (
            <tr key={grant.id}>
              <th scope="row" dir="auto">
                {grant.name}
              </th>
              {RIGHTS.map((right: Right) => (
                <td key={right}>
                  <label>
                    <input
                      type="checkbox"
                      aria-label={`${t(right)}: ${grant.name.slice(0, 200)}`}
                      checked={grant.allowed.includes(right)}
                      onChange={(event) => {
                        const others = grant.allowed.filter((one) => one !== right);
                        set({ ...grant, allowed: event.target.checked ? [...others, right] : others });
                      }}
                    />
                    <span className="narrow-only" aria-hidden="true">
                      {t(right)}
                    </span>
                  </label>
                </td>
              ))}
              <td className="actions">
                <Button
                  aria-label={t('removeGrant', { name: grant.name.slice(0, 200) })}
                  onClick={() => {
                    onChange(grants.filter(({ id }) => id !== grant.id));
                  }}
                >
                  {t('remove')}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {grants.length === 0 ? <p className="soft">{t('noGrants')}</p> : null}
      <div className="field">
        <span className="label-of">{t('addGrant')}</span>
        <ObjectPicker key={turn} type="Principal" label={t('addGrant')} picked={undefined} onPick={add} />
      </div>
    </>
  );
}
