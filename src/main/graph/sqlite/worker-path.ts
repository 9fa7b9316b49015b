/**
 * Where the compiled worker files are. Worker threads run plain Node, which cannot load TypeScript: when this
 * module itself runs from `src` (under vitest), the worker is taken from `dist`, where `npm run build` puts it.
 */
export function workerFile(name: string): string {
  const here = import.meta.url;
  if (!here.endsWith('.ts')) return new URL(`../../../workers/${name}.js`, here).href;
  return new URL(`../../../../dist/src/workers/${name}.js`, here).href;
}
