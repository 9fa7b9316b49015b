import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { transform } from 'rolldown/utils';

/**
 * Makes JavaScript of all modules, without looking at their types: what `tsc --noCheck` does, in a tenth of the time. For tests, which
 * `npm run types` comes before; `npm run build` checks.
 */
const all = await Promise.all(
  ['src', 'bench'].map((folder) => readdir(folder, { recursive: true, withFileTypes: true })),
);
const files = all
  .flat()
  .map(({ parentPath, name }) => `${parentPath}/${name}`)
  .filter(
    (path) =>
      path.endsWith('.ts') &&
      !path.endsWith('.d.ts') &&
      !path.startsWith('src/frontend/') &&
      !path.startsWith('src/ui/'),
  );

/** Sources that failed, as the compiler says it. */
const failed = [];
for (const file of files) {
  const target = `dist/${file.slice(0, -3)}.js`;
  const { code, map, errors } = await transform(file, await readFile(file, 'utf8'), {
    lang: 'ts',
    sourceType: 'module',
    target: 'es2023',
    sourcemap: true,
    typescript: { onlyRemoveTypeImports: true },
    assumptions: { setPublicClassFields: false },
  });
  if (errors.length > 0) failed.push(...errors.map((error) => `${file}: ${error.message ?? String(error)}`));
  await mkdir(dirname(target), { recursive: true });
  const name = target.slice(target.lastIndexOf('/') + 1);
  await writeFile(target, map === undefined || map === null ? code : `${code}\n//# sourceMappingURL=${name}.map\n`);
  if (map) await writeFile(`${target}.map`, JSON.stringify(map));
}
// What tsc remembers is not what is there now.
await rm('dist/src/tsbuildinfo', { force: true });
if (failed.length > 0) {
  console.error(failed.join('\n'));
  process.exit(1);
}
