// Files and folders that programs generate in a software project. A search in these would find text that nobody
// wrote, or that is also in the source.
// Folders such as `build`, `target`, `dist` and `vendor` are not included: they can hold documents, and a `.gitignore` usually names them.

/** The packages that a project uses, and compiled files. */
export const GENERATED_FOLDERS = ['node_modules', 'bower_components', 'site-packages', '__pycache__']

/** Minified code, source maps, and lists of the exact versions of packages. */
export const GENERATED_FILES = [
  '*.min.js',
  '*.min.mjs',
  '*.min.css',
  '*.js.map',
  '*.mjs.map',
  '*.cjs.map',
  '*.css.map',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'Cargo.lock',
  'poetry.lock',
  'Pipfile.lock',
  'uv.lock',
  'composer.lock',
  'Gemfile.lock',
  'go.sum',
]

/** Returns true for the name of a hidden or generated file. */
export function isHiddenOrGenerated(name: string): boolean {
  return (
    name.startsWith('.') ||
    GENERATED_FOLDERS.includes(name) ||
    GENERATED_FILES.some((pattern) => (pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : name === pattern))
  )
}
