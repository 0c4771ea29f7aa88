import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { incoming } from '../support/data-folder.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { expectSearchableOnce, expectTidy, found } from '../support/promises.ts'
import { rareWord, textWith } from '../support/words.ts'

let instance: Instance
let running: Running
let broken: string

beforeAll(async () => {
  instance = await newInstance()
  broken = join(instance.home, 'fsync-fails')
  const preload = new URL('../support/failing-fsync.mjs', import.meta.url).href
  running = await instance.start({ env: { NODE_OPTIONS: `--import ${preload}`, DOCSEARCH_TEST_FSYNC_FAILS: broken } })
})
afterAll(() => instance?.remove())

test('never acknowledges what it cannot sync, leaves nothing of it, and works again later', async () => {
  const words = { 'kept.txt': rareWord() }
  await running.upload([{ name: 'kept.txt', content: textWith(words['kept.txt']) }], { wait: true })
  writeFileSync(broken, '')
  const lost = rareWord()
  const answer = await running.upload([{ name: 'lost.txt', content: textWith(lost) }])
  expect(answer.status).toBe(503)
  expect(await incoming(instance.dataDir)).toEqual([])
  expect((await running.documents()).map(({ name }) => name)).toEqual(['kept.txt'])
  expect(await found(running, words['kept.txt'])).toEqual(['kept.txt'])

  rmSync(broken)
  await running.upload([{ name: 'lost.txt', content: textWith(lost) }], { wait: true })
  await expectSearchableOnce(running, { ...words, 'lost.txt': lost })
  await expectTidy(running, instance.dataDir)
})
