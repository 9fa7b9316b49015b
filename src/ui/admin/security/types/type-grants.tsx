/** Rights of users and groups on all objects of a type (SchemaGrant, docs/interface/security.md 9.6), as a matrix of ticks. */
import { type ReactNode, useEffect, useState } from 'react';
import { Badge, Button } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { ObjectPicker, type Picked } from '../../parts/object-picker.js';
import { change, remove } from '../../server/rest.js';
import { GRANT_RIGHTS, type GrantRight } from '../../server/schema.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import { CreateGrant } from './create-grant.js';
import { PagedCard, usePaged } from '../paged.js';
import { nameOf, type Principal } from '../people/principals.js';

interface TypeGrant {
  readonly id: string;
  readonly principal: Principal | null;
  readonly staticSchemaNodeName: string | null;
  readonly schemaNode: { readonly id: string; readonly name: string } | null;
  readonly allowRead: boolean;
  readonly allowWrite: boolean;
  readonly allowDelete: boolean;
  readonly allowAccessControl: boolean;
}

const SHOWN = ['id', 'type', 'name', 'principal', 'staticSchemaNodeName', 'schemaNode', ...GRANT_RIGHTS];

const typeOf = ({ schemaNode, staticSchemaNodeName }: TypeGrant): string =>
  schemaNode?.name ?? staticSchemaNodeName ?? '';

export function TypeGrants(): ReactNode {
  const { t } = useAreaTexts(security);
  const [principal, setPrincipal] = useState<Picked>();
  const [isNew, setNew] = useState(false);
  const [told, setTold] = useState('');
  const query = principal === undefined ? {} : { principal: principal.id };
  const paged = usePaged<TypeGrant>('SchemaGrant/ui', { ...query, _sort: 'createdDate' }, SHOWN);
  const changed = (text: string): void => {
    setTold(text);
    paged.again();
  };
  return (
    <>
      <PagedCard
        title={t('sec.typeGrants')}
        action={
          <Button
            kind="main"
            onClick={() => {
              setNew(true);
            }}
          >
            {t('sec.newGrant')}
          </Button>
        }
        help={t('sec.typeGrantsHelp')}
        told={told}
        search={
          <ObjectPicker
            type="Principal"
            label={t('sec.onlyOf')}
            placeholder={t('sec.onlyOf')}
            picked={principal}
            onPick={setPrincipal}
          />
        }
        isSearched={principal !== undefined}
        none={t('sec.noGrants')}
        paged={paged}
      >
        {(rows) => (
          <div className="sec-wide">
            <table className="sec-matrix sec-grants">
              <thead>
                <tr>
                  <th scope="col">{t('sec.userOrGroup')}</th>
                  <th scope="col">{t('sec.type')}</th>
                  {GRANT_RIGHTS.map((right) => (
                    <th key={right} scope="col">
                      {t(`sec.${right}`)}
                    </th>
                  ))}
                  <th scope="col">
                    <span className="hidden">{t('sec.actions')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map((grant) => (
                  <Row key={grant.id} grant={grant} onChanged={changed} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </PagedCard>
      {isNew ? (
        <CreateGrant
          onCreated={changed}
          onClose={() => {
            setNew(false);
          }}
        />
      ) : null}
    </>
  );
}

function Row({
  grant,
  onChanged,
}: {
  readonly grant: TypeGrant;
  readonly onChanged: (told: string) => void;
}): ReactNode {
  const { t } = useAreaTexts(security);
  const [shown, setShown] = useState(grant);
  const { busy, problem, run } = useWork();
  useEffect(() => {
    setShown(grant);
  }, [grant]);
  const who = grant.principal === null ? t('sec.nobody') : nameOf(grant.principal);
  const what = `${who}: ${typeOf(grant)}`;
  const write = (right: GrantRight, isOn: boolean): void => {
    const before = shown;
    const next = { ...shown, [right]: isOn };
    setShown(next);
    void run(async () => {
      // Each right is a value of its own: what somebody else ticks meanwhile stays.
      await change(`SchemaGrant/${grant.id}`, { [right]: isOn });
      // A grant without any right is deleted by the server.
      if (GRANT_RIGHTS.every((one) => !next[one])) onChanged(t('sec.deleted', { name: what }));
    }).then((isDone) => {
      if (!isDone) setShown(before);
    });
  };
  return (
    <tr>
      <th scope="row">
        <bdi className="sec-signature">{who}</bdi>
        <Trouble problem={problem} />
      </th>
      <td>
        <Badge>{typeOf(grant)}</Badge>
      </td>
      {GRANT_RIGHTS.map((right) => (
        <td key={right} className="sec-flag">
          <label>
            <input
              type="checkbox"
              aria-label={`${what}: ${t(`sec.${right}`)}`}
              checked={shown[right]}
              onChange={(event) => {
                write(right, event.target.checked);
              }}
            />
            <span className="sec-word">{t(`sec.${right}`)}</span>
          </label>
        </td>
      ))}
      <td className="actions">
        <Button
          disabled={busy}
          aria-label={t('sec.deleteOf', { name: what })}
          onClick={() => {
            void run(async () => {
              await remove(`SchemaGrant/${grant.id}`);
              onChanged(t('sec.deleted', { name: what }));
            });
          }}
        >
          ×
        </Button>
      </td>
    </tr>
  );
}
