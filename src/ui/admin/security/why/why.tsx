/** Why a user may do what with an object: each rule as the server decides by it (docs/interface/security.md 9.10). */
import { type ReactNode, useEffect, useState } from 'react';
import { Badge, Button } from '../../../common/parts.js';
import { useLoaded, useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { placeOf } from '../../frame/place.js';
import { ObjectPicker, type Picked } from '../../parts/object-picker.js';
import { read } from '../../server/rest.js';
import { loadTypes } from '../../server/schema.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import { Answer, type Explained } from './why-answer.js';

/** The type of which objects are looked for at first: any. */
const ANY = 'NodeInterface';

/** `object` and `user`: ids in the address, so that an answer can be shown to somebody else. */
export function Why({
  object,
  user,
}: {
  readonly object: string | undefined;
  readonly user: string | undefined;
}): ReactNode {
  const { t } = useAreaTexts(security);
  const types = useLoaded(loadTypes);
  const [type, setType] = useState(ANY);
  const [pickedObject, pickObject] = useState<Picked | undefined>(
    object === undefined ? undefined : { id: object, name: object },
  );
  const [pickedUser, pickUser] = useState<Picked | undefined>(
    user === undefined ? undefined : { id: user, name: user },
  );
  const [answer, setAnswer] = useState<Explained>();
  const { busy, problem, run } = useWork();
  useEffect(() => {
    if (object === undefined) return;
    void run(async () => {
      const explained = await read<Explained>(`_access/${object}`, { user });
      setAnswer(explained);
      pickObject({ id: object, name: explained.object.name ?? object });
      if (explained.user !== null) pickUser({ id: explained.user.id, name: explained.user.name ?? explained.user.id });
    }).then((isDone) => {
      if (!isDone) setAnswer(undefined);
    });
  }, [object, user]);
  return (
    <section className="card" aria-label={t('sec.why')}>
      <h2>{t('sec.why')}</h2>
      <p className="soft">{t('sec.whyHelp')}</p>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (pickedObject === undefined) return;
          const ids = [pickedObject.id, ...(pickedUser === undefined ? [] : [pickedUser.id])];
          location.hash = placeOf('security', 'why', ...ids);
        }}
      >
        <label className="field sec-labelled">
          {t('sec.type')}
          <select
            value={type}
            onChange={(event) => {
              setType(event.target.value);
              pickObject(undefined);
            }}
          >
            <option value={ANY}>{t('sec.anyType')}</option>
            {(types.value ?? [])
              .filter(({ name }) => name !== ANY)
              .map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
          </select>
        </label>
        <div className="field">
          <span className="sec-label">{t('sec.object')}</span>
          <ObjectPicker
            key={type}
            type={type}
            label={t('sec.object')}
            placeholder={t('sec.object')}
            picked={pickedObject}
            onPick={pickObject}
          />
        </div>
        <div className="field">
          <span className="sec-label">{t('sec.user')}</span>
          <ObjectPicker
            type="User"
            label={t('sec.userOrNobody')}
            placeholder={t('sec.userOrNobody')}
            picked={pickedUser}
            onPick={pickUser}
          />
        </div>
        <Button type="submit" kind="main" disabled={busy || pickedObject === undefined}>
          {t('sec.explain')}
        </Button>
      </form>
      <p className="soft">{t('sec.nobodyHelp')}</p>
      <Trouble problem={problem ?? types.problem} />
      {answer === undefined || object === undefined ? null : (
        <>
          <h3 className="sec-asked">
            <bdi>{answer.user === null ? t('sec.notLoggedIn') : (answer.user.name ?? answer.user.id)}</bdi>
            {' → '}
            <bdi>{answer.object.name ?? answer.object.id}</bdi> <Badge>{answer.object.type}</Badge>{' '}
            {answer.blocked ? <Badge kind="wrong">{t('sec.blocked')}</Badge> : null}
          </h3>
          <Answer answer={answer} />
        </>
      )}
    </section>
  );
}
