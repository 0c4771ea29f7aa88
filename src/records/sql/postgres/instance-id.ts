import { Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { INSTANCE_ID, readSecret } from './copy.ts'
import { postgresDialect } from './dialect.ts'
import type { PostgresServer } from './server.ts'

/** Returns the ID of the instance; null if it has none yet. */
export async function readInstanceId(server: PostgresServer): Promise<string | null> {
  return readSecret(server, INSTANCE_ID)
}

/** Stores an ID unless the instance has one. Returns the ID of the instance. */
export async function keepInstanceId(server: PostgresServer, id: string): Promise<string> {
  const db = new Kysely<Tables>({ dialect: postgresDialect(server) })
  await sql`insert into secrets (name, value) values (${INSTANCE_ID}, ${id}) on conflict (name) do nothing`.execute(db)
  return (await readInstanceId(server)) ?? id
}

/** True if there is a document, perhaps in the trash. */
export async function hasDocuments(server: PostgresServer): Promise<boolean> {
  const db = new Kysely<Tables>({ dialect: postgresDialect(server) })
  for (const table of ['documents', 'trash'] as const)
    if ((await db.selectFrom(table).select('id').limit(1).executeTakeFirst()) !== undefined) return true
  return false
}
