import { describe } from 'vitest'
import { openMemoryRecords } from '../support/memory-records/open.ts'
import { recordsConformance } from './records/suite.ts'

describe('records in memory', () => recordsConformance(openMemoryRecords))
