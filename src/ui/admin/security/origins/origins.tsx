/** Which pages of other origins may read answers (CorsSetting, docs/interface/security.md 11). */
import { type ReactNode, useState } from 'react';
import { Badge, Button } from '../../../common/parts.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import { SHOWN, type Origin } from './origin.js';
import { OriginForm } from './origin-form.js';
import { PagedCard, SearchField, usePaged } from '../paged.js';

export function Origins(): ReactNode {
  const { t } = useAreaTexts(security);
  const [text, setText] = useState('');
  const [open, setOpen] = useState<Origin | 'new'>();
  const [told, setTold] = useState('');
  const search = text.trim() === '' ? {} : { requestUri: text.trim(), _inexact: 1 };
  const paged = usePaged<Origin>('CorsSetting/ui', { ...search, _sort: 'requestUri' }, SHOWN);
  return (
    <>
      <PagedCard
        title={t('sec.origins')}
        action={
          <Button
            kind="main"
            onClick={() => {
              setOpen('new');
            }}
          >
            {t('sec.newOrigin')}
          </Button>
        }
        help={t('sec.originsHelp')}
        told={told}
        search={<SearchField label={t('sec.findPath')} text={text} onChange={setText} />}
        isSearched={text !== ''}
        none={t('sec.noOrigins')}
        paged={paged}
      >
        {(rows) => (
          <table>
            <thead>
              <tr>
                <th scope="col">{t('sec.path')}</th>
                <th scope="col">{t('sec.acceptedOrigins')}</th>
                <th scope="col">{t('sec.allowMethods')}</th>
                <th scope="col">
                  <span className="hidden">{t('sec.actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((origin) => (
                <tr key={origin.id}>
                  <th scope="row">
                    <bdi className="sec-signature">{origin.requestUri ?? ''}</bdi>
                  </th>
                  <td className="long">
                    {origin.acceptedOrigins ?? t('sec.asSettings')}{' '}
                    {origin.allowCredentials === 'true' ? <Badge kind="warn">{t('sec.withCookies')}</Badge> : null}
                  </td>
                  <td className="long">
                    {typeof origin['allowMethods'] === 'string' ? origin['allowMethods'] : t('sec.asSettings')}
                  </td>
                  <td className="actions">
                    <Button
                      aria-label={t('sec.editOf', { name: origin.requestUri ?? '' })}
                      onClick={() => {
                        setOpen(origin);
                      }}
                    >
                      {t('sec.edit')}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </PagedCard>
      {open === undefined ? null : (
        <OriginForm
          origin={open === 'new' ? undefined : open}
          onDone={(what) => {
            setTold(what);
            setOpen(undefined);
            paged.again();
          }}
          onClose={() => {
            setOpen(undefined);
          }}
        />
      )}
    </>
  );
}
