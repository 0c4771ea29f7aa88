import type { Kysely } from 'kysely'

/** Lets an application that lost the answer to a refresh get it again: the used token keeps the encrypted answer. */
export async function successors(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('oauth_refresh_tokens').addColumn('successor', 'text').execute()
}
