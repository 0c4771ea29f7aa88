import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generatedText } from '../support/generated-text.ts'
import { folderSize } from '../support/folder-size.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { residentMemory } from '../support/memory.ts'
import { expectTidy, found } from '../support/promises.ts'
import { until } from '../support/until.ts'
import { rareWord } from '../support/words.ts'

const SECONDS = Number(process.env.DOCSEARCH_TEST_LOAD_S ?? 600)
const CLIENTS = 4
/** The documents of all clients never become more, so that only a leak can make memory grow. */
const PATHS_PER_CLIENT = 25
const SEARCHES_PER_CHANGE = 8
const SAMPLE_MS = 250
/**
 * The most by which the median of resident memory may grow from the third to the last quarter of the time. The garbage collector changes it by some
 * percent. A leak makes it grow as much in every quarter, whatever the machine and the time.
 */
const MAX_GROWTH = 1.1
/** The same for open files and for the bytes of the data folder, which compactions change by more. */
const MAX_HANDLE_GROWTH = 1.2
const MAX_DISK_GROWTH = 1.5
/** In a shorter time, V8 and malloc still take the memory that every busy daemon needs. */
const MIN_SECONDS_FOR_MEMORY = 600

interface Stored {
  id: string
  word: string
}

let instance: Instance
let running: Running
const text = generatedText()
const questions = text.questions(100, 100)
const figures = { uploads: 0, replaces: 0, deletes: 0, searches: 0 }

beforeAll(async () => {
  instance = await newInstance()
  // A trash would grow with every change.
  running = await instance.start({ env: { DOCSEARCH_TRASH_DAYS: '0' } })
})
afterAll(() => instance?.remove())

/** A client with paths of its own. It knows what a search must find, because every change waits until it is searchable. */
async function client(number: number, isOver: () => boolean): Promise<Map<string, Stored>> {
  const stored = new Map<string, Stored>()
  while (!isOver()) {
    const name = `client-${number}-${Math.floor(Math.random() * PATHS_PER_CLIENT)}.md`
    const before = stored.get(name)
    if (before !== undefined && Math.random() < 0.3) await remove(name, before, stored)
    else await put(name, before, stored)
    for (let i = 0; i < SEARCHES_PER_CHANGE && !isOver(); i++) await search(stored, i)
  }
  return stored
}

async function put(name: string, before: Stored | undefined, stored: Map<string, Stored>): Promise<void> {
  const word = rareWord()
  const { content } = text.document(Math.floor(Math.random() * 1_000))
  const { status, body } = await running.upload([{ name, content: `${content}\nThe mark of this document is ${word}.\n` }])
  expect(status, JSON.stringify(body)).toBe(202)
  const { id } = body.documents[0]!
  await until(`${name} ready`, async () => (await running.document(id)).status === 'ready', 600_000)
  stored.set(name, { id, word })
  if (before !== undefined) expect(await found(running, before.word), 'the replaced text').toEqual([])
  figures[before === undefined ? 'uploads' : 'replaces'] += 1
}

async function remove(name: string, { id, word }: Stored, stored: Map<string, Stored>): Promise<void> {
  expect((await running.call('DELETE', `/api/v1/documents/${id}`)).status).toBe(204)
  stored.delete(name)
  expect(await found(running, word), 'the deleted text').toEqual([])
  figures.deletes += 1
}

async function search(stored: ReadonlyMap<string, Stored>, turn: number): Promise<void> {
  const entries = [...stored]
  const one = entries[Math.floor(Math.random() * entries.length)]
  if (turn % 2 === 0 && one !== undefined) expect(await found(running, one[1].word)).toEqual([one[0]])
  else await running.search(questions[figures.searches % questions.length]!)
  figures.searches += 1
}

test(`${CLIENTS} clients search, upload, replace and delete for ${SECONDS} s: every answer is right, and memory, open files and disk level off`, async () => {
  const memory: number[] = []
  const handles: number[] = []
  const disk: number[] = []
  const sampling = setInterval(() => {
    memory.push(residentMemory(running.daemon.pid))
    handles.push(readdirSync(`/proc/${running.daemon.pid}/fd`).length)
    if (memory.length % 20 === 0) disk.push(folderSize(instance.dataDir))
  }, SAMPLE_MS)
  const end = performance.now() + SECONDS * 1000
  const clients = Array.from({ length: CLIENTS }, (_, i) => client(i, () => performance.now() > end))
  const stored = await Promise.all(clients).finally(() => clearInterval(sampling))

  const byQuarter = { memory: quarters(memory), handles: quarters(handles), disk: quarters(disk) }
  const megabytes = (values: readonly number[]) => values.map((bytes) => Math.round(bytes / 1e6))
  console.log(
    JSON.stringify({
      seconds: SECONDS,
      ...figures,
      memoryMB: megabytes(byQuarter.memory),
      openFiles: byQuarter.handles,
      diskMB: megabytes(byQuarter.disk),
    }),
  )
  for (const [name, { word }] of stored.flatMap((one) => [...one])) expect(await found(running, word)).toEqual([name])
  expect(await running.daemon.stop()).toBe(0)
  running = await instance.start()
  await expectTidy(running, instance.dataDir)
  for (const [name, { word }] of stored.flatMap((one) => [...one])) expect(await found(running, word)).toEqual([name])
  if (SECONDS < MIN_SECONDS_FOR_MEMORY) return
  expect(growth(byQuarter.memory)).toBeLessThan(MAX_GROWTH)
  expect(growth(byQuarter.handles)).toBeLessThan(MAX_HANDLE_GROWTH)
  expect(growth(byQuarter.disk)).toBeLessThan(MAX_DISK_GROWTH)
})

/** Returns the median of each quarter of the time. */
const quarters = (values: readonly number[]): number[] =>
  [0, 1, 2, 3].map((n) => median(values.slice((values.length * n) / 4, (values.length * (n + 1)) / 4)))

const growth = ([, , third = 1, fourth = 1]: readonly number[]): number => fourth / third

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
