import { afterAll, describe } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { pgServer } from '../../src/records/sql/postgres/pg-server.ts'
import { hasPostgres, startPostgres, type RunningPostgres } from '../support/postgres-server.ts'
import { postgresRecords } from '../support/postgres-records.ts'
import { recordsConformance } from './records/suite.ts'

describe.skipIf(!hasPostgres)('records in a PostgreSQL server', () => {
  let postgres: RunningPostgres | undefined
  afterAll(() => postgres?.stop())

  recordsConformance(
    postgresRecords(async () => {
      postgres = await startPostgres()
      return pgServer({ url: await postgres.database(), log: silentLogger })
    }),
  )
})
