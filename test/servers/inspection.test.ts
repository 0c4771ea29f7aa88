import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { expect, onTestFinished, test as anyTest } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import type { Inspection } from '../../src/records/inspection.ts'
import { openInspection } from '../../src/records/sql/inspection.ts'
import { openRecords } from '../../src/records/sql/open.ts'
import { openRepairs } from '../../src/records/sql/repair.ts'
import { copyToPostgres } from '../../src/records/sql/postgres/copy.ts'
import { inspectPostgres, repairPostgres } from '../../src/records/sql/postgres/inspect.ts'
import { run } from '../support/empty-postgres.ts'
import { unpackDataFolder } from '../support/old-data-folder.ts'
import { postgresOfFile } from '../support/postgres-of-file.ts'
import { hasPostgres } from '../support/postgres-server.ts'
import { postgresForTests } from '../support/postgres-records.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { testClock } from '../support/test-clock.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const test = anyTest.skipIf(!hasPostgres)
const openServer = postgresOfFile()
const postgres = postgresForTests(openServer)

/** Puts the documents of a real data folder into both databases. */
async function inBoth() {
  const folder = await tempFolder()
  await unpackDataFolder('version-0.1.0', folder)
  const file = join(folder, 'docsearch.db')
  await (await openRecords({ file, clock: testClock(), log: silentLogger })).close()
  await postgres.openEmpty(testClock())
  const server = await openServer()
  await copyToPostgres({ file, server, from: 'here' })
  const inspections: [Inspection, Inspection] = [openInspection(file), inspectPostgres(server)]
  onTestFinished(async () => {
    for (const inspection of inspections) await inspection.close()
  })
  return {
    inspections,
    repairs: [openRepairs(file, NOW), repairPostgres(server, NOW)] as const,
    async execute(statement: string) {
      const database = new DatabaseSync(file)
      database.exec(statement)
      database.close()
      await run(server, statement)
    },
  }
}

async function everything(inspection: Inspection) {
  const originals = await inspection.originals({ after: '', limit: 1000 })
  const hashes = originals.map(({ sha256 }) => sha256)
  const indexes = await inspection.indexes()
  const wanted = await inspection.wantedIds()
  const ids = [...wanted].toSorted()
  return {
    version: await inspection.version(),
    newestRow: await inspection.newestRow(),
    originals,
    later: await inspection.originals({ after: hashes[0] ?? '', limit: 1 }),
    referenced: [...(await inspection.referenced([...hashes, 'f'.repeat(64)]))].toSorted(),
    with: await Promise.all(hashes.map((sha256) => inspection.documentsWith(sha256))),
    marked: await inspection.markedOriginals(),
    withoutText: (await inspection.withoutText()).map(({ id }) => id).toSorted(),
    withDamagedText: (await inspection.withDamagedText()).map(({ id }) => id).toSorted(),
    wrongCounts: await inspection.wrongCounts(),
    wrongWords: await inspection.wrongWords(),
    indexes,
    expected: await Promise.all(
      indexes.map(async (index) => [...(await inspection.expected(index))].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    ),
    secrets: await inspection.webhookSecrets(),
    ids,
    unwanted: await inspection.unwanted([...ids, 'doc_gone']),
    documents: (await inspection.documents(ids)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    totals: await inspection.totals(),
  }
}

async function sameInBoth([sqlite, shared]: readonly [Inspection, Inspection]) {
  const found = await everything(shared)
  expect(found).toEqual(await everything(sqlite))
  return found
}

const NOTHING_WRONG = { version: 'same', withoutText: [], withDamagedText: [], wrongCounts: [], wrongWords: 0 }

test('the doctor sees the same in PostgreSQL as in SQLite, with and without damage, and repairs the same', async () => {
  const { inspections, repairs, execute } = await inBoth()
  const { ids: wanted, totals, ...whole } = await sameInBoth(inspections)
  expect(whole).toMatchObject(NOTHING_WRONG)
  expect(totals.ready).toBeGreaterThan(0)
  // The others have failed.
  const ids = wanted.filter((id) => whole.expected[0]!.some(([expected]) => expected === id))
  expect(ids).toHaveLength(totals.ready)

  await execute('update document_counts set documents = documents + 1')
  await execute('delete from folder_counts')
  await execute('update usage set bytes = bytes + 1')
  await execute(`insert into queue_turns (owner_id, turn, waiting) select id, 0, 3 from users where true
    on conflict (owner_id) do update set waiting = 3`)
  await execute('update vocabulary_words set documents = documents + 1')
  await execute(`update pages set text = text || 'x' where document_id = '${ids[0]}'`)
  await execute(`delete from pages where document_id = '${ids[1]}'`)
  await execute(`update documents set status = 'failed' where id = '${ids.at(-1)}'`)
  const damaged = await sameInBoth(inspections)
  expect(damaged.wrongCounts.map(({ table }) => table)).toEqual(['document_counts', 'folder_counts', 'usage', 'queue_turns'])
  expect(damaged.wrongWords).toBeGreaterThan(0)
  expect(damaged).toMatchObject({ withDamagedText: [ids[0]], withoutText: [ids[1]] })
  expect(damaged.unwanted).toEqual({ unwanted: ['doc_gone'], waiting: [] })

  for (const repair of repairs) {
    await repair.recount()
    await repair.recountWords()
    await repair.markForDeletion(['doc_gone', 'doc_gone'])
    await repair.markForDeletion(['doc_gone'])
    await repair.close()
  }
  const repaired = await sameInBoth(inspections)
  expect(repaired).toMatchObject({ wrongCounts: [], wrongWords: 0, unwanted: { unwanted: ['doc_gone'], waiting: ['doc_gone'] } })
})

test('the doctor notices tables of another version in PostgreSQL', async () => {
  const { inspections, execute } = await inBoth()
  await execute(`insert into kysely_migration (name, timestamp) values ('9999_later', '')`)
  expect(await inspections[1].version()).toBe('newer')
  await execute(`delete from kysely_migration where name = '9999_later'`)
  expect(await inspections[1].version()).toBe('same')
})
