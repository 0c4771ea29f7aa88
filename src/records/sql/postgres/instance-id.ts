import { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { postgresDialect } from './dialect.ts'
import { INSTANCE_ID, keepSecret, readSecret } from './secrets.ts'
import type { PostgresServer } from './server.ts'

/** Returns the ID of the instance; null if it has none yet. */
export function readInstanceId(server: PostgresServer): Promise<string | null> {
  return readSecret(server, INSTANCE_ID)
}

/** Stores an ID unless the instance has one. Returns the ID of the instance. */
export function keepInstanceId(server: PostgresServer, id: string): Promise<string> {
  return keepSecret(server, INSTANCE_ID, id)
}

/** True if there is a document, perhaps in the trash. */
export async function hasDocuments(server: PostgresServer): Promise<boolean> {
  const db = new Kysely<Tables>({ dialect: postgresDialect(server) })
  for (const table of ['documents', 'trash'] as const)
    if ((await db.selectFrom(table).select('id').limit(1).executeTakeFirst()) !== undefined) return true
  return false
}
