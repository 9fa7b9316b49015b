/** The folder with the scripts for browsers, which `npm run build` makes of src/frontend; see `workerFile` for where this module may be. */
export function frontendFolder(): URL {
  const here = import.meta.url;
  return new URL(here.endsWith('.ts') ? '../../dist/src/frontend/' : '../frontend/', here);
}
