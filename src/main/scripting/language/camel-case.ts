/** `date_format` and `dateFormat` are the same function (docs/interface/scripting.md 2.3). */
export function camelCase(name: string): string {
  return name.includes('_') ? name.replace(/_+([^_]?)/g, (_, next: string) => next.toUpperCase()) : name;
}
