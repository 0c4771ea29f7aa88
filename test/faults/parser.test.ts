import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Document } from '../../src/contract/documents.ts'
import { endlessPdf, swellingDocx } from '../support/hard-files.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { childrenOf, isRunning, killNow } from '../support/processes.ts'
import { expectNothingLeft, expectSearchableOnce, expectTidy, found } from '../support/promises.ts'
import { until } from '../support/until.ts'
import { rareWord, textWith } from '../support/words.ts'
import type { ErrorCode } from '../../src/core/errors.ts'
import { errorCode } from '../support/codes.ts'

let instance: Instance
let running: Running

beforeEach(async () => {
  instance = await newInstance({ DOCSEARCH_PARSE_WORKERS: '2' })
})
afterEach(() => instance.remove())

/** Limits long enough for a process to start on a busy machine, and short enough for a test. */
const SHORT = { DOCSEARCH_LIMITS_PARSE_MS: '8s', DOCSEARCH_LIMITS_PARSE_STALL_MS: '4s' }

/** Waits for all documents and expects only this one to have failed. */
async function expectFailedAlone(name: string, code: ErrorCode, others: Record<string, string>): Promise<Document> {
  await expectSearchableOnce(running, others)
  const failed = (await running.documents()).filter(({ status }) => status === 'failed')
  expect(failed.map((document) => [document.name, document.error?.code])).toEqual([[name, code]])
  expect(failed[0]!.error!.message.length).toBeGreaterThan(20)
  return failed[0]!
}

/** Waits for each word to be found, even while other documents are still being read. */
async function expectFound(words: Record<string, string>): Promise<void> {
  for (const [name, word] of Object.entries(words)) {
    await until(`${name} searchable`, async () => (await found(running, word)).length > 0)
    expect(await found(running, word)).toEqual([name])
  }
}

async function uploadOthers(count: number): Promise<Record<string, string>> {
  const words = Object.fromEntries(Array.from({ length: count }, (_, i) => [`other-${i}.txt`, rareWord()]))
  for (const [name, word] of Object.entries(words)) await running.upload([{ name, content: textWith(word) }])
  return words
}

test('an endless document fails alone, and its process is gone', async () => {
  const outside = join(instance.home, 'tmp')
  mkdirSync(outside)
  running = await instance.start({ env: { ...SHORT, TMPDIR: outside } })
  expect((await running.upload([{ name: 'endless.pdf', content: endlessPdf() }])).status).toBe(202)
  await expectFailedAlone('endless.pdf', errorCode('parse_timeout'), await uploadOthers(10))
  await expectNothingLeft(running, instance.dataDir, outside)
})

test('a document whose parser keeps dying fails alone after its attempts', async () => {
  running = await instance.start()
  await running.upload([{ name: 'deadly.pdf', content: endlessPdf() }])
  const others = await uploadOthers(5)
  await expectFound(others)
  // Only the deadly document is still being read. Its processes are killed, as the kernel does when memory is short.
  await until('the document to fail', async () => {
    for (const pid of childrenOf(running.daemon.pid)) killNow(pid)
    return (await running.documents()).some(({ status }) => status === 'failed')
  })
  await expectFailedAlone('deadly.pdf', errorCode('parser_crashed'), others)
  const fresh = rareWord()
  await running.upload([{ name: 'after.txt', content: textWith(fresh) }], { wait: true })
  await expectSearchableOnce(running, { ...others, 'after.txt': fresh })
})

test('a document that needs too much memory fails alone', async () => {
  running = await instance.start({ env: { DOCSEARCH_LIMITS_PARSE_MEMORY_BYTES: '200 MiB' } })
  expect((await running.upload([{ name: 'swelling.docx', content: swellingDocx(50) }])).status).toBe(202)
  await expectFailedAlone('swelling.docx', errorCode('parse_memory'), await uploadOthers(5))
  await expectTidy(running, instance.dataDir)
})

test('a document that inflates beyond the limit fails alone', async () => {
  running = await instance.start()
  const answer = await running.upload([{ name: 'bomb.docx', content: swellingDocx(70) }])
  const others = await uploadOthers(3)
  if (answer.status === 202) await expectFailedAlone('bomb.docx', errorCode('too_much_xml'), others)
  else {
    expect(answer).toMatchObject({ status: 422 })
    await expectSearchableOnce(running, others)
  }
})

test('no process outlives a daemon that is killed while a parser loops', async () => {
  running = await instance.start()
  await running.upload([{ name: 'endless.pdf', content: endlessPdf() }])
  await until('a document in progress', async () => (await running.documents()).some(({ status }) => status === 'processing'))
  const children = await until('a parser process', () => {
    const pids = childrenOf(running.daemon.pid)
    return pids.length > 0 && pids
  })
  await running.daemon.kill()
  await until('the parsers to end', () => !children.some(isRunning))
})

test('a daemon that is stopped while a parser loops exits with 0, and its next start reads the document again', async () => {
  running = await instance.start()
  const others = await uploadOthers(3)
  await running.upload([{ name: 'endless.pdf', content: endlessPdf() }])
  await until('a document in progress', async () => (await running.documents()).some(({ status }) => status === 'processing'))
  const children = childrenOf(running.daemon.pid)
  expect(await running.daemon.stop()).toBe(0)
  expect(children.filter(isRunning)).toEqual([])
  running = await instance.start({ env: SHORT })
  await expectFailedAlone('endless.pdf', errorCode('parse_timeout'), others)
})
