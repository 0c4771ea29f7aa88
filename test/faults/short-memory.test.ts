import { closeSync, fstatSync, globSync, openSync, readdirSync, readlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { until } from '../support/until.ts'
import { rareWord } from '../support/words.ts'

let instance: Instance
afterAll(() => instance?.remove())

const PLACES = ['harbour', 'gate', 'archive', 'garden', 'kitchen', 'office', 'market']
const THINGS = ['password', 'invoice', 'contract', 'recipe', 'letter', 'ticket', 'budget', 'photo', 'key', 'lamp', 'map']

/** Returns a text of many passages, with words that are common, rare and in between. */
function text(document: number, rare: string): string {
  const sentences = Array.from({ length: 9_000 }, (_, n) => {
    const at = n * 31 + document * 17
    return `The ${THINGS[at % 11]} of the ${PLACES[at % 7]} has number ${at % 997} and lies beside the ${THINGS[(at >> 3) % 11]}.`
  })
  return [...sentences, `Only here is ${rare}.`].map((sentence, n) => (n % 8 === 7 ? `${sentence}\n\n` : `${sentence} `)).join('')
}

/** Returns what searches find, with every score. */
async function answers(running: Running, rare: string[]) {
  const questions = ['password of the harbour', 'a budget for the market 500', 'lamp', '"key of the garden"', ...rare]
  const found = []
  for (const query of questions) {
    for (const mode of ['hybrid', 'keyword', 'vector'] as const) {
      const { results, mode_reason: reason } = await running.search(query, { mode, limit: 30 })
      found.push({
        query,
        mode,
        reason,
        results: results.map(({ score, document, chunk, text }) => ({ score, name: document.name, index: chunk.index, text })),
      })
    }
  }
  return found
}

/** Returns how many files of segments a process has open. */
function openSegmentFiles(pid: number): number {
  const paths = readdirSync(`/proc/${pid}/fd`).flatMap((handle) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${handle}`)
    } catch {
      return []
    }
  })
  return paths.filter((path) => /\/segments\/.*\.(seg|vec)/.test(path)).length
}

test('a daemon with little memory for searches reads the rest from disk, and finds the same results with the same scores', async () => {
  instance = await newInstance()
  const rare = [rareWord(), rareWord()]
  const roomy = await instance.start()
  await roomy.upload(
    rare.map((word, n) => ({ name: `long-${n}.txt`, content: text(n, word) })),
    { wait: true },
  )
  const before = await answers(roomy, rare)
  expect(before.every(({ results }) => results.length > 0)).toBe(true)
  const isLinux = process.platform === 'linux'
  if (isLinux) expect(openSegmentFiles(roomy.daemon.pid)).toBe(0)
  await roomy.daemon.stop()

  const short = await instance.start({ env: { DOCSEARCH_SEARCH_MEMORY_MB: '1' } })
  if (isLinux) expect(openSegmentFiles(short.daemon.pid)).toBeGreaterThan(0)
  expect(await answers(short, rare)).toEqual(before)

  // Searches that find damage answer without the segment and say so, until the segment is built again.
  for (const path of globSync(join(instance.dataDir, 'segments/*/*/*.{seg,vec}'))) {
    const file = openSync(path, 'r+')
    const { size } = fstatSync(file)
    for (let at = 65_536; at < size; at += 8_192) writeSync(file, Buffer.of(0x5a), 0, 1, at)
    closeSync(file)
  }
  const damaged = await answers(short, rare)
  for (const [i, { results, reason }] of damaged.entries())
    if (!reason?.includes('being rebuilt')) expect(results).toEqual(before[i]!.results)
  await until('the index is whole again', async () => (await short.health()).checks?.index?.status === 'ok')
  expect(await answers(short, rare)).toEqual(before)

  // What is written now leaves memory, too.
  const word = rareWord()
  await short.upload([{ name: 'later.txt', content: text(5, word) }], { wait: true })
  expect((await short.search(word, { mode: 'keyword' })).results.map(({ document }) => document.name)).toEqual(['later.txt'])
  await short.daemon.stop()
})
