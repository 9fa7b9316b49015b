/** Permissions for endpoints as a matrix of ticks (docs/interface/security.md 10), and the requests that were refused last. */
import { type ReactNode, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import { AUDIENCES, METHODS } from './flags.js';
import { CreatePermission } from './create-permission.js';
import { PagedCard, SearchField, usePaged } from '../paged.js';
import { PermissionRow } from './permission-row.js';
import { PERMISSION, type Permission } from './permissions.js';
import { Refused } from './refused.js';

export function Endpoints(): ReactNode {
  const { t } = useAreaTexts(security);
  const [text, setText] = useState('');
  const [isNew, setNew] = useState(false);
  const [told, setTold] = useState('');
  const search = text.trim() === '' ? {} : { signature: text.trim(), _inexact: 1 };
  const paged = usePaged<Permission>('ResourceAccess/ui', { ...search, _sort: 'signature' }, PERMISSION);
  const changed = (what: string): void => {
    setTold(what);
    paged.again();
  };
  return (
    <>
      <Refused onPermitted={changed} />
      <PagedCard
        title={t('sec.permissions')}
        action={
          <Button
            kind="main"
            onClick={() => {
              setNew(true);
            }}
          >
            {t('sec.newPermission')}
          </Button>
        }
        help={t('sec.permissionsHelp')}
        told={told}
        search={<SearchField label={t('sec.findSignature')} text={text} onChange={setText} />}
        isSearched={text !== ''}
        none={t('sec.noPermissions')}
        paged={paged}
      >
        {(rows) => (
          <div className="sec-wide">
            <table className="sec-matrix">
              <thead>
                <tr>
                  <th scope="col" rowSpan={2}>
                    {t('sec.signature')}
                  </th>
                  <th scope="colgroup" colSpan={METHODS.length}>
                    {t('sec.forUsers')}
                  </th>
                  <th scope="colgroup" colSpan={METHODS.length}>
                    {t('sec.forOthers')}
                  </th>
                  <th scope="colgroup" colSpan={2}>
                    {t('sec.countsFor')}
                  </th>
                  <th scope="col" rowSpan={2}>
                    <span className="hidden">{t('sec.actions')}</span>
                  </th>
                </tr>
                <tr>
                  {AUDIENCES.map((audience) =>
                    METHODS.map((method) => (
                      <th key={`${audience} ${method}`} scope="col">
                        {method}
                      </th>
                    )),
                  )}
                  <th scope="col">{t('sec.allUsers')}</th>
                  <th scope="col">{t('sec.everybody')}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((permission) => (
                  <PermissionRow key={permission.id} permission={permission} onChanged={changed} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </PagedCard>
      {isNew ? (
        <CreatePermission
          onCreated={changed}
          onClose={() => {
            setNew(false);
          }}
        />
      ) : null}
    </>
  );
}
