import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { roomArrows } from './eslint/room-arrows.js';

/** Rules of ESLint itself that hold for every file. */
const CORE = {
  eqeqeq: 'error',
  'no-async-promise-executor': 'error',
  'no-cond-assign': 'error',
  'no-constant-condition': ['error', { checkLoops: false }],
  'no-control-regex': 'error',
  'no-empty': 'error',
  'no-loss-of-precision': 'error',
  'no-misleading-character-class': 'error',
  'no-prototype-builtins': 'error',
  'no-self-assign': 'error',
  'no-unsafe-finally': 'error',
  'no-useless-escape': 'error',
  'no-var': 'error',
  'prefer-const': 'error',
  'use-isnan': 'error',
};

export default defineConfig(
  { ignores: ['dist/', 'node_modules/', 'coverage/', 'bench/results/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { svc: { rules: { 'room-arrows': roomArrows } } },
    rules: {
      'svc/room-arrows': 'error',
      ...CORE,
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // An implementation may answer at once where its interface allows it to wait.
      '@typescript-eslint/require-await': 'off',
      // Character codes are numbers, and comparing them with named ones is what a reader of text does.
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
    },
  },
  {
    // Tests look into parsed answers, whose shape is what they are there to find out.
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    // The server speaks through its log (src/shared/log.ts) only.
    files: ['src/main/**/*.ts', 'src/shared/**/*.ts', 'src/workers/**/*.ts'],
    rules: { 'no-console': 'error' },
  },
  {
    // Plain scripts: no types to check against.
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    extends: [tseslint.configs.base],
    languageOptions: { sourceType: 'module' },
    rules: CORE,
  },
  {
    // Runs on whatever Node there is, to say that it is too old.
    files: ['**/*.cjs'],
    languageOptions: { sourceType: 'commonjs' },
    rules: { 'no-var': 'off', 'prefer-const': 'off' },
  },
);
