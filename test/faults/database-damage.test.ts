import { appendFileSync, closeSync, existsSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Instance, newInstance } from '../support/instance.ts'
import { expectSearchableOnce, expectTidy, found } from '../support/promises.ts'
import { refusedStart } from '../support/refused.ts'
import { rareWord, textWith } from '../support/words.ts'
import { errorCode } from '../support/codes.ts'

/** Data folders of a daemon that was killed (its write-ahead log still has changes) and of one that was stopped. */
let killed: Instance
let stopped: Instance
let instance: Instance
const words = { 'one.txt': rareWord(), 'two.txt': rareWord() }

beforeAll(async () => {
  killed = await newInstance()
  const running = await killed.start()
  for (const [name, word] of Object.entries(words)) await running.upload([{ name, content: textWith(word) }], { wait: true })
  await running.daemon.kill()
  stopped = await killed.copy()
  expect(await (await stopped.start()).daemon.stop()).toBe(0)
})
afterAll(() => Promise.all([killed?.remove(), stopped?.remove()]))
afterEach(() => instance?.remove())

const wal = (): string => join(instance.dataDir, 'docsearch.db-wal')

test('a torn write at the end of the log loses nothing', async () => {
  instance = await killed.copy()
  appendFileSync(wal(), readFileSync(wal()).subarray(32, 32 + 2000))
  const running = await instance.start()
  await expectSearchableOnce(running, words)
  await expectTidy(running, instance.dataDir)
})

test('opens with a truncated log; rows and index agree', async () => {
  instance = await killed.copy()
  truncateSync(wal(), statSync(wal()).size - 6000)
  const running = await instance.start()
  for (const [name, word] of Object.entries(words)) {
    const there = (await running.settled()).some((document) => document.name === name)
    expect(await found(running, word)).toEqual(there ? [name] : [])
  }
  await expectTidy(running, instance.dataDir)
})

test('refuses a damaged page and says what helps', async () => {
  instance = await stopped.copy()
  const file = join(instance.dataDir, 'docsearch.db')
  expect(existsSync(wal()) ? statSync(wal()).size : 0).toBe(0)
  const db = openSync(file, 'r+')
  // Damages every page but the first, so that pages with documents are among them.
  for (let page = 1; page < statSync(file).size / 4096; page++) writeSync(db, Buffer.alloc(512, 0xa5), 0, 512, page * 4096)
  closeSync(db)
  const damaged = readFileSync(file)
  const { code, stderr } = await refusedStart(instance.env)
  expect(code).not.toBe(0)
  expect(stderr).toContain('Restore a copy of the whole data folder')
  // The file is unchanged, so that its owner can try to save data from it.
  expect(readFileSync(file).equals(damaged)).toBe(true)
})

test('refuses a file that is not a database, and does not overwrite it', async () => {
  instance = await stopped.copy()
  const file = join(instance.dataDir, 'docsearch.db')
  truncateSync(file, 0)
  appendFileSync(file, 'this is a shopping list\n'.repeat(1000))
  const { code, stderr } = await refusedStart(instance.env)
  expect(code).not.toBe(0)
  expect(stderr).toContain('Restore a copy of the whole data folder')
})

test('reports a missing original and still serves the others', async () => {
  instance = await stopped.copy()
  const running = await instance.start()
  const documents = await running.documents()
  const lost = documents.find(({ name }) => name === 'one.txt')!
  rmSync(join(instance.dataDir, 'blobs', lost.sha256.slice(0, 2), lost.sha256.slice(2)))
  const answer = await running.call('GET', `/api/v1/documents/${lost.id}/content`)
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(answer.body.code).toBe(errorCode('blob_missing'))
  expect(await found(running, words['two.txt'])).toEqual(['two.txt'])
  // Uploading the same bytes again repairs it.
  await running.upload([{ name: 'one.txt', content: textWith(words['one.txt']) }], { wait: true })
  expect((await running.call('GET', `/api/v1/documents/${lost.id}/content`)).status).toBe(200)
})
