import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../src/core/clock.ts'
import { silentLogger } from '../../src/core/logger.ts'
import type { Records } from '../../src/records/records.ts'
import { openRecords } from '../../src/records/sql/open.ts'
import { tempFolder } from './temp-folder.ts'

/** Opens empty records in an SQLite file for the running test. They are closed and removed when the test ends. */
export async function tempRecords(clock: Clock): Promise<Records> {
  const folder = await tempFolder()
  const records = await openRecords({ file: join(folder, 'docsearch.db'), clock, log: silentLogger })
  onTestFinished(() => records.close())
  return records
}
