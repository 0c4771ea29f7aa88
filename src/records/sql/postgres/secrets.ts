import { Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { postgresDialect } from './dialect.ts'
import type { PostgresServer } from './server.ts'

/** The row of `secrets` with the ID of the instance. It stays in its database. */
export const INSTANCE_ID = 'instance'

/** Returns a value that all processes need, such as a key. Null if there is none yet. */
export async function readSecret(server: PostgresServer, name: string): Promise<string | null> {
  const db = new Kysely<Tables>({ dialect: postgresDialect(server) })
  const { rows } = await sql<{ value: string }>`select value from secrets where name = ${name}`.execute(db)
  return rows[0]?.value ?? null
}

/** Stores a value unless there is one. If several processes do this at the same time, one stores its value, and all return that. */
export async function keepSecret(server: PostgresServer, name: string, value: string): Promise<string> {
  const db = new Kysely<Tables>({ dialect: postgresDialect(server) })
  await sql`insert into secrets (name, value) values (${name}, ${value}) on conflict (name) do nothing`.execute(db)
  return (await readSecret(server, name)) ?? value
}

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
