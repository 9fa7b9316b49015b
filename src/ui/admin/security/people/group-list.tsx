/** The groups, by pages; one that is opened shows its members, and groups in it can be opened as well. */
import { type DragEvent, type ReactNode, useState } from 'react';
import { Badge } from '../../../common/parts.js';
import { Trouble } from '../../frame/trouble.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import { CreatePrincipal } from './create-principal.js';
import { DRAGGED, nameOf, searchFor, SHOWN, type Principal } from './principals.js';
import { PagedCard, Pager, SearchField, usePaged } from '../paged.js';
import { drag, Name, type Deeds } from './named.js';

export function GroupList({ deeds }: { readonly deeds: Deeds }): ReactNode {
  const { t } = useAreaTexts(security);
  const [text, setText] = useState('');
  const paged = usePaged<Principal>('Group/ui', searchFor(text), SHOWN, { revision: deeds.revision });
  return (
    <PagedCard
      title={t('sec.groups')}
      action={<CreatePrincipal trait="Group" onCreated={deeds.changed} />}
      search={<SearchField label={t('sec.findGroup')} text={text} onChange={setText} />}
      isSearched={text !== ''}
      none={t('sec.noGroups')}
      paged={paged}
    >
      {(rows) => (
        <ul className="sec-list">
          {rows.map((group) => (
            <GroupItem key={group.id} group={group} deeds={deeds} above={[]} />
          ))}
        </ul>
      )}
    </PagedCard>
  );
}

/** What was dropped; empty: something else. */
function droppedOf(event: DragEvent): readonly Principal[] {
  const text = event.dataTransfer.getData(DRAGGED);
  return text === '' ? [] : (JSON.parse(text) as readonly Principal[]);
}

/** `above`: the groups that it is shown in, the nearest last. */
function GroupItem(props: {
  readonly group: Principal;
  readonly deeds: Deeds;
  readonly above: readonly Principal[];
}): ReactNode {
  const { group, deeds, above } = props;
  const { t } = useAreaTexts(security);
  const [isOpen, setOpen] = useState(false);
  const [isTarget, setTarget] = useState(false);
  const name = nameOf(group);
  return (
    <li>
      <div
        className={isTarget ? 'sec-item target' : 'sec-item'}
        draggable
        onDragStart={(event) => {
          drag(event, [group]);
        }}
        onDragOver={(event) => {
          if (!event.dataTransfer.types.includes(DRAGGED)) return;
          event.preventDefault();
          event.dataTransfer.dropEffect = 'copy';
          setTarget(true);
        }}
        onDragLeave={() => {
          setTarget(false);
        }}
        onDrop={(event) => {
          event.preventDefault();
          setTarget(false);
          const dropped = droppedOf(event);
          if (dropped.length > 0) {
            setOpen(true);
            deeds.put(group, dropped);
          }
        }}
      >
        <button
          type="button"
          className="sec-twist"
          aria-expanded={isOpen}
          aria-label={t('sec.membersOf', { name })}
          onClick={() => {
            setOpen(!isOpen);
          }}
        >
          {isOpen ? '▾' : '▸'}
        </button>
        <Name principal={group} deeds={deeds} />
        {group.isAdmin === true ? <Badge kind="warn">{t('sec.adminGroup')}</Badge> : null}
        <TakeOut member={group} group={above.at(-1)} deeds={deeds} />
      </div>
      {isOpen ? <Members group={group} deeds={deeds} above={above} /> : null}
    </li>
  );
}

function Members(props: {
  readonly group: Principal;
  readonly deeds: Deeds;
  readonly above: readonly Principal[];
}): ReactNode {
  const { group, deeds, above } = props;
  const { t } = useAreaTexts(security);
  const paged = usePaged<Principal>(`Group/${group.id}/members/ui`, {}, SHOWN, { revision: deeds.revision });
  return (
    <div className="sec-members">
      <Trouble problem={paged.problem} />
      {paged.rows?.length === 0 ? <p className="soft">{t('sec.noMembers')}</p> : null}
      <ul className="sec-list" aria-label={t('sec.membersOf', { name: nameOf(group) })}>
        {(paged.rows ?? []).map((member) =>
          member.isGroup === true ? (
            <GroupItem key={member.id} group={member} deeds={deeds} above={[...above, group]} />
          ) : (
            <li
              key={member.id}
              className="sec-item"
              draggable
              onDragStart={(event) => {
                drag(event, [member]);
              }}
            >
              <Name principal={member} deeds={deeds} />
              <TakeOut member={member} group={group} deeds={deeds} />
            </li>
          ),
        )}
      </ul>
      <Pager paged={paged} label={nameOf(group)} />
    </div>
  );
}

function TakeOut(props: {
  readonly member: Principal;
  readonly group: Principal | undefined;
  readonly deeds: Deeds;
}): ReactNode {
  const { member, group, deeds } = props;
  const { t } = useAreaTexts(security);
  if (group === undefined) return null;
  const label = t('sec.takeOut', { name: nameOf(member), group: nameOf(group) });
  return (
    <button
      type="button"
      className="button sec-small"
      aria-label={label}
      title={label}
      onClick={() => {
        deeds.take(group, member);
      }}
    >
      ×
    </button>
  );
}
