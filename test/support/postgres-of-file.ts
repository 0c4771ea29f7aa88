import { afterAll } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { pgServer } from '../../src/records/sql/postgres/pg-server.ts'
import type { PostgresServer } from '../../src/records/sql/postgres/server.ts'
import { startPostgres } from './postgres-server.ts'

/**
 * Returns a function that connects to the file's database, which is empty at first. Call it at the top level of a test file. The
 * PostgreSQL server starts with the first connection and stops after the file's tests.
 */
export function postgresOfFile(): () => Promise<PostgresServer> {
  let opening: ReturnType<typeof open> | undefined

  async function open() {
    const postgres = await startPostgres()
    return { postgres, server: await pgServer({ url: await postgres.database(), log: silentLogger }) }
  }

  afterAll(async () => {
    if (opening === undefined) return
    const { postgres, server } = await opening
    await server.end()
    await postgres.stop()
  })
  // Records end their server when they are closed.
  return async () => ({ ...(await (opening ??= open())).server, end: async () => {} })
}
