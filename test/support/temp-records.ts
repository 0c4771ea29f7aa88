import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { type Logger, silentLogger } from '../../src/core/logger.ts'
import type { Records } from '../../src/records/records.ts'
import { openRecords } from '../../src/records/sql/open.ts'
import { tempFolder } from './temp-folder.ts'

/** Opens empty records in an SQLite file for the running test. They are closed and removed when the test ends. */
export async function tempRecords(clock: Clock): Promise<Records> {
  const folder = await tempFolder()
  const records = await openRecordsIn({ file: join(folder, 'docsearch.db'), clock, log: silentLogger })
  onTestFinished(() => records.close())
  return records
}

/**
 * Opens records. A new file starts as a copy of an empty database, because migrations take longer than most tests. So all databases
 * of a process have the same keys for sealed numbers.
 */
export async function openRecordsIn(options: { file: string; clock: Clock; log: Logger }): Promise<Records> {
  if (!existsSync(options.file)) await writeFile(options.file, await (emptyTables ??= makeTables()))
  return openRecords(options)
}

let emptyTables: Promise<Buffer> | undefined

async function makeTables(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-tables-'))
  const file = join(folder, 'docsearch.db')
  await (await openRecords({ file, clock: systemClock, log: silentLogger })).close()
  const bytes = await readFile(file)
  await rm(folder, { recursive: true })
  return bytes
}
