/** Who is logged in to these pages. */
import type { ReactNode } from 'react';
import { Badge, Button, Notice } from '../../common/parts.js';
import { useLoaded, useWork } from '../../common/work.js';
import { server } from '../asking.js';

export function SessionsArea(): ReactNode {
  const { value: sessions, set, problem: loading } = useLoaded(server.sessions);
  const { busy, problem, run } = useWork();
  const failed = loading ?? problem;
  return (
    <section>
      <div className="bar">
        <h2>Sessions</h2>
      </div>
      <p className="soft">
        Logins to these pages. They end after 30 minutes without a request, and when the server ends.
      </p>
      {failed === undefined ? null : <Notice kind="wrong">{failed.message}</Notice>}
      <div className="card">
        <table>
          <thead>
            <tr>
              <th scope="col">Address</th>
              <th scope="col">Program</th>
              <th scope="col">Since</th>
              <th scope="col">Last seen</th>
              <th scope="col">
                <span className="hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {sessions?.map(({ id, address, agent, since, lastSeen, own }) => (
              <tr key={id}>
                <th scope="row">{address}</th>
                <td className="long">{agent}</td>
                <td>{new Date(since).toLocaleString()}</td>
                <td>{new Date(lastSeen).toLocaleString()}</td>
                <td className="actions">
                  {own ? (
                    <Badge>this one</Badge>
                  ) : (
                    <Button
                      disabled={busy}
                      onClick={() => {
                        void run(async () => {
                          set(await server.endSession(id));
                        });
                      }}
                    >
                      End
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
