import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reportFaults } from '../support/fault-report.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { expectSearchableOnce, expectTidy } from '../support/promises.ts'
import { rareWord, textWith } from '../support/words.ts'

const SECONDS = Number(process.env.DOCSEARCH_TEST_LOAD_S ?? 180)
const CLIENTS = 8
const MEMORY_LIMIT = 1024 ** 3

let instance: Instance
let running: Running

beforeAll(async () => {
  instance = await newInstance()
  running = await instance.start()
})
afterAll(() => instance?.remove())

/** Returns the resident memory in bytes; null if the system does not report it. */
function rss(pid: number): number | null {
  if (process.platform !== 'linux') return null
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}

const SENTENCES = [
  'Refunds are paid within thirty days.',
  'The harbour froze over in January.',
  'Turbines need a new bearing every year.',
  'No dogs are allowed in the reading room.',
]

test(`${CLIENTS} clients upload and search for ${SECONDS} s: every answer is right, and memory stays bounded`, async () => {
  const words: Record<string, string> = {}
  const figures = { uploads: 0, uploadedMB: 0, searches: 0 }
  const searchMs: number[] = []
  const memory: number[] = []
  const until = performance.now() + SECONDS * 1000
  const over = (): boolean => performance.now() > until

  async function client(number: number): Promise<void> {
    while (!over()) {
      const name = `load-${number}-${Math.floor(Math.random() * 200)}.txt`
      const word = rareWord()
      const content =
        textWith(word) + `${SENTENCES[figures.uploads % SENTENCES.length]}\n\n`.repeat(Math.floor(Math.random() * 1000))
      const { status } = await running.upload([{ name, content }])
      expect(status).toBe(202)
      words[name] = word
      figures.uploads += 1
      figures.uploadedMB += content.length / 1e6
      for (let i = 0; i < 5; i++) {
        const began = performance.now()
        await running.search(SENTENCES[(figures.searches + i) % SENTENCES.length]!)
        searchMs.push(performance.now() - began)
        figures.searches += 1
      }
    }
  }
  async function watch(): Promise<void> {
    while (!over()) {
      const now = rss(running.daemon.pid)
      if (now !== null) memory.push(now)
      await pause(250)
    }
  }
  await Promise.all([watch(), ...Array.from({ length: CLIENTS }, (_, i) => client(i))])
  const began = performance.now()
  await running.settled(1_800_000)
  const drainedMs = performance.now() - began

  searchMs.sort((a, b) => a - b)
  const MB = (bytes: number | undefined): number => Math.round((bytes ?? 0) / 1e6)
  const quarter = (n: number): number[] =>
    memory.slice((memory.length * n) / 4, (memory.length * (n + 1)) / 4).toSorted((a, b) => a - b)
  const median = (values: number[]): number | undefined => values[values.length >> 1]
  console.log(
    JSON.stringify({
      ...figures,
      uploadedMB: Math.round(figures.uploadedMB),
      uploadsPerSecond: +(figures.uploads / SECONDS).toFixed(1),
      searchP50Ms: Math.round(median(searchMs)!),
      searchP99Ms: Math.round(searchMs[Math.floor(searchMs.length * 0.99)]!),
      drainedAfterS: Math.round(drainedMs / 1000),
      memoryMB: { peak: MB(Math.max(...memory)), byQuarter: [0, 1, 2, 3].map((n) => MB(median(quarter(n)))) },
    }),
  )
  if (memory.length > 0) expect(Math.max(...memory)).toBeLessThan(MEMORY_LIMIT)
  await expectSearchableOnce(running, Object.fromEntries(Object.entries(words).slice(0, 100)))
  // The next start removes originals of replaced documents.
  expect(await running.daemon.stop()).toBe(0)
  await expectTidy(await instance.start(), instance.dataDir)
  reportFaults({
    fault: `uploads of ${CLIENTS} clients as fast as they can`,
    tried: figures.uploads,
    documents: Math.min(100, Object.keys(words).length),
  })
})
