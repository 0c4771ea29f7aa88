import { Kysely } from 'kysely'
import type { Inspection, Repairs } from '../../inspection.ts'
import { createInspection } from '../inspection.ts'
import { createRepairs } from '../repair.ts'
import type { Tables } from '../tables.ts'
import { postgresDialect } from './dialect.ts'
import { lockWrites } from './locks.ts'
import type { PostgresServer } from './server.ts'

/** Closing the inspection or the repairs ends the connections of the server. */
export function inspectPostgres(server: PostgresServer): Inspection {
  return createInspection(new Kysely<Tables>({ dialect: postgresDialect(server) }))
}

export function repairPostgres(server: PostgresServer, now: Date): Repairs {
  return createRepairs(new Kysely<Tables>({ dialect: postgresDialect(server) }), { now, lock: lockWrites })
}
