import { type CopiedPackage, copyPackage } from './copied-package.ts'

/** An installation of a later version of docsearch. */
export interface NextVersion extends CopiedPackage {
  version: string
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
  const copy = await copyPackage()
  const version = '9.0.0'
  await copy.change('package.json', /"version": ".*?"/, () => `"version": "${version}"`)
  await copy.change('dist/records/sql/migrations.js', /export const MIGRATIONS = \{/, (found) => found + MIGRATION)
  await copy.change('dist/chunk/chunk.js', /CHUNKER_VERSION = \d+/, () => 'CHUNKER_VERSION = 9000')
  return { ...copy, version }
}
