/** The methods of a type (docs/interface/schema.md 2.4, 11, 12). */
import { type ReactNode, useState } from 'react';
import { Badge, Button, Empty } from '../../../common/parts.js';
import { useLoaded } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import type { Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { memberTexts } from '../../texts/schema-members.js';
import { loadMembers, text, type Owner } from '../model.js';
import { MethodForm } from './method-form.js';

export function MethodList({ owner, isService }: { readonly owner: Owner; readonly isService: boolean }): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const { value: methods, again, problem } = useLoaded(() => loadMembers('SchemaMethod', owner));
  const [open, setOpen] = useState<Entity | 'new'>();
  const close = (): void => {
    setOpen(undefined);
  };
  return (
    <div>
      <div className="bar">
        <span className="grow soft">{isService ? t('methods.serviceHelp') : t('methods.help')}</span>
        <Button
          kind="main"
          onClick={() => {
            setOpen('new');
          }}
        >
          {t('methods.create')}
        </Button>
      </div>
      <Trouble problem={problem} />
      {open === undefined ? null : (
        <MethodForm
          owner={owner}
          method={open === 'new' ? undefined : open}
          onDone={() => {
            close();
            again();
          }}
          onClose={close}
        />
      )}
      {methods === undefined ? null : methods.length === 0 ? (
        <Empty>{t('methods.none')}</Empty>
      ) : (
        <table className="schema-table framed">
          <thead>
            <tr>
              <th scope="col">{t('properties.name')}</th>
              <th scope="col">{t('methods.called')}</th>
              <th scope="col">{t('methods.summary')}</th>
            </tr>
          </thead>
          <tbody>
            {methods.map((method) => (
              <tr key={method.id}>
                <th scope="row" className="long">
                  <button
                    type="button"
                    className="link"
                    onClick={() => {
                      setOpen(method);
                    }}
                  >
                    {method.name}
                  </button>
                </th>
                <td>
                  <span className="marks">
                    {method['isPrivate'] === true ? (
                      <Badge>{t('methods.private')}</Badge>
                    ) : (
                      <Badge kind="good">{text(method['httpVerb']) || 'POST'}</Badge>
                    )}
                    {method['isStatic'] === true ? <Badge>{t('methods.static')}</Badge> : null}
                    {method['includeInOpenAPI'] === true ? <Badge>OpenAPI</Badge> : null}
                  </span>
                </td>
                <td className="long">{text(method['summary']).slice(0, 200)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
