/** A folder with files for browsers that `npm run build` makes of `src/frontend` or `src/ui`; see `workerFile` for where this module may be. */
export function builtFolder(name: 'frontend' | 'ui'): URL {
  const here = import.meta.url;
  return new URL(here.endsWith('.ts') ? `../../dist/src/${name}/` : `../${name}/`, here);
}
