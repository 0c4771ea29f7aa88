import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { isDocsearchError } from '../../src/core/errors.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { inspectPostgres } from '../../src/records/sql/postgres/inspect.ts'
import { openPostgres } from '../../src/records/sql/postgres/open.ts'
import { pgServer } from '../../src/records/sql/postgres/pg-server.ts'
import { hasPostgres, startPostgres, withClient, type RunningPostgres } from '../support/postgres-server.ts'
import { LARGE_STATEMENTS, RandomChanges } from '../support/random-changes.ts'

const ROUNDS = 20
const AT_ONCE = 8

describe.skipIf(!hasPostgres)('the counts that PostgreSQL stores', () => {
  let postgres: RunningPostgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  /** Opens the records as two processes. */
  async function open(seed: number) {
    const url = await postgres.database()
    const server = () => pgServer({ url, log: silentLogger })
    const openOne = async () => openPostgres({ server: await server(), clock: systemClock, log: silentLogger })
    const processes = [await openOne(), await openOne()]
    const inspection = inspectPostgres(await server())
    onTestFinished(async () => {
      for (const { records } of processes) await records.close()
      await inspection.close()
    })
    const changes = new RandomChanges(processes[0]!.records, seed)
    await changes.begin()
    const changeAtOnce = () =>
      Promise.all(
        Array.from({ length: AT_ONCE }, (_, i) =>
          changes.change(processes[i % processes.length]!).catch((error: unknown) => {
            if (!isDocsearchError(error)) throw error
          }),
        ),
      )
    return { url, inspection, changes, changeAtOnce }
  }

  test('are right after changes by two processes at the same time', async () => {
    const { inspection, changes, changeAtOnce } = await open(1)
    for (let round = 0; round < ROUNDS; round++) {
      await changeAtOnce()
      if (round % 4 === 1) await changes.deleteProject()
      if (round % 4 === 3) await changes.deleteUser()
      expect([await inspection.wrongCounts(), await inspection.wrongWords()], `round ${round}`).toEqual([[], 0])
    }
  })

  test('are right after statements that change many documents', async () => {
    const { url, inspection, changes, changeAtOnce } = await open(2)
    for (let round = 0; round < ROUNDS; round++) {
      await changeAtOnce()
      const statement = LARGE_STATEMENTS[changes.below(LARGE_STATEMENTS.length)]!
      await withClient(url, (client) => client.query(statement))
      expect(await inspection.wrongCounts(), statement).toEqual([])
    }
  })
})
