/**
 * Where a compiled worker file is, as a `file:` URL. Worker threads run plain Node, which cannot load TypeScript: when this
 * module itself runs from `src` (under vitest), the worker is taken from `dist`, where `npm run build` puts it.
 */
export function workerFile(name: string): string {
  const here = import.meta.url;
  const folder = here.endsWith('.ts') ? '../../dist/src/workers/' : '../workers/';
  return new URL(`${folder}${name}.js`, here).href;
}

/** The same for what `npm run build` makes of the server: one file each that holds all it needs. */
export function serverFile(name: string): URL {
  const here = import.meta.url;
  return new URL(`${here.endsWith('.ts') ? '../../dist/src/server/' : '../server/'}${name}.cjs`, here);
}
