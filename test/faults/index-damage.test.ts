import { globSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Instance, newInstance } from '../support/instance.ts'
import { expectSearchableOnce, expectTidy } from '../support/promises.ts'
import type { Rest } from '../support/rest.ts'
import { until } from '../support/until.ts'
import { rareWord, textWith } from '../support/words.ts'

/** A data folder whose index has several commits. Every test damages a copy. */
let template: Instance
let instance: Instance
let before: unknown
const words: Record<string, string> = {}

beforeAll(async () => {
  template = await newInstance()
  const running = await template.start()
  for (let i = 0; i < 6; i++) {
    const name = `doc-${i}.txt`
    words[name] = rareWord()
    await running.upload([{ name, content: textWith(words[name], `shared${'abcdef'[i]}`) }], { wait: true })
  }
  before = await results(running)
  await running.daemon.stop()
})
afterAll(() => template?.remove())
afterEach(() => instance?.remove())

/** Returns the results of the same queries, with everything a caller sees except the time it took and the ids of passages. */
async function results(rest: Rest): Promise<unknown> {
  const questions = ['the password of the gate', 'archive note', ...Object.values(words)]
  return await Promise.all(
    questions.flatMap((query) =>
      (['hybrid', 'vector', 'keyword'] as const).map(async (mode) =>
        (await rest.search(query, { mode, limit: 100 })).results
          // Equal scores may come in any order.
          .map(({ score, document, chunk, text, highlights }) => ({
            score: score.toFixed(3),
            name: document.name,
            index: chunk.index,
            text,
            highlights,
          }))
          .toSorted((a, b) => b.score.localeCompare(a.score) || a.name.localeCompare(b.name) || a.index - b.index),
      ),
    ),
  )
}

async function expectRebuilt(): Promise<void> {
  const after = await instance.start()
  await expectSearchableOnce(after, words)
  expect(await results(after)).toEqual(before)
  await expectTidy(after, instance.dataDir)
}

function newest(pattern: string): string {
  const files = globSync(join(instance.dataDir, 'lance', pattern)).toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  expect(files.length, `nothing matches ${pattern}`).toBeGreaterThan(0)
  return files[0]!
}

test('rebuilds the index at start when the newest manifest is empty', async () => {
  instance = await template.copy()
  // All with about the newest time, because the very newest may not be the one in use.
  for (const file of globSync(join(instance.dataDir, 'lance/*/_versions/*.manifest'))) {
    if (statSync(file).mtimeMs >= statSync(newest('*/_versions/*.manifest')).mtimeMs - 1) truncateSync(file, 0)
  }
  await expectRebuilt()
})

test('rebuilds the index when every manifest is empty', async () => {
  instance = await template.copy()
  for (const file of globSync(join(instance.dataDir, 'lance/*/_versions/*.manifest'))) truncateSync(file, 0)
  await expectRebuilt()
})

test('rebuilds the index when a data file is cut in half', async () => {
  instance = await template.copy()
  const file = newest('*/data/*.lance')
  truncateSync(file, Math.floor(readFileSync(file).length / 2))
  await expectRebuilt()
})

test('rebuilds the index when a data file is missing', async () => {
  instance = await template.copy()
  rmSync(newest('*/data/*.lance'))
  await expectRebuilt()
})

test('rebuilds the index when data files disappear while docsearch runs', async () => {
  instance = await template.copy()
  const running = await instance.start()
  for (const file of globSync(join(instance.dataDir, 'lance/*/data/*.lance'))) rmSync(file)
  // The searches read the texts, and so find the damage.
  await until('the index is rebuilt', async () => {
    await running.search('archive note')
    return (await running.health()).checks?.index.message.includes('rebuilt since the start, because its files were damaged')
  })
  await running.settled()
  await expectSearchableOnce(running, words)
})

test('indexes a document again when its text in the index has changed, and says meanwhile what is missing', async () => {
  instance = await template.copy()
  const [name, word] = Object.entries(words)[2]!
  let changed = 0
  for (const file of globSync(join(instance.dataDir, 'lance/*/data/*.lance'))) {
    const bytes = readFileSync(file)
    for (let at = bytes.indexOf(word); at >= 0; at = bytes.indexOf(word, at + 1)) {
      bytes[at]! ^= 1
      changed++
    }
    writeFileSync(file, bytes)
  }
  expect(changed).toBeGreaterThan(0)
  const running = await instance.start()
  const during = await running.search(word)
  expect(JSON.stringify(during)).toContain('A damaged part of the search index is being rebuilt')
  expect(during.results.map(({ document }) => document.name)).not.toContain(name)
  await until('the document is found again', async () => {
    const { results: found } = await running.search(word)
    return found.some(({ document }) => document.name === name)
  })
  await expectSearchableOnce(running, words)
  expect(await results(running)).toEqual(before)
})

test('answers with the texts that can be read while data files are missing', async () => {
  instance = await template.copy()
  const running = await instance.start()
  for (const file of globSync(join(instance.dataDir, 'lance/*/data/*.lance'))) rmSync(file)
  const during = await running.search('archive note')
  expect(JSON.stringify(during)).toContain('A damaged part of the search index is being rebuilt')
})

test('rebuilds the index when its folder is missing', async () => {
  instance = await template.copy()
  rmSync(join(instance.dataDir, 'lance'), { recursive: true })
  await expectRebuilt()
})

test.each(['seg', 'vec', 'json'])('rebuilds a segment from the passages when a %s file is cut in half', async (suffix) => {
  instance = await template.copy()
  const [file] = globSync(join(instance.dataDir, `segments/*/*/*.${suffix}`))
  truncateSync(file!, Math.floor(statSync(file!).size / 2))
  await expectRebuilt()
})

test('rebuilds all segments from the passages when their folder is missing, without indexing documents again', async () => {
  instance = await template.copy()
  rmSync(join(instance.dataDir, 'segments'), { recursive: true })
  const tables = readdirSync(join(instance.dataDir, 'lance'))
  await expectRebuilt()
  expect(readdirSync(join(instance.dataDir, 'lance'))).toEqual(tables)
})

test('completes a rebuild after it was killed during it', async () => {
  instance = await template.copy()
  rmSync(join(instance.dataDir, 'lance'), { recursive: true })
  for (const killAt of ['embed', 'index', 'done'] as const) await (await instance.tryStart({ killAt }))?.died()
  await expectRebuilt()
})
