/** Who sees a node and who may do what with it, and the same for all that is in it (docs/interface/security.md 9.8). */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button, Confirm, Notice, Tick } from '../../../common/parts.js';
import { send } from '../../../common/request.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { ObjectPicker } from '../../parts/object-picker.js';
import { change, list, restPath, type Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { subtreeOf, valuesOf } from '../page/nodes.js';
import type { OfNode } from './of-node.js';
import { useRead } from './use-read.js';

const RIGHTS = ['read', 'write', 'delete', 'accessControl'] as const;
type Right = (typeof RIGHTS)[number];
/** Grants of one node that are shown, and nodes that are written in one request. */
const GRANTS = 200;
const AT_ONCE = 200;

interface Grant {
  readonly id: string;
  readonly name: string;
  readonly allowed: readonly string[];
}

interface Access {
  readonly publicly: boolean;
  readonly byUsers: boolean;
  readonly owner: Entity | undefined;
  readonly grants: readonly Grant[];
}

async function readAccess(id: string): Promise<Access> {
  const [values, rights, principals] = await Promise.all([
    valuesOf(`DOMNode/${id}`, ['visibleToPublicUsers', 'visibleToAuthenticatedUsers', 'owner']),
    list<Entity & { readonly principalId: string; readonly allowed: readonly string[] }>('Security', {
      targetId: id,
      _pageSize: GRANTS,
      _page: 1,
    }),
    list(`DOMNode/${id}/grantees`, { _pageSize: GRANTS, _page: 1 }, { properties: ['id', 'type', 'name'] }),
  ]);
  return {
    publicly: values['visibleToPublicUsers'] === true,
    byUsers: values['visibleToAuthenticatedUsers'] === true,
    owner: (values['owner'] as Entity | null | undefined) ?? undefined,
    grants: principals.result.map(({ id: principal, name }) => ({
      id: principal,
      name: name ?? principal,
      allowed: rights.result.find(({ principalId }) => principalId === principal)?.allowed ?? [],
    })),
  };
}

const granteesOf = (
  grants: readonly Grant[],
): readonly { readonly id: string; readonly allowed: readonly string[] }[] =>
  grants.map(({ id, allowed }) => ({ id, allowed }));

export function Access({ node, revision, touched }: OfNode): ReactNode {
  const { t } = useAreaTexts(pages);
  const [turn, setTurn] = useState(0);
  const { value: stored, problem: unread } = useRead(() => readAccess(node.id), [node.id, revision, turn]);
  // What was chosen is shown at once, and taken back when it is refused.
  const [chosen, setChosen] = useState<Partial<Access>>({});
  const { busy, problem, run } = useWork();
  const isBusy = useRef(busy);
  isBusy.current = busy;
  useEffect(() => {
    // What was read before a change that is on its way does not tell of it.
    if (!isBusy.current) setChosen({});
  }, [stored]);
  const write = (values: Readonly<Record<string, unknown>>, shown: Partial<Access>): void => {
    setChosen(shown);
    void run(async () => {
      await change(`DOMNode/${node.id}`, values);
      setTurn((before) => before + 1);
      touched();
    }).then((isDone) => {
      if (!isDone) setChosen({});
    });
  };
  const access = stored === undefined ? undefined : { ...stored, ...chosen };
  if (access === undefined) return <Trouble problem={unread} />;
  return (
    <>
      <Trouble problem={problem ?? unread} />
      <fieldset disabled={busy}>
        <legend className="legend">{t('pages.seenBy')}</legend>
        <Tick
          label={t('pages.publicly')}
          checked={access.publicly}
          onChange={(visibleToPublicUsers) => {
            write({ visibleToPublicUsers }, { publicly: visibleToPublicUsers });
          }}
        />
        <Tick
          label={t('pages.byUsers')}
          checked={access.byUsers}
          onChange={(visibleToAuthenticatedUsers) => {
            write({ visibleToAuthenticatedUsers }, { byUsers: visibleToAuthenticatedUsers });
          }}
        />
      </fieldset>
      <div className="field">
        <span className="label">{t('pages.owner')}</span>
        <ObjectPicker
          key={access.owner?.id ?? ''}
          type="Principal"
          label={t('pages.owner')}
          disabled={busy}
          picked={access.owner === undefined ? undefined : { id: access.owner.id, name: access.owner.name ?? '' }}
          onPick={(picked) => {
            write({ owner: picked?.id ?? null }, {});
          }}
        />
      </div>
      <Grants
        grants={access.grants}
        busy={busy}
        onWrite={(grants) => {
          write({ grantees: granteesOf(grants.filter(({ allowed }) => allowed.length > 0)) }, { grants });
        }}
      />
      <Recursive node={node} access={access} touched={touched} />
    </>
  );
}

function Grants(props: {
  readonly grants: readonly Grant[];
  readonly busy: boolean;
  readonly onWrite: (grants: readonly Grant[]) => void;
}): ReactNode {
  const { grants, busy, onWrite } = props;
  const { t } = useAreaTexts(pages);
  const set = (id: string, right: Right, isAllowed: boolean): void => {
    const next = grants.map((grant) =>
      grant.id === id
        ? { ...grant, allowed: isAllowed ? [...grant.allowed, right] : grant.allowed.filter((one) => one !== right) }
        : grant,
    );
    onWrite(next);
  };
  return (
    <fieldset disabled={busy}>
      <legend className="legend">{t('pages.grants')}</legend>
      {grants.length === 0 ? <p className="soft">{t('pages.noGrants')}</p> : null}
      {grants.map(({ id, name, allowed }) => (
        <div key={id} className="grant">
          <span className="long">{name}</span>
          {RIGHTS.map((right) => (
            <label key={right} className="inline">
              <input
                type="checkbox"
                aria-label={`${name}: ${t(`pages.right.${right}`)}`}
                checked={allowed.includes(right)}
                onChange={(event) => {
                  set(id, right, event.target.checked);
                }}
              />
              {t(`pages.right.${right}`)}
            </label>
          ))}
        </div>
      ))}
      <div className="field">
        <span className="label">{t('pages.addGrant')}</span>
        <ObjectPicker
          key={grants.length}
          type="Principal"
          label={t('pages.addGrant')}
          picked={undefined}
          onPick={(picked) => {
            if (picked !== undefined && !grants.some(({ id }) => id === picked.id))
              onWrite([...grants, { ...picked, allowed: ['read'] }]);
          }}
        />
      </div>
    </fieldset>
  );
}

/** The same for all that is in the node. */
function Recursive(props: {
  readonly node: OfNode['node'];
  readonly access: Access;
  readonly touched: () => void;
}): ReactNode {
  const { node, access, touched } = props;
  const { t } = useAreaTexts(pages);
  const [asked, setAsked] = useState<'visibility' | 'all'>();
  const [done, setDone] = useState<number>();
  const { busy, problem, run } = useWork();
  const write = async (): Promise<void> => {
    const [, ...below] = await subtreeOf(node.id);
    const values = {
      visibleToPublicUsers: access.publicly,
      visibleToAuthenticatedUsers: access.byUsers,
      ...(asked === 'all' ? { grantees: granteesOf(access.grants), owner: access.owner?.id ?? null } : {}),
    };
    for (let from = 0; from < below.length; from += AT_ONCE) {
      const json = below.slice(from, from + AT_ONCE).map((id) => ({ id, ...values }));
      await send(restPath('DOMNode'), { method: 'PATCH', json });
    }
    setAsked(undefined);
    setDone(below.length);
    touched();
  };
  return (
    <section>
      <h3>{t('pages.recursive')}</h3>
      <Trouble problem={problem} />
      {done === undefined ? null : <Notice kind="good">{t('pages.recursiveDone', { count: done })}</Notice>}
      {asked === undefined ? (
        <div className="row">
          <Button
            onClick={() => {
              setAsked('visibility');
            }}
          >
            {t('pages.sameVisibility')}
          </Button>
          <Button
            onClick={() => {
              setAsked('all');
            }}
          >
            {t('pages.sameAccess')}
          </Button>
        </div>
      ) : (
        <Confirm
          question={asked === 'all' ? t('pages.sameAccessQuestion') : t('pages.sameVisibilityQuestion')}
          yes={t('pages.apply')}
          no={t('app.cancel')}
          disabled={busy}
          onYes={() => void run(write)}
          onNo={() => {
            setAsked(undefined);
          }}
        />
      )}
    </section>
  );
}
