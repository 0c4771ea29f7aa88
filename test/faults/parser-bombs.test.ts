import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BOMBS, endOf } from '../support/bombs.ts'
import { type Instance, newInstance } from '../support/instance.ts'
import { expectNothingLeft, expectSearchableOnce } from '../support/promises.ts'
import { rareWord, textWith } from '../support/words.ts'

let instance: Instance
beforeEach(async () => {
  instance = await newInstance({ DOCSEARCH_PARSE_WORKERS: '2' })
})
afterEach(() => instance.remove())

// A slow bomb gets only the processor time that other work leaves, so it can take long on a busy machine.
const BOMBS_MS = 300_000
vi.setConfig({ testTimeout: 2 * BOMBS_MS })

test('each of eight bombs fails alone or is read; searches find the good files, and no process or file remains', async () => {
  const outside = join(instance.home, 'tmp')
  mkdirSync(outside)
  // Made before the daemon starts, because this takes so long that the daemon would close an idle connection.
  const bombs = Object.entries(BOMBS).map(([name, { make }]) => ({ name, content: new Uint8Array(make()) }))
  const running = await instance.start({ env: { TMPDIR: outside } })
  const words: Record<string, string> = {}
  const refused: Record<string, string> = {}
  for (const bomb of bombs) {
    const answer = await running.upload([bomb])
    for (const { name, code } of answer.body.rejected) refused[name] = code
    for (const copy of [1, 2]) {
      const name = `${bomb.name}-${copy}.txt`
      words[name] = rareWord()
      await running.upload([{ name, content: textWith(words[name]) }])
    }
  }
  await running.settled(BOMBS_MS)
  await expectSearchableOnce(running, words)
  const documents = await running.documents()
  for (const [bomb, { codes }] of Object.entries(BOMBS)) {
    const document = documents.find(({ name }) => name === bomb)
    expect(codes, bomb).toContain(document === undefined ? refused[bomb] : endOf(document))
  }
  await expectNothingLeft(running, instance.dataDir, outside)
})
