import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { incoming } from '../support/data-folder.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { expectClosed, expectSearchableOnce, expectTidy, found } from '../support/promises.ts'
import { beginUpload } from '../support/slow-upload.ts'
import { until } from '../support/until.ts'
import { rareWord, textWith } from '../support/words.ts'

let instance: Instance
let running: Running

beforeEach(async () => {
  instance = await newInstance()
  running = await instance.start()
})
afterEach(() => instance.remove())

/** Long enough for the first half to reach the disk before the second half is sent. */
const long = (word: string): string => textWith(word) + 'nothing of note happened on this day\n'.repeat(20_000)

const received = (): Promise<unknown> =>
  until('the first half on the disk', async () => (await incoming(instance.dataDir)).length > 0)

describe.each(['SIGTERM', 'SIGINT'] as const)('%s in the middle of an upload', (signal) => {
  test('answers truthfully when the rest arrives, or fails; exits with 0', async () => {
    const word = rareWord()
    const upload = await beginUpload(running.url, running.token, 'half.txt', long(word))
    await received()
    const exit = running.daemon.stop(signal)
    await until('the daemon to say that it stops', () => running.daemon.stderr().includes('stopping'))
    upload.finish()
    const answer = await upload.answer
    expect(await exit).toBe(0)

    const acknowledged = /^HTTP\/1\.1 20[02]/.test(answer)
    const after = await instance.start()
    if (acknowledged) await expectSearchableOnce(after, { 'half.txt': word })
    else expect(await found(after, word)).toEqual([])
    await expectTidy(after, instance.dataDir)
  })
})

test('stops despite a client that never sends the rest, and keeps nothing of it', async () => {
  const upload = await beginUpload(running.url, running.token, 'half.txt', long(rareWord()))
  await received()
  expect(await running.daemon.stop()).toBe(0)
  expect(await upload.answer).not.toMatch(/^HTTP\/1\.1 2/)

  const after = await instance.start()
  expect(await after.documents()).toEqual([])
  await expectTidy(after, instance.dataDir)
})

test('stops despite a listener to events', async () => {
  const events = await fetch(`${running.url}/api/v1/events`, { headers: { authorization: `Bearer ${running.token}` } })
  expect(events.status).toBe(200)
  expect(await running.daemon.stop()).toBe(0)
  // The stream ended properly and was not cut.
  await events.text()
})

test('stops with 0 while many documents wait, and the next start finishes them', async () => {
  const words = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`doc-${i}.txt`, rareWord()]))
  await Promise.all(Object.entries(words).map(([name, word]) => running.upload([{ name, content: textWith(word) }])))
  expect(await running.daemon.stop()).toBe(0)
  const after = await instance.start()
  await expectSearchableOnce(after, words)
  await expectTidy(after, instance.dataDir)
})

test('closes everything before it ends, whatever the order in which parser processes end', async () => {
  expect(await running.daemon.stop()).toBe(0)
  const preload = new URL('../support/late-exit.mjs', import.meta.url).href
  const after = await instance.start({ env: { DOCSEARCH_PARSE_WORKERS: '2', NODE_OPTIONS: `--import ${preload}` } })
  expect(await after.daemon.stop()).toBe(0)
  expectClosed(instance.dataDir)
})
