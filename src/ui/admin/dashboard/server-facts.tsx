/** Version, instance, database, memory, and the instances beside this one. */
import type { ReactNode } from 'react';
import { Badge, Notice } from '../../common/parts.js';
import { Trouble } from '../frame/trouble.js';
import { useAgainAndAgain } from '../server/again-and-again.js';
import { read } from '../server/rest.js';
import { useFormats, useTexts } from '../texts/index.js';

const PAUSE_MS = 10_000;

interface Environment {
  readonly services?: readonly ServiceFacts[];
  readonly components: { readonly svc: { readonly version: string } };
  readonly instanceName: string;
  readonly instanceStage: string;
  readonly startDate: string;
  readonly databaseService: string;
  readonly dashboardInfo: {
    readonly configFileInfo: {
      readonly actualPermissions: string | null;
      readonly expectedPermissions: string;
      readonly permissionsOk: boolean;
    };
    readonly runtimeInfo: {
      readonly maxMemory: number;
      readonly totalMemory: number;
      readonly availableProcessors: number;
      readonly loadAverage: readonly number[];
    };
  };
}

interface ServiceFacts {
  readonly name: string;
  readonly state: string;
  readonly since: string;
  readonly problem?: string;
}

interface Cluster {
  readonly members: readonly {
    readonly name: string;
    readonly coordinator: boolean;
    readonly alive: boolean;
    readonly self: boolean;
  }[];
}

const load = async (): Promise<{ environment: Environment; cluster: Cluster }> => {
  const [environment, cluster] = await Promise.all([read<Environment>('_env'), read<Cluster>('_cluster')]);
  return { environment, cluster };
};

export function ServerFacts(): ReactNode {
  const { t } = useTexts();
  const { time, bytes, number } = useFormats();
  const { value, problem } = useAgainAndAgain(load, PAUSE_MS);
  // What is below must not move when they come.
  if (value === undefined)
    return (
      <>
        <section className="card">
          <h2>{t('dashboard.server')}</h2>
          <Trouble problem={problem} />
        </section>
        <section className="card">
          <h2>{t('services.title')}</h2>
        </section>
      </>
    );
  const { environment, cluster } = value;
  const { runtimeInfo, configFileInfo } = environment.dashboardInfo;
  const name = [environment.instanceName || t('dashboard.noName'), environment.instanceStage]
    .filter(Boolean)
    .join(' · ');
  return (
    <>
      <section className="card">
        <h2>{t('dashboard.server')}</h2>
        <Trouble problem={problem} />
        {configFileInfo.permissionsOk ? null : (
          <Notice kind="note">
            {t('dashboard.settingsFile', {
              actual: configFileInfo.actualPermissions ?? '',
              expected: configFileInfo.expectedPermissions,
            })}
          </Notice>
        )}
        <dl className="facts">
          <Fact name={t('dashboard.version')}>{environment.components.svc.version}</Fact>
          <Fact name={t('dashboard.instance')}>{name}</Fact>
          <Fact name={t('dashboard.database')}>{environment.databaseService}</Fact>
          <Fact name={t('dashboard.started')}>{time(environment.startDate)}</Fact>
          <Fact name={t('dashboard.memory')}>
            {t('dashboard.ofMachine', { used: bytes(runtimeInfo.totalMemory), all: bytes(runtimeInfo.maxMemory) })}
          </Fact>
          <Fact name={t('dashboard.processors')}>{number(runtimeInfo.availableProcessors)}</Fact>
          <Fact name={t('dashboard.load')}>
            {runtimeInfo.loadAverage.map((load) => number(Math.round(load * 100) / 100)).join(' · ')}
          </Fact>
          {cluster.members.length < 2 ? null : (
            <Fact name={t('dashboard.instances')}>
              {cluster.members.map((member) => (
                <span key={member.name} className="member">
                  {member.name} {member.coordinator ? <Badge kind="good">{t('dashboard.coordinator')}</Badge> : null}
                </span>
              ))}
            </Fact>
          )}
        </dl>
      </section>
      <ServicesOf services={environment.services ?? []} />
    </>
  );
}

/** States that have a word; another one is shown as the server has it. */
const STATES = ['running', 'stopped', 'failed', 'ended', 'absent', 'off'] as const;

function ServicesOf({ services }: { readonly services: readonly ServiceFacts[] }): ReactNode {
  const { t } = useTexts();
  const { time } = useFormats();
  return (
    <section className="card">
      <h2>{t('services.title')}</h2>
      <dl className="facts">
        {services.map(({ name, state, since, problem }) => {
          const known = STATES.find((one) => one === state);
          const kind = state === 'failed' ? 'wrong' : state === 'running' ? 'good' : 'plain';
          return (
            <Fact key={name} name={name}>
              <span title={t('services.since', { time: time(since) })}>
                <Badge kind={kind}>{known === undefined ? state : t(`services.${known}`)}</Badge>
              </span>
              {problem === undefined ? null : <small className="wrong"> {problem}</small>}
            </Fact>
          );
        })}
      </dl>
      <p className="soft">{t('services.start')}</p>
    </section>
  );
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
