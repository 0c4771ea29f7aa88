import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** An installation of a later version of docsearch. */
export interface NextVersion extends AsyncDisposable {
  version: string
  bin: string
}

/** What the later version adds to the database: a column, a table and an index. */
const MIGRATION = `
    '9000_notes': {
        async up(db) {
            for (const name of ['documents', 'trash']) await db.schema.alterTable(name).addColumn('note', 'text').execute();
            await db.schema.alterTable('users').addColumn('theme', 'text', (c) => c.notNull().defaultTo('light')).execute();
            await db.schema.createTable('notes').addColumn('id', 'text', (c) => c.primaryKey()).execute();
            await db.schema.createIndex('documents_by_note').on('documents').column('note').execute();
        },
    },`

/** Copies the built package, adds a migration, and changes how documents are cut into passages, so that the index has to be built again. */
export async function makeNextVersion(): Promise<NextVersion> {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-next-'))
  for (const name of ['bin', 'dist', 'package.json']) await cp(join(ROOT, name), join(folder, name), { recursive: true })
  for (const name of ['node_modules', 'models']) await symlink(join(ROOT, name), join(folder, name))
  const version = '9.0.0'
  await change(join(folder, 'package.json'), /"version": ".*?"/, () => `"version": "${version}"`)
  await change(join(folder, 'dist/records/sql/migrations.js'), /export const MIGRATIONS = \{/, (found) => found + MIGRATION)
  await change(join(folder, 'dist/chunk/chunk.js'), /CHUNKER_VERSION = \d+/, () => 'CHUNKER_VERSION = 9000')
  return {
    version,
    bin: join(folder, 'bin/docsearch.js'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

async function change(file: string, what: RegExp, by: (found: string) => string): Promise<void> {
  const text = await readFile(file, 'utf8')
  if (!what.test(text)) throw new Error(`${file} has no ${what}`)
  await writeFile(file, text.replace(what, by))
}
