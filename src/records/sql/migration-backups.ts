import type { Kysely } from 'kysely'

/** Adds the list of backups. The row of a backup that runs is a lease, which keeps originals from being deleted. */
export async function backups({ schema }: Kysely<never>): Promise<void> {
  await schema
    .createTable('backups')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('lease_until', 'bigint', (c) => c.notNull())
    .addColumn('finished_at', 'bigint')
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('documents', 'integer', (c) => c.notNull())
    .execute()
}
