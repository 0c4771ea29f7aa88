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
/** Pages of a PDF: the average of the filings. */
const PAGES = 90
/** Queries take time of the daemon too, so they are rare. */
const ASK_EVERY_MS = 200
/**
 * Resident memory at rest of a daemon that read the bombs, divided by that of a daemon that read only good files. Both need the same number of
 * documents, because a daemon's memory grows with its documents until the index's caches are full.
 */
const MAX_MEMORY = 1.25

interface File {
  name: string
  content: Uint8Array<ArrayBuffer>
}

let instance: Instance
afterEach(() => instance?.remove())

/** The bytes are made once, because making takes longer than reading. Under another name they are another document. */
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
 * Measures until searches find all good files: the time in milliseconds, the processor time of the daemon and its parsers in milliseconds, and
 * the highest memory of the daemon in bytes.
 */
async function measure(running: Running, good: readonly File[], bombs: readonly File[]) {
  const every = Math.floor(good.length / Math.max(bombs.length, 1))
  const { ready } = await running.project('default').then(
    ({ statuses }) => statuses,
    // The first upload creates the project.
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

/** Uploads the good files with these bombs among them, to a daemon that has just read the good files once. `rest` is its memory afterwards. */
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

test(`eight bombs among ${GOOD} good files: each ends as expected and leaves nothing on disk or in memory; prints times and peaks`, async () => {
  const good = await goodFiles()
  const bombs = Object.entries(BOMBS).map(([name, { make }]) => ({ name, content: new Uint8Array(make()) }))
  const alone = await round(good, [])
  const together = await round(good, bombs)
  const ratio = (of: keyof typeof alone): number => +(together[of] / alone[of]).toFixed(2)
  const ratios = { took: ratio('tookMs'), processor: ratio('processorMs'), peak: ratio('peak'), rest: ratio('rest') }
  console.log(JSON.stringify({ alone, together, ratios }))
  if (alone.rest > 0) expect(together.rest / alone.rest).toBeLessThan(MAX_MEMORY)
})
