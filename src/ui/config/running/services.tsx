/** Services: how they are, and what can be done with them. */
import type { ReactNode } from 'react';
import { Badge, Button, Notice } from '../../common/parts.js';
import { useLoaded, useWork } from '../../common/work.js';
import { server, type Service } from '../asking.js';

const STATES: Readonly<Record<Service['state'], readonly [text: string, kind: 'plain' | 'good' | 'warn' | 'wrong']>> = {
  running: ['running', 'good'],
  stopped: ['stopped', 'warn'],
  failed: ['failed', 'wrong'],
  ended: ['done at the start', 'plain'],
  off: ['left out by configured.services', 'plain'],
  absent: ['not needed in this version', 'plain'],
};
const WORDS = { start: 'Start', stop: 'Stop', restart: 'Restart' } as const;

export function ServicesArea(): ReactNode {
  const { value: services, set, problem: loading } = useLoaded(server.services);
  const { busy, problem, run } = useWork();
  const failed = loading ?? problem;
  return (
    <section>
      <div className="bar">
        <h2>Services</h2>
      </div>
      {failed === undefined ? null : <Notice kind="wrong">{failed.message}</Notice>}
      <div className="card">
        <table>
          <thead>
            <tr>
              <th scope="col">Service</th>
              <th scope="col">State</th>
              <th scope="col">Since</th>
              <th scope="col">
                <span className="hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {services?.map((service) => {
              const [text, kind] = STATES[service.state];
              return (
                <tr key={service.name}>
                  <th scope="row">
                    {service.name}
                    {service.vital ? <small className="soft"> part of the server itself</small> : null}
                  </th>
                  <td>
                    <Badge kind={kind}>{text}</Badge>
                    {service.problem === undefined ? null : <p className="wrong">{service.problem}</p>}
                  </td>
                  <td>{new Date(service.since).toLocaleString()}</td>
                  <td className="actions">
                    {service.actions.map((action) => (
                      <Button
                        key={action}
                        disabled={busy}
                        aria-label={`${WORDS[action]} ${service.name}`}
                        onClick={() => {
                          void run(async () => {
                            set(await server.act(service.name, action));
                          });
                        }}
                      >
                        {WORDS[action]}
                      </Button>
                    ))}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
