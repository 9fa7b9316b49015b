/** Host names that a page is served for (docs/interface/pages.md 2.3). */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button, TextField } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { change, create, list, type Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import type { OfNode } from './of-node.js';
import { useRead } from './use-read.js';

const SITES = 200;

interface Site extends Entity {
  readonly hostname: string | null;
  readonly port: number | null;
}

async function readSites(page: string): Promise<{ readonly all: readonly Site[]; readonly of: ReadonlySet<string> }> {
  const properties = ['id', 'type', 'name', 'hostname', 'port'];
  const [all, own] = await Promise.all([
    list<Site>('Site', { _sort: 'hostname', _pageSize: SITES, _page: 1 }, { properties }),
    list<Site>(`Page/${page}/sites`, { _pageSize: SITES, _page: 1 }, { properties }),
  ]);
  return { all: all.result, of: new Set(own.result.map(({ id }) => id)) };
}

export function Sites({ node, revision, touched }: OfNode): ReactNode {
  const { t } = useAreaTexts(pages);
  const [turn, setTurn] = useState(0);
  const [hostname, setHostname] = useState('');
  const [port, setPort] = useState('');
  const { value: sites, problem: unread } = useRead(() => readSites(node.id), [node.id, revision, turn]);
  // What was chosen is shown at once, and taken back when it is refused.
  const [chosen, setChosen] = useState<ReadonlySet<string>>();
  const { busy, problem, run } = useWork();
  const isBusy = useRef(busy);
  isBusy.current = busy;
  useEffect(() => {
    // What was read before a change that is on its way does not tell of it.
    if (!isBusy.current) setChosen(undefined);
  }, [sites]);
  const of = chosen ?? sites?.of;
  const again = (): void => {
    setTurn((before) => before + 1);
    touched();
  };
  const isRight = hostname.trim() !== '' && /^\d*$/.test(port.trim());
  return (
    <>
      <p className="soft">{t('pages.sitesHelp')}</p>
      <Trouble problem={problem ?? unread} />
      <fieldset disabled={busy}>
        <legend className="legend">{t('pages.tab.sites')}</legend>
        {sites !== undefined && sites.all.length === 0 ? <p className="soft">{t('pages.noSites')}</p> : null}
        {(sites?.all ?? []).map((site) => (
          <label key={site.id} className="choice">
            <input
              type="checkbox"
              checked={of?.has(site.id) === true}
              onChange={(event) => {
                const others = [...(of ?? [])].filter((id) => id !== site.id);
                const next = event.target.checked ? [...others, site.id] : others;
                setChosen(new Set(next));
                void run(async () => {
                  await change(`Page/${node.id}`, { sites: next });
                  again();
                }).then((isDone) => {
                  if (!isDone) setChosen(undefined);
                });
              }}
            />
            <span className="long">
              {site.hostname ?? ''}
              {site.port === null ? '' : `:${String(site.port)}`} <small className="soft">{site.name ?? ''}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          void run(async () => {
            await create('Site', {
              name: hostname.trim(),
              hostname: hostname.trim(),
              ...(port.trim() === '' ? {} : { port: Number(port) }),
              pages: [node.id],
            });
            setHostname('');
            setPort('');
            again();
          });
        }}
      >
        <TextField label={t('pages.hostname')} value={hostname} onChange={setHostname} />
        <TextField label={t('pages.port')} value={port} onChange={setPort} />
        <Button type="submit" kind="main" disabled={busy || !isRight}>
          {t('pages.newSite')}
        </Button>
      </form>
    </>
  );
}
