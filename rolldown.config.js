import { defineConfig } from 'rolldown';

/**
 * The server's own modules as a few files: Node takes half a second for hundreds of them. Packages stay where they are. The
 * folder is as deep as src/main, as paths to workers count from it (src/shared/worker-path.ts).
 */
export default defineConfig({
  input: { main: 'dist/src/main/main.js' },
  platform: 'node',
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  output: {
    dir: 'dist/src/server',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    sourcemap: true,
  },
});
