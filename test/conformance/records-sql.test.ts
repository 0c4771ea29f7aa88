import { copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { openRecords } from '../../src/records/sql/open.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { testClock, type TestClock } from '../support/test-clock.ts'
import { accountsConformance } from './records-accounts.ts'
import { countsConformance } from './records-counts.ts'
import { indexesConformance } from './records-indexes.ts'
import { oauthConformance } from './records-oauth.ts'
import { vocabularyConformance } from './records-vocabulary.ts'
import { recordsConformance, type RecordsUnderTest } from './records.ts'
import { errorCode } from '../support/codes.ts'

const openIn = (folder: string, clock: TestClock = testClock()) =>
  openRecords({ file: join(folder, 'docsearch.db'), clock, log: silentLogger })

const overSqlite: RecordsUnderTest = {
  async open(clock) {
    const records = await openIn(await tempFolder(), clock)
    onTestFinished(() => records.close())
    return records
  },
}

describe('records over SQLite', () => {
  recordsConformance(overSqlite)
  accountsConformance(overSqlite)
  oauthConformance(overSqlite)
  vocabularyConformance(overSqlite)
  indexesConformance(overSqlite)
  countsConformance(overSqlite)
})

/** A database with some rows, closed. */
async function filled(): Promise<string> {
  const folder = await tempFolder()
  const records = await openIn(folder)
  const { id: ownerId } = await records.users.create({ name: 'A', email: null, role: 'owner' })
  for (let i = 0; i < 200; i++) await records.projects.create({ ownerId, name: `project ${i}`, description: 'd'.repeat(500) })
  await records.close()
  return folder
}

describe('the database file', () => {
  test('is private, and what was written is there when it is opened again', async () => {
    const folder = await filled()
    expect((await stat(join(folder, 'docsearch.db'))).mode & 0o777).toBe(0o600)
    const records = await openIn(folder)
    expect((await records.users.owner())?.name).toBe('A')
    await records.close()
  })

  test('of a newer version is refused', async () => {
    const folder = await filled()
    const database = new DatabaseSync(join(folder, 'docsearch.db'))
    database.exec("insert into kysely_migration values ('9999_future', '2030-01-01')")
    database.close()
    await expect(openIn(folder)).rejects.toMatchObject({ code: errorCode('data_newer') })
  })

  test('with a corrupt page is refused, and the way back is named', async () => {
    const folder = await filled()
    const file = join(folder, 'docsearch.db')
    const bytes = await readFile(file)
    const pageSize = bytes.readUInt16BE(16)
    bytes.fill(0xff, bytes.length - 3 * pageSize, bytes.length - pageSize)
    await writeFile(file, bytes)
    await expect(openIn(folder)).rejects.toMatchObject({
      code: errorCode('database_corrupt'),
      message: expect.stringContaining('copy of the whole data folder'),
    })
    expect(await readFile(file)).toEqual(bytes)
  })

  test('that is no database at all is refused', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'docsearch.db'), 'no database\n'.repeat(1000))
    await expect(openIn(folder)).rejects.toMatchObject({ code: errorCode('database_corrupt') })
  })

  test('with a torn end of its log opens, with everything that was committed before', async () => {
    const folder = await tempFolder()
    const records = await openIn(folder)
    await records.users.create({ name: 'A', email: null, role: 'owner' })
    // A copy while it is open is what a power cut leaves; the last commit of it is cut in the middle.
    const cut = await tempFolder()
    await copyFile(join(folder, 'docsearch.db'), join(cut, 'docsearch.db'))
    const log = await readFile(join(folder, 'docsearch.db-wal'))
    await records.users.create({ name: 'B', email: null, role: 'member' })
    const longer = await readFile(join(folder, 'docsearch.db-wal'))
    await writeFile(join(cut, 'docsearch.db-wal'), longer.subarray(0, Math.floor((log.length + longer.length) / 2)))
    await records.close()
    const again = await openIn(cut)
    expect((await again.users.owner())?.name).toBe('A')
    await again.close()
  })
})
