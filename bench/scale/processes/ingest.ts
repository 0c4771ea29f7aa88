import { setTimeout as sleep } from 'node:timers/promises'
import type { Upload } from '../../../test/quality/instance.ts'
import type { GeneratedDocument, GeneratedText } from '../../../test/support/generated-text.ts'
import { makePdf } from '../../../test/support/make-documents.ts'
import { median, ms, percentile, ratio, timed } from '../../measure.ts'
import { each, type Report } from './report.ts'
import type { Search, System } from './system.ts'
import { sumOf, type Usage } from './usage.ts'

/** How many documents to load before each measurement, so that parsers run and code is compiled. Half of them are PDFs. */
const WARM_UP = 80
const WARM_UP_FROM = 900_000
/** Of ten generated documents, the first five are notes of 250 words, and the next four are reports of 3,000 words. */
const IN_TEN = 10
const NOTES_FROM = 500_000
const REPORTS_FROM = 700_005
const PARAGRAPHS_ON_PAGE = 4
const PAUSE_MS = 200

export type Kind = 'documents' | 'notes' | 'PDFs'

export class Documents {
  readonly #corpus: GeneratedText
  #taken = { documents: 0, notes: 0, PDFs: 0, warmUp: 0 }

  constructor(corpus: GeneratedText) {
    this.#corpus = corpus
  }

  /** How many of the documents taken so far can be the subject of questions. */
  get taken(): number {
    return this.#taken.documents
  }

  /** Returns the next documents of all sizes, the next notes, or the next reports as PDFs. */
  async take(kind: Kind, count: number): Promise<Upload[]> {
    const from = this.#taken[kind]
    this.#taken[kind] += count
    const numbers = Array.from({ length: count }, (_, i) => from + i)
    if (kind === 'documents') return numbers.map((n) => this.#corpus.document(n))
    if (kind === 'notes') return numbers.map((n) => this.#corpus.document(NOTES_FROM + n * IN_TEN))
    const pdfs: Upload[] = []
    // One by one, so that this process notices when a server closes a connection.
    for (const n of numbers) pdfs.push(await asPdf(this.#corpus.document(REPORTS_FROM + n * IN_TEN)))
    return pdfs
  }

  async takeWarmUp(): Promise<Upload[]> {
    const files: Upload[] = []
    while (files.length < WARM_UP) {
      const document = this.#corpus.document(WARM_UP_FROM + this.#taken.warmUp++)
      // A worker that does not write the index reads no text files.
      files.push(files.length % 2 === 0 ? document : await asPdf(document))
    }
    return files
  }
}

interface Round {
  documentsPerSecond: number
  passagesPerSecond: number
  usage: Usage
}

/**
 * Loads documents with one and with two workers in turns, then loads the same documents into the instance in a data folder. Every second round begins
 * with two workers: the index grows, so the second load of a round has the larger merges.
 */
export async function measureIngest(
  system: System,
  documents: Documents,
  { kind, count, rounds }: { kind: Kind; count: number; rounds: number },
  report: Report,
): Promise<void> {
  const one: Round[] = []
  const two: Round[] = []
  const single: Round[] = []
  for (let round = 0; round < rounds; round++) {
    const parts = [await documents.take(kind, count), await documents.take(kind, count)]
    const loads = [
      async (files: Upload[]) => void one.push(await loadInto(system, documents, files)),
      async (files: Upload[]) => {
        await system.wakeReader()
        two.push(await loadInto(system, documents, files))
        system.freezeReader()
      },
    ]
    if (round % 2 === 1) loads.reverse()
    for (const [i, load] of loads.entries()) await load(parts[i]!)
    single.push(await loadSingle(system, parts.flat()))
  }
  const rates = (list: Round[]) => list.map(({ documentsPerSecond }) => documentsPerSecond)
  const what = `ingest of ${kind}`
  report.add(`${what}: two workers : one`, rounds === 0 ? '' : ratio(sum(rates(two)) / sum(rates(one))), '≥ 1')
  for (const [name, list] of [
    ['one worker', one],
    ['two workers', two],
    ['one process in a data folder', single],
  ] as const) {
    report.add(`${what}, ${name}: documents a second in each round`, each(rates(list)))
    report.add(`${what}, ${name}: passages a second in each round`, each(list.map(({ passagesPerSecond }) => passagesPerSecond)))
    report.addUsage(
      `${what}, ${name}`,
      'document',
      sumOf(list.map(({ usage }) => usage)),
      count * rounds * (list === single ? 2 : 1),
    )
  }
}

async function loadInto(system: System, documents: Documents, files: readonly Upload[]): Promise<Round> {
  const warmUp = await documents.takeWarmUp()
  await system.load(warmUp)
  await system.single.load('warm-up', warmUp)
  const before = await system.passages()
  const { value, usage } = await system.meter.during(() => timed(() => system.load(files)))
  return roundOf(files.length, (await system.passages()) - before, value.ms, usage)
}

async function loadSingle({ single, meter }: System, files: readonly Upload[]): Promise<Round> {
  const before = await single.countPassages()
  const { value, usage } = await meter.during(() => timed(() => single.load('scale', files)))
  return roundOf(files.length, (await single.countPassages()) - before, value.ms, usage)
}

const roundOf = (documents: number, passages: number, ms: number, usage: Usage): Round => ({
  documentsPerSecond: (documents * 1000) / ms,
  passagesPerSecond: (passages * 1000) / ms,
  usage,
})

/** One client searches on the node that receives no uploads, while documents are loaded. */
export async function measureDuringIngest(
  system: System,
  documents: Documents,
  { count, questions }: { count: number; questions: readonly string[] },
  report: Report,
): Promise<void> {
  const files = await documents.take('documents', count)
  for (const [name, load, at] of [
    ['two API nodes, two workers', () => system.load(files), system.searchOn(system.apis[1]!)],
    ['one process in a data folder', () => system.single.load('scale', files), system.searchSingle()],
  ] as const) {
    const { value: times, usage } = await system.meter.during(() => searchWhile(load, at.search, questions))
    at.close()
    const figures = `${ms(median(times))} / ${ms(percentile(times, 0.95))} (${times.length} searches)`
    report.add(`search during ingest, ${name}: p50 / p95`, figures)
    report.addUsage(`search during ingest, ${name}`, 'document', usage, count)
  }
}

async function searchWhile(load: () => Promise<void>, search: Search, questions: readonly string[]): Promise<number[]> {
  let isDone = false
  const loading = load().finally(() => (isDone = true))
  const times: number[] = []
  while (!isDone) {
    times.push((await timed(() => search({ query: questions[times.length % questions.length]! }))).ms)
    await sleep(PAUSE_MS)
  }
  await loading
  return times
}

async function asPdf({ name, content }: GeneratedDocument): Promise<Upload> {
  const paragraphs = content.split('\n\n').map((text) => ({ text }))
  const pages = Array.from({ length: Math.ceil(paragraphs.length / PARAGRAPHS_ON_PAGE) }, (_, i) =>
    paragraphs.slice(i * PARAGRAPHS_ON_PAGE, (i + 1) * PARAGRAPHS_ON_PAGE),
  )
  return { name: name.replace(/\.md$/, '.pdf'), content: new Uint8Array(await makePdf(pages)) }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
