import { mkdtemp, rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ScanThread } from '../../../src/records/sql/scan-thread.ts'

async function open(): Promise<ScanThread> {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-scan-'))
  const file = join(folder, 'test.db')
  const database = new DatabaseSync(file)
  database.exec("pragma journal_mode = wal; create table words (word text); insert into words values ('harbour'), ('ferry')")
  const scans = new ScanThread(file)
  onTestFinished(async () => {
    await scans.close()
    database.close()
    await rm(folder, { recursive: true })
  })
  return scans
}

const WORDS = { sql: "select group_concat(word, ' ') from words where word <> ?", parameters: ['none'] }
/** Keeps the thread busy for a while. */
const LONG = {
  sql: "with recursive n (i) as (select 1 union all select i + 1 from n where i < 300000) select 'x' from n where i = 300000",
  parameters: [],
}
const text = (list: Uint8Array) => Buffer.from(list).toString()

test('returns the text of the only row, and nothing for null', async () => {
  const scans = await open()
  expect(text(await scans.run(WORDS, { userId: 'usr_1' }))).toBe('harbour ferry')
  expect(text(await scans.run({ sql: 'select null', parameters: [] }, { userId: 'usr_1' }))).toBe('')
})

test('a failed query does not affect others, and the thread changes nothing', async () => {
  const scans = await open()
  const wrong = scans.run({ sql: 'select * from missing', parameters: [] }, { userId: 'usr_1' })
  const writing = scans.run({ sql: 'delete from words returning word', parameters: [] }, { userId: 'usr_1' })
  const right = scans.run(WORDS, { userId: 'usr_1' })
  await expect(wrong).rejects.toThrow('no such table')
  await expect(writing).rejects.toMatchObject({ code: 'data_readonly' })
  expect(text(await right)).toBe('harbour ferry')
})

test('users take turns, and a user has a limited number of waiting queries', async () => {
  const scans = await open()
  const order: string[] = []
  const run = (userId: string) => scans.run(LONG, { userId }).then(() => void order.push(userId))
  const many = await Promise.allSettled([...Array.from({ length: 25 }, () => run('busy')), run('other')])
  expect(order.indexOf('other')).toBeLessThanOrEqual(2)
  const refused = many.filter((each) => each.status === 'rejected')
  expect(refused.map(({ reason }) => reason.code)).toEqual(new Array(4).fill('rate_limited'))
})

test('a query that nobody waits for does not run, and a closed thread refuses queries', async () => {
  const scans = await open()
  const gone = new AbortController()
  const running = scans.run(LONG, { userId: 'usr_1' })
  const waiting = scans.run(WORDS, { userId: 'usr_1', signal: gone.signal })
  gone.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  await running
  const last = scans.run(LONG, { userId: 'usr_1' })
  await Promise.all([scans.close(), expect(last).rejects.toMatchObject({ code: 'unavailable' })])
  await expect(scans.run(WORDS, { userId: 'usr_1' })).rejects.toMatchObject({ code: 'unavailable' })
})
