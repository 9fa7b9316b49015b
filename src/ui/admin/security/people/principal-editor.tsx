/** A user or a group, opened: what it is, how it logs in, its groups and members, its sessions. */
import { type ReactNode, useState } from 'react';
import { Button, Confirm } from '../../../common/parts.js';
import { useLoaded } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { TabRow } from '../../parts/tab-row.js';
import { read } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import { DeleteFooter } from '../delete-footer.js';
import { useEdited } from '../edited.js';
import { GroupForm } from './group-form.js';
import { GroupsOf, MembersOf } from './memberships.js';
import { nameOf, type Opened } from './principals.js';
import { UserForm } from './user-form.js';
import { UserLogin } from './user-login.js';
import { UserSessions } from './user-sessions.js';

const GROUP = ['id', 'type', 'name', 'isGroup', 'isAdmin', 'jwksReferenceId'];
const USER = [
  ...['id', 'type', 'name', 'eMail', 'isGroup', 'isAdmin', 'blocked', 'skipSecurityRelationships', 'locale'],
  ...['publicKey', 'publicKeys', 'passwordAttempts', 'passwordChangeDate', 'lastLoginDate', 'confirmationKey'],
  ...['isTwoFactorUser', 'twoFactorConfirmed', 'refreshTokens'],
];

export function PrincipalEditor({
  id,
  onChanged,
  onClose,
}: {
  readonly id: string;
  readonly onChanged: (told: string) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useAreaTexts(security);
  const loaded = useLoaded(() =>
    read<Opened>(`Principal/${id}/all`, {}, { properties: [...new Set([...USER, ...GROUP])] }),
  );
  const opened = loaded.value;
  if (opened === undefined)
    return (
      <Modal title={t('app.loading')} onClose={onClose}>
        <Trouble problem={loaded.problem} />
        <Button onClick={onClose}>{t('sec.close')}</Button>
      </Modal>
    );
  return <Editor opened={opened} again={loaded.again} onChanged={onChanged} onClose={onClose} />;
}

function Editor(props: {
  readonly opened: Opened;
  readonly again: () => void;
  readonly onChanged: (told: string) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { opened, again, onChanged, onClose } = props;
  const { t } = useAreaTexts(security);
  const [tab, setTab] = useState<string>();
  const path = `${encodeURIComponent(opened.type)}/${opened.id}`;
  const saved = (): void => {
    onChanged(t('sec.saved', { name: nameOf(opened) }));
    again();
  };
  // Here, so that what was typed stays while another tab is looked at.
  const edited = useEdited(path, opened);
  const [leaving, setLeaving] = useState(false);
  const leave = (): void => {
    if (edited.isChanged) setLeaving(true);
    else onClose();
  };
  const groups = {
    name: 'groups',
    title: t('sec.groups'),
    content: () => <GroupsOf member={opened} onChanged={onChanged} />,
  };
  const tabs =
    opened.isGroup === true
      ? [
          {
            name: 'group',
            title: t('sec.group'),
            content: () => <GroupForm edited={edited} onSaved={saved} />,
          },
          {
            name: 'members',
            title: t('sec.members'),
            content: () => <MembersOf group={opened} onChanged={onChanged} />,
          },
          groups,
        ]
      : [
          {
            name: 'user',
            title: t('sec.user'),
            content: () => <UserForm edited={edited} opened={opened} onSaved={saved} />,
          },
          {
            name: 'login',
            title: t('sec.login'),
            content: () => <UserLogin path={path} opened={opened} onSaved={saved} />,
          },
          groups,
          {
            name: 'sessions',
            title: t('sec.sessions'),
            content: () => <UserSessions path={path} opened={opened} again={again} />,
          },
        ];
  return (
    <Modal title={nameOf(opened)} wide onClose={leave}>
      <TabRow label={nameOf(opened)} tabs={tabs} chosen={tab} onChoose={setTab} />
      {leaving ? (
        <Confirm
          question={t('sec.notSaved')}
          yes={t('sec.discard')}
          no={t('app.cancel')}
          onYes={onClose}
          onNo={() => {
            setLeaving(false);
          }}
        />
      ) : null}
      <DeleteFooter
        path={path}
        question={t('sec.deleteSure', { name: nameOf(opened) })}
        onDeleted={() => {
          onChanged(t('sec.deleted', { name: nameOf(opened) }));
          onClose();
        }}
        onClose={leave}
      />
    </Modal>
  );
}
