/** Users beside groups: who is dragged onto a group, or put into one by its button, is a member of it. */
import { type ReactNode, useState } from 'react';
import { Notice } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { goOn, placeOf } from '../../frame/place.js';
import { Trouble } from '../../frame/trouble.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import { GroupList } from './group-list.js';
import { PrincipalEditor } from './principal-editor.js';
import { isIn, nameOf, putInto, takeOut, type Principal } from './principals.js';
import { PutIntoGroup } from './put-into-group.js';
import type { Deeds } from './named.js';
import { UserList } from './user-list.js';

export function People({ opened }: { readonly opened: string | undefined }): ReactNode {
  const { t } = useAreaTexts(security);
  const [revision, setRevision] = useState(0);
  const [told, setTold] = useState('');
  const [asked, setAsked] = useState<readonly Principal[]>([]);
  const { problem, run } = useWork();
  const changed = (text: string): void => {
    setTold(text);
    setRevision((before) => before + 1);
  };
  const namesOf = (members: readonly Principal[]): string =>
    members.length === 1 ? members.map(nameOf).join('') : t('sec.several', { n: members.length });
  const put = (group: Principal, members: readonly Principal[]): void => {
    setTold('');
    void run(async () => {
      try {
        for (const { id } of members) if (!(await isIn(group.id, id))) await putInto(group.id, id);
        setTold(t('sec.isIn', { name: namesOf(members), group: nameOf(group) }));
      } finally {
        // Some may be in already.
        setRevision((before) => before + 1);
      }
    });
  };
  const take = (group: Principal, member: Principal): void => {
    setTold('');
    void run(async () => {
      await takeOut(group.id, member.id);
      changed(t('sec.isOut', { name: nameOf(member), group: nameOf(group) }));
    });
  };
  const open = (id: string): void => {
    location.hash = placeOf('security', 'people', id);
  };
  const deeds: Deeds = { open, ask: setAsked, put, take, revision, changed };
  return (
    <>
      <p className="soft">{t('sec.dragHelp')}</p>
      <Trouble problem={problem} />
      {told === '' ? null : <Notice kind="good">{told}</Notice>}
      <div className="sec-halves">
        <UserList deeds={deeds} />
        <GroupList deeds={deeds} />
      </div>
      {asked.length === 0 ? null : (
        <PutIntoGroup
          title={t('sec.putInto', { name: namesOf(asked) })}
          onChosen={(group) => {
            put(group, asked);
            setAsked([]);
          }}
          onClose={() => {
            setAsked([]);
          }}
        />
      )}
      {opened === undefined ? null : (
        <PrincipalEditor
          key={opened}
          id={opened}
          onChanged={changed}
          onClose={() => {
            goOn(placeOf('security', 'people'));
          }}
        />
      )}
    </>
  );
}
