import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { BOMBS, endOf } from '../support/bombs.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { makeDocx, makePdf, type Part } from '../support/make-documents.ts'
import { residentMemory, watchMemory } from '../support/memory.ts'
import { processorTime } from '../support/processor-time.ts'
import { until } from '../support/until.ts'

const GOOD = 100
/** Of a PDF: as many as the filings have on average. */
const PAGES = 90
/** Asking costs the daemon something too, so it is asked seldom. */
const ASK_EVERY_MS = 200
/**
 * Resident memory at rest of a daemon that had the bombs by that of one that had the good files alone. A daemon's memory grows with its
 * documents until the index's caches are full, so the two must have the same number of them.
 */
const MOST_MEMORY = 1.25

interface File {
  name: string
  content: Uint8Array<ArrayBuffer>
}

let instance: Instance
afterEach(() => instance?.remove())

/** Built once: under another name the same bytes are another document, and building takes longer than reading. */
async function goodFiles(): Promise<File[]> {
  const part = (i: number, j: number): Part => ({
    text: `Document ${i}, paragraph ${j}. ${'The rent is due on the third working day of a month. '.repeat(8)}`,
  })
  const parts = (i: number, count: number): Part[] => Array.from({ length: count }, (_, j) => part(i, j))
  return Promise.all(
    Array.from({ length: GOOD }, async (_, i) => {
      const pdf = i % 5 < 3
      const bytes = pdf
        ? await makePdf(Array.from({ length: PAGES }, (_, page) => parts(i * PAGES + page, 6)))
        : await makeDocx(parts(i, 120))
      return { name: `${i}.${pdf ? 'pdf' : 'docx'}`, content: new Uint8Array(bytes) }
    }),
  )
}

/**
 * Until all the good ones can be found: milliseconds of the clock, those of the processor for the daemon and its parsers, and
 * the most memory the daemon had meanwhile, in bytes.
 */
async function measure(running: Running, good: readonly File[], bombs: readonly File[]) {
  const every = Math.floor(good.length / Math.max(bombs.length, 1))
  const { ready } = await running.project('default').then(
    ({ statuses }) => statuses,
    // The first upload makes the project.
    () => ({ ready: 0 }),
  )
  const memory = watchMemory(running.daemon.pid)
  const processor = processorTime(running.daemon.pid)
  const began = performance.now()
  for (const [i, file] of good.entries()) {
    const bomb = i % every === 0 ? bombs[i / every] : undefined
    if (bomb !== undefined) await running.upload([bomb])
    expect((await running.upload([file])).status).toBe(202)
  }
  await until(
    'the good ones ready',
    async () => {
      await pause(ASK_EVERY_MS)
      return (await running.project('default')).statuses.ready >= ready + good.length
    },
    600_000,
  )
  const tookMs = Math.round(performance.now() - began)
  return { tookMs, processorMs: processorTime(running.daemon.pid) - processor, peak: memory.end() }
}

/** The good files on a daemon that has just read them once, with these bombs among them; `rest` is its memory once all is over. */
async function round(good: readonly File[], bombs: readonly File[]) {
  instance = await newInstance({ DOCSEARCH_PARSE_WORKERS: '2' })
  const outside = join(instance.home, 'tmp')
  mkdirSync(outside)
  const running = await instance.start({ env: { TMPDIR: outside } })
  const named = (word: string): File[] => good.map(({ name, content }) => ({ name: `${word}-${name}`, content }))
  await measure(running, named('first'), [])
  await running.settled(600_000)
  const measured = await measure(running, named('again'), bombs)
  await running.settled(600_000)
  const rest = residentMemory(running.daemon.pid)
  for (const { name, status, error } of await running.documents()) {
    if (name in BOMBS) expect(BOMBS[name]!.codes, name).toContain(endOf({ status, error }))
    else expect(status, name).toBe('ready')
  }
  expect(await running.daemon.stop()).toBe(0)
  expect(readdirSync(outside)).toEqual([])
  await instance.remove()
  return { ...measured, rest }
}

test(`eight bombs among ${GOOD} good files: each ends as it should, nothing is left of them, in memory neither; times and peaks are printed`, async () => {
  const good = await goodFiles()
  const bombs = Object.entries(BOMBS).map(([name, { make }]) => ({ name, content: new Uint8Array(make()) }))
  const alone = await round(good, [])
  const together = await round(good, bombs)
  const ratio = (of: keyof typeof alone): number => +(together[of] / alone[of]).toFixed(2)
  const ratios = { took: ratio('tookMs'), processor: ratio('processorMs'), peak: ratio('peak'), rest: ratio('rest') }
  console.log(JSON.stringify({ alone, together, ratios }))
  if (alone.rest > 0) expect(together.rest / alone.rest).toBeLessThan(MOST_MEMORY)
})
