/** Which pages of other origins may read answers (CorsSetting, docs/interface/security.md 11). */
import { type ReactNode, useState } from 'react';
import { Badge, Button, Notice } from '../../../common/parts.js';
import { Trouble } from '../../frame/trouble.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { useFormats } from '../../texts/index.js';
import { security } from '../../texts/security.js';
import { OriginForm } from './origin-form.js';
import { Pager, SearchField, usePaged } from '../paged.js';

export interface Origin {
  readonly id: string;
  readonly requestUri: string | null;
  readonly acceptedOrigins: string | null;
  readonly allowCredentials: string | null;
  readonly [key: string]: unknown;
}

const SHOWN = [
  ...['id', 'type', 'requestUri', 'acceptedOrigins', 'allowMethods', 'allowHeaders', 'allowCredentials'],
  ...['exposeHeaders', 'maxAge'],
];

export function Origins(): ReactNode {
  const { t } = useAreaTexts(security);
  const { number } = useFormats();
  const [text, setText] = useState('');
  const [open, setOpen] = useState<Origin | 'new'>();
  const [told, setTold] = useState('');
  const search = text.trim() === '' ? {} : { requestUri: text.trim(), _inexact: 1 };
  const paged = usePaged<Origin>('CorsSetting/ui', { ...search, _sort: 'requestUri' }, SHOWN);
  return (
    <section className="card" aria-label={t('sec.origins')}>
      <div className="row spread sec-head">
        <h2>
          {t('sec.origins')}{' '}
          <small className="soft" role="status">
            {paged.rows === undefined ? '' : number(paged.count)}
          </small>
        </h2>
        <Button
          kind="main"
          onClick={() => {
            setOpen('new');
          }}
        >
          {t('sec.newOrigin')}
        </Button>
      </div>
      <p className="soft">{t('sec.originsHelp')}</p>
      {told === '' ? null : <Notice kind="good">{told}</Notice>}
      <SearchField label={t('sec.findPath')} text={text} onChange={setText} />
      <Trouble problem={paged.problem} />
      {paged.rows?.length === 0 ? <p className="soft">{t(text === '' ? 'sec.noOrigins' : 'sec.nothingFits')}</p> : null}
      {paged.rows === undefined || paged.rows.length === 0 ? null : (
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
            {paged.rows.map((origin) => (
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
      <Pager paged={paged} label={t('sec.origins')} />
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
    </section>
  );
}
