/** One group of settings: searched, changed together, saved at once. */
import { type FormEvent, type ReactNode, useMemo, useState } from 'react';
import { Button, Notice } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { server, type Setting, type Settings } from '../asking.js';
import { DynamicSettings } from './dynamic.js';
import type { Edits } from './edits.js';
import { SettingRow } from './setting-row.js';

export function SettingsArea({
  title,
  settings,
  shown,
  withDynamic,
  onSaved,
}: {
  readonly title: string;
  readonly settings: Settings;
  readonly shown: readonly Setting[];
  readonly withDynamic: boolean;
  readonly onSaved: (settings: Settings) => void;
}): ReactNode {
  const [edits, setEdits] = useState<Edits>({});
  const [search, setSearch] = useState('');
  const [told, setTold] = useState<string>();
  const { busy, problem, run } = useWork();
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  // A search looks through all groups.
  const among = words.length > 0 ? settings.settings : shown;
  const groups = useMemo(() => inGroups(among.filter((setting) => fits(setting, words))), [among, search]);
  const count = Object.keys(edits).length;

  const edit = (name: string, text: string | null | undefined): void => {
    setTold(undefined);
    const { [name]: _, ...rest } = edits;
    setEdits(text === undefined ? rest : { ...rest, [name]: text });
  };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    void run(async () => {
      onSaved(await server.save(edits));
      setEdits({});
      setTold('Saved.');
    });
  };
  /** At once, and beside what is entered. */
  const reset = (name: string): void => {
    void run(async () => {
      onSaved(await server.save({ [name]: null }));
      edit(name, undefined);
      setTold(`${name} is back at its default.`);
    });
  };
  const reload = (): void => {
    void run(async () => {
      const { changed } = await server.reload();
      onSaved(await server.settings());
      setTold(
        changed.length === 0
          ? 'The file has nothing new.'
          : `Read again: ${changed.map(({ name }) => name).join(', ')}.`,
      );
    });
  };

  return (
    <form onSubmit={save}>
      <div className="bar">
        <h2>{words.length > 0 ? 'All settings' : title}</h2>
        <input
          type="search"
          className="search"
          placeholder="Search all settings"
          aria-label="Search all settings"
          value={search}
          onChange={(event) => {
            setSearch(event.target.value);
          }}
        />
        <Button type="button" onClick={reload} disabled={busy}>
          Read svc.conf again
        </Button>
      </div>
      {told === undefined ? null : <Notice kind="good">{told}</Notice>}
      {groups.length === 0 && !withDynamic ? <p className="soft">No setting has these words.</p> : null}
      {groups.map(([heading, members]) => (
        <section key={heading} className="card">
          <h3>{heading}</h3>
          {members.map((setting) => (
            <SettingRow
              key={setting.name}
              setting={setting}
              edit={edits[setting.name]}
              problem={problem?.fields.has(setting.name) === true ? problem.message : undefined}
              onEdit={(text) => {
                edit(setting.name, text);
              }}
              onReset={() => {
                reset(setting.name);
              }}
            />
          ))}
        </section>
      ))}
      {withDynamic && words.length === 0 ? (
        <DynamicSettings settings={settings.dynamic} edits={edits} onEdit={edit} />
      ) : null}
      {count === 0 ? null : (
        <div className="save" role="region" aria-label="Changes">
          {problem === undefined ? null : <Notice kind="wrong">{problem.message}</Notice>}
          <span>{count === 1 ? '1 change' : `${String(count)} changes`}</span>
          <Button
            type="button"
            onClick={() => {
              setEdits({});
            }}
          >
            Discard
          </Button>
          <Button kind="main" type="submit" disabled={busy}>
            Save
          </Button>
        </div>
      )}
    </form>
  );
}

function fits({ name, text }: Setting, words: readonly string[]): boolean {
  const all = `${name} ${text}`.toLowerCase();
  return words.every((word) => all.includes(word));
}

/** By what stands behind the slash of their groups, in their order. */
function inGroups(settings: readonly Setting[]): readonly (readonly [string, readonly Setting[]])[] {
  const groups = new Map<string, Setting[]>();
  for (const setting of settings) {
    const heading = setting.group.split('/')[1] ?? 'General';
    groups.set(heading, [...(groups.get(heading) ?? []), setting]);
  }
  return [...groups];
}
