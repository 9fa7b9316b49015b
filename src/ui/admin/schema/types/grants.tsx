/** Rights of users and groups on all objects of a type (docs/interface/schema.md 2.7, 10.1). */
import { type ReactNode, useState } from 'react';
import { Button, Confirm, Empty } from '../../../common/parts.js';
import { useLoaded, useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { ObjectPicker, type Picked } from '../../parts/object-picker.js';
import { change, create, remove, type Entity } from '../../server/rest.js';
import { GRANT_RIGHTS, type GrantRight } from '../../server/schema.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { schemaTexts } from '../../texts/schema.js';
import { loadMembers, ownedBy, type Owner } from '../model.js';

const nameOf = (grant: Entity): string => {
  const principal = grant['principal'] as Entity | null;
  return principal?.name ?? principal?.id ?? '';
};

export function Grants({ owner }: { readonly owner: Owner }): ReactNode {
  const { t } = useAreaTexts(schemaTexts);
  const { value: grants, set: show, again, problem } = useLoaded(() => loadMembers('SchemaGrant', owner));
  const work = useWork();
  const [picked, setPicked] = useState<Picked>();
  const [leaving, setLeaving] = useState<Entity>();
  const rights: Readonly<Record<GrantRight, string>> = {
    allowRead: t('grants.read'),
    allowWrite: t('grants.write'),
    allowDelete: t('grants.delete'),
    allowAccessControl: t('grants.accessControl'),
  };
  const set = (grant: Entity, right: GrantRight, value: boolean): void => {
    // One that allows nothing goes away at the server; that is to be asked.
    if (!value && GRANT_RIGHTS.every((one) => one === right || grant[one] !== true)) setLeaving(grant);
    else {
      show((grants ?? []).map((one) => (one.id === grant.id ? { ...one, [right]: value } : one)));
      void work
        .run(() => change(`SchemaGrant/${grant.id}`, { [right]: value }))
        .then((isDone) => {
          // What was refused is not shown.
          if (!isDone) again();
        });
    }
  };
  return (
    <div>
      <p className="soft">{t('grants.help')}</p>
      <Trouble problem={work.problem ?? problem} />
      {leaving === undefined ? null : (
        <Confirm
          question={t('grants.removeQuestion', { name: nameOf(leaving) })}
          yes={t('app.delete')}
          no={t('app.cancel')}
          disabled={work.busy}
          onYes={() => {
            void work.run(async () => {
              await remove(`SchemaGrant/${leaving.id}`);
              setLeaving(undefined);
              again();
            });
          }}
          onNo={() => {
            setLeaving(undefined);
          }}
        />
      )}
      {grants === undefined ? null : grants.length === 0 ? (
        <Empty>{t('grants.none')}</Empty>
      ) : (
        <table className="schema-table framed">
          <thead>
            <tr>
              <th scope="col">{t('grants.who')}</th>
              {GRANT_RIGHTS.map((right) => (
                <th key={right} scope="col">
                  {rights[right]}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {grants.map((grant) => (
              <tr key={grant.id}>
                <th scope="row" className="long">
                  {nameOf(grant)}
                </th>
                {GRANT_RIGHTS.map((right) => (
                  <td key={right}>
                    <label className="choice narrow-choice">
                      <input
                        type="checkbox"
                        checked={grant[right] === true}
                        disabled={work.busy}
                        aria-label={`${rights[right]}: ${nameOf(grant)}`}
                        onChange={(event) => {
                          set(grant, right, event.target.checked);
                        }}
                      />
                      <span className="small-only">{rights[right]}</span>
                    </label>
                  </td>
                ))}
                <td className="actions">
                  <Button
                    aria-label={`${t('app.delete')}: ${nameOf(grant)}`}
                    onClick={() => {
                      setLeaving(grant);
                    }}
                  >
                    {t('app.delete')}
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className="row add-row">
        <div className="field">
          <ObjectPicker type="Principal" label={t('grants.who')} picked={picked} onPick={setPicked} />
        </div>
        <Button
          kind="main"
          disabled={picked === undefined || work.busy}
          onClick={() => {
            if (picked !== undefined)
              void work.run(async () => {
                await create('SchemaGrant', { ...ownedBy(owner), principal: picked.id, allowRead: true });
                setPicked(undefined);
                again();
              });
          }}
        >
          {t('grants.add')}
        </Button>
      </div>
    </div>
  );
}
