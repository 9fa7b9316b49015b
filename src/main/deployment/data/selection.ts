/** Which objects a data export is of (docs/interface/deployment.md 4.1). */
import type { Schema, Type } from '../../schema/index.js';
import { DeploymentError } from '../common/errors.js';
import type { Report } from '../common/report.js';

export interface Selection {
  /** What was asked for, without what comes with its super type; by name. */
  readonly types: readonly Type[];
  /** Names of all types whose objects are exported. */
  readonly concrete: ReadonlySet<string>;
}

/** Reads `types`: names with commas between. Throws `DeploymentError` when none of them is there. */
export function selectionOf(schema: Schema, said: string, report: Report): Selection {
  const names = [...new Set(said.split(',').map((name) => name.trim()))].filter((name) => name !== '').sort();
  const found = names.flatMap((name) => {
    const type = schema.type(name);
    return type?.kind === 'node' ? [type] : [];
  });
  const there = new Set(found.map(({ name }) => name));
  report.warnOfAll(
    'Type not found',
    names.filter((name) => !there.has(name)),
  );
  if (found.length === 0) throw new DeploymentError(`There is no type ${names.join(', ')}.`, 'request');
  const covered = found.filter((type) => type.traits.some((trait) => trait !== type.name && there.has(trait)));
  report.warnOfAll(
    'Exported with a super type',
    covered.map(({ name }) => name),
  );
  const types = found.filter((type) => !covered.includes(type));
  const concrete = new Set(types.flatMap((type) => type.concreteTypes));
  if ([...concrete].some((name) => schema.type(name)?.hasTrait('User') === true))
    report.warn('Users are exported', 'The export has users with what they log in with, passwords as hashes.');
  return { types, concrete };
}
