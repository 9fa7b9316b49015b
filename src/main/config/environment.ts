/** Prefix of environment variables that name settings (specification, Configuration 6). */
export const ENVIRONMENT_PREFIX = 'SVC_';

/** Variables with a name of their own for a setting. They win over the one that is named after it. */
export const OWN_NAMES: ReadonlyMap<string, string> = new Map([['SVC_TIMEZONE', 'application.timezone']]);

/** `application.heap.min_size` -> `SVC_application_heap_min__size`. */
export function toEnvironmentName(name: string): string {
  return ENVIRONMENT_PREFIX + name.replaceAll('_', '__').replaceAll('.', '_');
}

/**
 * `SVC_application_heap_min__size` -> `application.heap.min_size`; undefined for a variable without the prefix or with
 * nothing after it. Undoes `toEnvironmentName` for every name that has no underscore beside a dot and no empty part:
 * `a._b` and `a_.b` share a variable, which is read as the latter.
 */
export function fromEnvironmentName(variable: string): string | undefined {
  if (!variable.startsWith(ENVIRONMENT_PREFIX) || variable.length === ENVIRONMENT_PREFIX.length) return undefined;
  return variable.slice(ENVIRONMENT_PREFIX.length).replaceAll('_', '.').replaceAll('..', '_');
}
