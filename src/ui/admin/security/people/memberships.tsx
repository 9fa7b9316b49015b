/** The groups that somebody is in, and the members of a group, each by pages. */
import { type ReactNode, useState } from 'react';
import { Badge, Button } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { ObjectPicker, type Picked } from '../../parts/object-picker.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import { Pager, SearchField, usePaged } from '../paged.js';
import { nameOf, putInto, SHOWN, takeOut, type Principal } from './principals.js';

export function GroupsOf({
  member,
  onChanged,
}: {
  readonly member: Principal;
  readonly onChanged: (told: string) => void;
}): ReactNode {
  const { t } = useAreaTexts(security);
  return (
    <Related
      path={`${encodeURIComponent(member.type)}/${member.id}/groups/ui`}
      label={t('sec.groups')}
      type="Group"
      pick={t('sec.group')}
      add={t('sec.put')}
      empty={t('sec.noGroupsOf')}
      onAdd={(group) => putInto(group, member.id)}
      onRemove={(group) => takeOut(group, member.id)}
      removeLabel={(name) => t('sec.takeOut', { name: nameOf(member), group: name })}
      onChanged={onChanged}
      told={t('sec.saved', { name: nameOf(member) })}
    />
  );
}

export function MembersOf({
  group,
  onChanged,
}: {
  readonly group: Principal;
  readonly onChanged: (told: string) => void;
}): ReactNode {
  const { t } = useAreaTexts(security);
  return (
    <Related
      path={`${encodeURIComponent(group.type)}/${group.id}/members/ui`}
      label={t('sec.members')}
      type="Principal"
      pick={t('sec.userOrGroup')}
      add={t('sec.put')}
      empty={t('sec.noMembers')}
      onAdd={(member) => putInto(group.id, member)}
      onRemove={(member) => takeOut(group.id, member)}
      removeLabel={(name) => t('sec.takeOut', { name, group: nameOf(group) })}
      onChanged={onChanged}
      told={t('sec.saved', { name: nameOf(group) })}
    />
  );
}

function Related(props: {
  readonly path: string;
  readonly label: string;
  readonly type: string;
  readonly pick: string;
  readonly add: string;
  readonly empty: string;
  readonly onAdd: (id: string) => Promise<void>;
  readonly onRemove: (id: string) => Promise<void>;
  readonly removeLabel: (name: string) => string;
  readonly onChanged: (told: string) => void;
  readonly told: string;
}): ReactNode {
  const { path, label, type, pick, add, empty, onAdd, onRemove, removeLabel, onChanged, told } = props;
  const { t } = useAreaTexts(security);
  const [text, setText] = useState('');
  const [picked, setPicked] = useState<Picked>();
  const { busy, problem, run } = useWork();
  const paged = usePaged<Principal>(path, text === '' ? {} : { name: text, _inexact: 1 }, SHOWN);
  const doIt = (work: () => Promise<void>): void => {
    void run(async () => {
      await work();
      setPicked(undefined);
      paged.again();
      onChanged(told);
    });
  };
  return (
    <>
      <Trouble problem={problem ?? paged.problem} />
      <div className="row sec-add">
        <div className="grow">
          <ObjectPicker type={type} label={pick} placeholder={pick} picked={picked} onPick={setPicked} />
        </div>
        <Button
          disabled={busy || picked === undefined}
          onClick={() => {
            if (picked !== undefined) doIt(() => onAdd(picked.id));
          }}
        >
          {add}
        </Button>
      </div>
      {paged.pages > 1 || text !== '' ? (
        <SearchField label={t('sec.findIn', { name: label })} text={text} onChange={setText} />
      ) : null}
      {paged.rows?.length === 0 ? <p className="soft">{text === '' ? empty : t('sec.nothingFits')}</p> : null}
      <ul className="sec-list" aria-label={label}>
        {(paged.rows ?? []).map((one) => (
          <li key={one.id} className="sec-item">
            <span className="sec-name">
              <bdi>{nameOf(one)}</bdi>
            </span>
            {one.isGroup === true ? <Badge>{t('sec.group')}</Badge> : null}
            <button
              type="button"
              className="button sec-small"
              disabled={busy}
              aria-label={removeLabel(nameOf(one))}
              title={removeLabel(nameOf(one))}
              onClick={() => {
                doIt(() => onRemove(one.id));
              }}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <Pager paged={paged} label={label} />
    </>
  );
}
