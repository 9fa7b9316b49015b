/** Which events are looked at. */
import type { ReactNode } from 'react';
import { Button, TextField } from '../../common/parts.js';
import { analyticsTexts } from '../texts/analytics.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { NO_FILTERS, UNITS, type Asked, type Unit } from './events.js';

const NAMES = Object.keys(UNITS) as readonly Unit[];

export function Filters(props: {
  readonly asked: Asked;
  readonly actions: readonly string[];
  readonly onChange: (asked: Asked) => void;
}): ReactNode {
  const { asked, actions, onChange } = props;
  const { t } = useAreaTexts(analyticsTexts);
  const set = (more: Partial<Asked>): void => {
    onChange({ ...asked, ...more });
  };
  return (
    <section className="card" aria-label={t('analytics.title')}>
      <div className="row filters">
        {(['from', 'to'] as const).map((bound) => (
          <div key={bound} className="field">
            <label htmlFor={`events-${bound}`}>{t(`analytics.${bound}`)}</label>
            <input
              id={`events-${bound}`}
              type="datetime-local"
              value={asked[bound]}
              onChange={(event) => {
                set({ [bound]: event.target.value });
              }}
            />
          </div>
        ))}
        <div className="field">
          <label htmlFor="events-unit">{t('analytics.unit')}</label>
          <select
            id="events-unit"
            value={asked.unit}
            onChange={(event) => {
              set({ unit: event.target.value as Unit | '' });
            }}
          >
            <option value="">{t('analytics.auto')}</option>
            {NAMES.map((unit) => (
              <option key={unit} value={unit}>
                {t(`analytics.${unit}`)}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="events-action">{t('analytics.action')}</label>
          <select
            id="events-action"
            value={asked.action}
            onChange={(event) => {
              set({ action: event.target.value });
            }}
          >
            <option value="">{t('analytics.all')}</option>
            {actions.map((action) => (
              <option key={action} value={action}>
                {action}
              </option>
            ))}
          </select>
        </div>
        {(['subject', 'object'] as const).map((name) => (
          <TextField
            key={name}
            label={t(`analytics.${name}`)}
            value={asked[name]}
            onChange={(text) => {
              set({ [name]: text });
            }}
          />
        ))}
        <TextField
          label={t('analytics.message')}
          value={asked.message}
          onChange={(message) => {
            set({ message });
          }}
          help={t('analytics.messageHelp')}
        />
        <Button
          disabled={Object.values(asked).every((text) => text === '')}
          onClick={() => {
            onChange(NO_FILTERS);
          }}
        >
          {t('analytics.clear')}
        </Button>
      </div>
    </section>
  );
}
