import { describe } from 'vitest'
import { openMemoryRecords } from '../support/memory-records/open.ts'
import { accountsConformance } from './records-accounts.ts'
import { countsConformance } from './records-counts.ts'
import { indexesConformance } from './records-indexes.ts'
import { oauthConformance } from './records-oauth.ts'
import { vocabularyConformance } from './records-vocabulary.ts'
import { recordsConformance, type RecordsUnderTest } from './records.ts'

const inMemory: RecordsUnderTest = { open: async (clock) => openMemoryRecords(clock) }

describe('records in memory', () => {
  recordsConformance(inMemory)
  accountsConformance(inMemory)
  oauthConformance(inMemory)
  vocabularyConformance(inMemory)
  indexesConformance(inMemory)
  countsConformance(inMemory)
})
