import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { openInspection } from '../../src/records/sql/inspection.ts'
import { MIGRATIONS, unknownMigrations } from '../../src/records/sql/migrations.ts'
import { openRecords } from '../../src/records/sql/open.ts'
import { errorCode } from '../support/codes.ts'
import { unpackDataFolder } from '../support/old-data-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { testClock } from '../support/test-clock.ts'

/** The migrations of SQLite before the first release. */
const BEFORE_RELEASE = ['0001_initial', '0024_backups', '0025_checksums', '0027_mail']

const open = (file: string) => openRecords({ file, clock: testClock(), log: silentLogger })

async function inFixture(): Promise<{ file: string; recorded: () => unknown[] }> {
  const folder = await tempFolder()
  await unpackDataFolder('version-0.1.0', folder)
  const file = join(folder, 'docsearch.db')
  return { file, recorded: () => query(file, 'select name from kysely_migration order by name').map(({ name }) => name) }
}

function query(file: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(file)
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}

async function versionOf(file: string): Promise<string> {
  const inspection = openInspection(file)
  try {
    return await inspection.version()
  } finally {
    await inspection.close()
  }
}

test('a database with the last tables from before the first release is taken over', async () => {
  const { file, recorded } = await inFixture()
  expect(recorded()).toEqual(expect.arrayContaining(BEFORE_RELEASE))
  expect(await versionOf(file)).toBe('older')
  const records = await open(file)
  onTestFinished(() => records.close())
  expect(await records.users.owner()).toMatchObject({ name: 'Olga' })
  expect(recorded()).toEqual(Object.keys(MIGRATIONS))
  expect(await versionOf(file)).toBe('same')
})

test('a new database has the columns and indexes of an upgraded one from before the first release', async () => {
  const { file } = await inFixture()
  await (await open(file)).close()
  const fresh = join(await tempFolder(), 'docsearch.db')
  // Both get the migrations after the first one.
  for (const name of [file, fresh]) await (await open(name)).close()
  for (const sql of [
    `select m.name as "table", c.name, c.type, c."notnull", c.dflt_value, c.pk
      from sqlite_schema m join pragma_table_xinfo(m.name) c where m.type = 'table' order by 1, c.cid`,
    `select type, name, tbl_name from sqlite_schema order by type, name`,
  ])
    expect(query(fresh, sql)).toEqual(query(file, sql))
})

test('an older database from before the first release is refused and stays as it was', async () => {
  const { file, recorded } = await inFixture()
  query(file, "delete from kysely_migration where name = '0027_mail'")
  const before = recorded()
  await expect(open(file)).rejects.toMatchObject({
    code: errorCode('data_unusable'),
    message: expect.stringContaining('from before the first release has written to this data folder') as string,
  })
  expect(recorded()).toEqual(before)
  expect(await versionOf(file)).toBe('older')
})

test('a backup says by its migrations whether this version can restore it', () => {
  expect(unknownMigrations(BEFORE_RELEASE)).toEqual({ older: [], newer: [] })
  expect(unknownMigrations(['0100_initial'])).toEqual({ older: [], newer: [] })
  expect(unknownMigrations(BEFORE_RELEASE.slice(0, 2))).toEqual({ older: BEFORE_RELEASE.slice(0, 2), newer: [] })
  expect(unknownMigrations([...BEFORE_RELEASE, '0999_next'])).toEqual({ older: [], newer: ['0999_next'] })
})
