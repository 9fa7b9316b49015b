/** Which database. */
import type { ReactNode } from 'react';
import type { Driver } from '../asking.js';

const CHOICES: readonly (readonly [Driver, string, string])[] = [
  ['embedded', 'Embedded database', 'Files in the folder of the server. Nothing else to install; one instance.'],
  ['neo4j', 'Neo4j', 'A server or cluster of its own, for several instances.'],
];

export function DriverChoice({
  value,
  onChange,
}: {
  readonly value: Driver;
  readonly onChange: (value: Driver) => void;
}): ReactNode {
  return (
    <fieldset>
      <legend className="hidden">Database</legend>
      {CHOICES.map(([driver, name, about]) => (
        <label key={driver} className="choice">
          <input
            type="radio"
            name="driver"
            checked={value === driver}
            onChange={() => {
              onChange(driver);
            }}
          />
          <span>
            {name}
            <small className="soft">{about}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
