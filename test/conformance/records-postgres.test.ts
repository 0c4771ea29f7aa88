import { afterAll, describe } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { pgServer } from '../../src/records/sql/postgres/pg-server.ts'
import { postgresForTests } from '../support/postgres-records.ts'
import { hasPostgres, startPostgres, type RunningPostgres } from '../support/postgres-server.ts'
import { counterConformance } from './rate-counter.ts'
import { recordsConformance } from './records/suite.ts'

describe.skipIf(!hasPostgres)('in a PostgreSQL server', () => {
  let server: RunningPostgres | undefined
  const postgres = postgresForTests(async () => {
    server = await startPostgres()
    return pgServer({ url: await server.database(), log: silentLogger })
  })
  afterAll(async () => {
    await postgres.close()
    await server?.stop()
  })

  describe('records', () => recordsConformance(postgres.openEmpty))
  describe('counters', () => counterConformance(postgres.openCounters))
})
