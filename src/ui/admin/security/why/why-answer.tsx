/** What the server answers to "why", in words. */
import type { ReactNode } from 'react';
import { Badge } from '../../../common/parts.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';

interface Named {
  readonly id: string;
  readonly type: string;
  readonly name: string | null;
}

type RuleName =
  | 'administrator'
  | 'adminGroup'
  | 'blocked'
  | 'visibleToPublicUsers'
  | 'visibleToAuthenticatedUsers'
  | 'typeVisibility'
  | 'self'
  | 'ownGroup'
  | 'owner'
  | 'grant'
  | 'schemaGrant'
  | 'propagation';

interface Rule {
  readonly rule: RuleName;
  readonly permits: boolean;
  readonly principal?: Partial<Named> & { readonly id: string };
  readonly allowed?: readonly string[];
  readonly ignored?: boolean;
  readonly path?: readonly (Named & { readonly relType: string; readonly direction: 'in' | 'out' })[];
}

const RIGHTS = ['read', 'write', 'delete', 'accessControl'] as const;
const METHODS = ['GET', 'PUT', 'DELETE'] as const;

/** As `_access` answers. */
export interface Explained {
  readonly object: Named;
  readonly user: Named | null;
  readonly blocked: boolean;
  readonly rights: Readonly<
    Record<(typeof RIGHTS)[number], { readonly permitted: boolean; readonly rules: readonly Rule[] }>
  >;
  readonly endpoints: Readonly<
    Record<(typeof METHODS)[number], { readonly signature: string; readonly permitted: boolean }>
  >;
}

export function Answer({ answer }: { readonly answer: Explained }): ReactNode {
  const { t } = useAreaTexts(security);
  return (
    <div className="sec-answers">
      {RIGHTS.map((right) => {
        const { permitted, rules } = answer.rights[right];
        return (
          <section key={right} aria-label={t(`sec.right.${right}`)}>
            <h3>
              {t(`sec.right.${right}`)} <Verdict permitted={permitted} />
            </h3>
            <ul className="sec-rules">
              {rules.map((rule, i) => (
                <li key={i} className={rule.permits ? 'permits' : 'soft'}>
                  <span aria-hidden="true">{rule.permits ? '✓' : '–'}</span>
                  <span>
                    <span className="hidden">{t(rule.permits ? 'sec.permits' : 'sec.permitsNot')} </span>
                    <RuleText rule={rule} />
                  </span>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      <section aria-label={t('sec.viaRest')}>
        <h3>{t('sec.viaRest')}</h3>
        <ul className="sec-rules">
          {METHODS.map((method) => (
            <li key={method}>
              <code>
                {method} {answer.endpoints[method].signature}
              </code>{' '}
              <Verdict permitted={answer.endpoints[method].permitted} />
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function Verdict({ permitted }: { readonly permitted: boolean }): ReactNode {
  const { t } = useAreaTexts(security);
  return <Badge kind={permitted ? 'good' : 'wrong'}>{t(permitted ? 'sec.may' : 'sec.mayNot')}</Badge>;
}

function RuleText({ rule }: { readonly rule: Rule }): ReactNode {
  const { t } = useAreaTexts(security);
  const { principal, permits, allowed, path, ignored } = rule;
  const words = t(`sec.rule.${rule.rule}`);
  const name = principal === undefined ? undefined : (principal.name ?? principal.id);
  return (
    <>
      {words}
      {ignored === true ? ` – ${t('sec.ignored')}` : ''}
      {name === undefined ? (
        permits ? null : (
          ` – ${t('sec.no')}`
        )
      ) : (
        <>
          {': '}
          <bdi>{name}</bdi>
        </>
      )}
      {allowed === undefined ? null : ` (${allowed.join(', ')})`}
      {path === undefined ? null : (
        <span>
          {path.map(({ id, name: node, type, relType, direction }) => (
            <span key={id}>
              {' '}
              {direction === 'in' ? '←' : '→'} {relType} <bdi>{node ?? id}</bdi> ({type})
            </span>
          ))}
        </span>
      )}
    </>
  );
}
