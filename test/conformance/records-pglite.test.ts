import { describe } from 'vitest'
import { pgliteServer } from '../support/pglite-server.ts'
import { postgresRecords } from '../support/postgres-records.ts'
import { recordsConformance } from './records/suite.ts'

describe('records in PostgreSQL within the process', () => recordsConformance(postgresRecords(pgliteServer)))
