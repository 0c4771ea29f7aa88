import { createBuiltinEmbedder } from '../../src/embed/builtin.ts'
import { inParallel } from '../../test/quality/instance.ts'
import { type Figure, median, megabytes, ms, percentile, ratio, timed } from '../measure.ts'
import { type GeneratedText, generatedText } from '../../test/support/generated-text.ts'
import { type CpuTime, cpuTime } from './cpu-time.ts'
import { type Docsearch, documentsBetween, load, measureStart, PROJECT, startDocsearch } from './docsearch.ts'
import { goalsOf } from './goals.ts'
import { measureRecall } from './recall.ts'
import { buildRivals, type Rivals } from './rivals/build.ts'
import { storedPassages } from './stored-passages.ts'

const CLIENTS = 16
const QUESTIONS = 300
const WARM_UP = 50
const ROUNDS = 4
const RECALL_QUESTIONS = 50
/** Passages that are uploaded while searches are measured: a twentieth of the collection, within bounds. */
const [MIN_MORE, MAX_MORE] = [4_000, 20_000]

export interface ScaleOptions {
  passages: number
  /** The number of searches after which memory is measured. */
  searches: number
  /** Checkouts whose docsearch is measured in turns; null is this one. */
  checkouts: readonly (string | null)[]
  rivals: readonly string[]
}

interface Bench {
  options: ScaleOptions
  corpus: GeneratedText
  documents: number
  questions: string[]
  daemons: Docsearch[]
  embed: (question: string) => Promise<Float32Array>
  figures: Figure[]
}

/** Loads a generated collection over REST, and measures docsearch in turns with other programs on the same passages. */
export async function measureScale(options: ScaleOptions): Promise<Figure[]> {
  const corpus = generatedText()
  const documents = corpus.documentsFor(options.passages)
  const embedder = createBuiltinEmbedder()
  const bench: Bench = {
    options,
    corpus,
    documents,
    questions: corpus.questions(QUESTIONS, documents),
    daemons: [],
    embed: (question) => embedder.embedQuery(question),
    figures: [],
  }
  let rivals: Rivals | null = null
  try {
    for (const checkout of options.checkouts) await loadDaemon(bench, checkout)
    const { dataDir } = bench.daemons[0]!.instance.daemon
    rivals = await buildRivals(options.rivals, { passages: () => storedPassages(dataDir), embed: bench.embed })
    await measureTurnsOfSearches(bench, rivals)
    await measureThroughput(bench, rivals)
    for (const daemon of bench.daemons) await measureAlone(bench, daemon)
    for (const { name, bytes, buildMs } of rivals.built) {
      add(bench, `${name}: size on disk, time to build`, `${megabytes(bytes)}, ${Math.round(buildMs / 1000)} s`)
    }
    return bench.figures
  } finally {
    await rivals?.close()
    for (const daemon of bench.daemons) await daemon.dispose()
  }
}

function add({ figures, options }: Bench, what: string, value: string, bound?: string): void {
  figures.push({ name: `${options.passages.toLocaleString('en')} passages: ${what}`, value, ...(bound && { bound }) })
  console.error(`${what}: ${value}`)
}

/** p50 / p95. */
const msPair = (times: readonly number[]): string => `${ms(median(times))} / ${ms(percentile(times, 0.95))}`

async function loadDaemon(bench: Bench, checkout: string | null): Promise<void> {
  const daemon = await startDocsearch(checkout)
  bench.daemons.push(daemon)
  const goals = goalsOf(bench.options.passages)
  const { all, last, perProcessorSecond } = await load(daemon, bench.corpus, bench.documents)
  const count = await daemon.passages()
  add(
    bench,
    `${daemon.name}, ingest of ${count}`,
    `${Math.round(all)} passages/s, ${Math.round(last)} at the end, ${Math.round(perProcessorSecond)} a second of processor time`,
    goals.ingest,
  )
  await daemon.calm()
  add(bench, `${daemon.name}, peak memory while loading`, megabytes(daemon.peakMemory()))
  add(bench, `${daemon.name}, index on disk`, megabytes(daemon.indexBytes()), goals.disk)
  const { idleBytes, firstAnswerMs } = await measureStart(daemon, bench.questions[0]!)
  add(bench, `${daemon.name}, memory after a start`, megabytes(idleBytes), goals.idle)
  add(bench, `${daemon.name}, from the start of the process to the first answer`, ms(firstAnswerMs), goals.start)
}

interface Asked {
  name: string
  ask(question: string): Promise<unknown>
  bound?: string | undefined
}

/** All programs answer each question in turns, so that all of them run while the machine is equally busy. */
async function measureTurnsOfSearches(bench: Bench, rivals: Rivals): Promise<void> {
  const asked: Asked[] = [
    ...bench.daemons.flatMap(({ name, search, me }): Asked[] => [
      { name: `${name}, default search`, ask: (query) => search({ query }), bound: goalsOf(bench.options.passages).search },
      { name: `${name}, keyword only`, ask: (query) => search({ query, mode: 'keyword', rerank: false }) },
      { name: `${name}, GET /api/v1/me`, ask: me },
    ]),
    ...rivals.built.map(({ name, search }) => ({ name, ask: search })),
    ...(rivals.server ? [{ name: rivals.server.name, ask: rivals.server.search }] : []),
  ]
  const times = asked.map((): number[] => [])
  for (const [i, question] of [...bench.questions.slice(0, WARM_UP), ...bench.questions].entries()) {
    for (const [k, { ask }] of asked.entries()) {
      const answer = await timed(() => ask(question))
      if (i >= WARM_UP) times[k]!.push(answer.ms)
    }
  }
  const [first] = times.map(median)
  for (const [k, { name, bound }] of asked.entries()) {
    const compared = k === 0 ? '' : `, ${ratio(median(times[k]!) / first!)} the first`
    add(bench, `${name}, one client, p50 / p95`, `${msPair(times[k]!)}${compared}`, bound)
  }
  for (const { name, reason } of rivals.missing) add(bench, name, `skipped: ${reason}`)
}

interface Server {
  name: string
  isDocsearch: boolean
  cpuTime(): CpuTime
  ask(question: string): Promise<unknown>
}

function serversOf({ daemons }: Bench, { server }: Rivals): Server[] {
  return [
    ...daemons.map(({ name, search, cpuTime }) => ({
      name,
      isDocsearch: true,
      cpuTime,
      ask: (query: string) => search({ query }),
    })),
    ...(server ? [{ name: server.name, isDocsearch: false, cpuTime: () => cpuTime(server.pid), ask: server.search }] : []),
  ]
}

/** Rounds of searches with many clients, in turns. The last server is the one to compare with. */
async function measureThroughput(bench: Bench, rivals: Rivals): Promise<void> {
  const servers = serversOf(bench, rivals)
  const taken = servers.map(() => ({ ms: 0, answers: [] as number[], main: 0, all: 0 }))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [k, server] of servers.entries()) {
      const sum = taken[k]!
      const before = server.cpuTime()
      const together = await timed(() => inParallel(bench.questions, CLIENTS, (one) => timed(() => server.ask(one))))
      const after = server.cpuTime()
      sum.ms += together.ms
      sum.answers.push(...together.value.map((answer) => answer.ms))
      sum.main += after.main - before.main
      sum.all += after.all - before.all
    }
  }
  const rates = taken.map((sum) => sum.answers.length / (sum.ms / 1000))
  for (const [k, { name, isDocsearch }] of servers.entries()) {
    const { answers, main, all } = taken[k]!
    const compared = rivals.server && isDocsearch ? `, ${ratio(rates[k]! / rates.at(-1)!)} ${rivals.server.name}` : ''
    const goals = isDocsearch ? goalsOf(bench.options.passages) : {}
    const rate = `${Math.round(rates[k]!)} searches/s, p50 ${ms(median(answers))}${compared}`
    add(bench, `${name}, ${CLIENTS} clients`, rate, goals.throughput)
    const processor = `${ms(main / answers.length)}; ${ms(all / answers.length)}`
    add(bench, `${name}, processor time a search: main thread; all threads`, processor, isDocsearch ? 'main ≤ 2 ms' : undefined)
  }
}

/** False for a question with a phrase or an excluded word, because its answer lacks some of the nearest passages. */
const isPlain = (question: string) => !/"|(^|\s)-\S/.test(question)

async function measureAlone(bench: Bench, daemon: Docsearch): Promise<void> {
  const { options, questions, corpus, documents, embed } = bench
  const goals = goalsOf(options.passages)
  const many = Array.from({ length: options.searches }, (_, i) => questions[i % questions.length]!)
  await inParallel(many, CLIENTS, (query) => daemon.search({ query }))
  add(bench, `${daemon.name}, memory after ${options.searches} searches`, megabytes(daemon.memory()), goals.memory)

  const { dataDir } = daemon.instance.daemon
  const recall = await measureRecall(dataDir, questions.filter(isPlain).slice(0, RECALL_QUESTIONS), embed, (query) =>
    daemon.search({ query, mode: 'vector', rerank: false, correct: false }),
  )
  add(bench, `${daemon.name}, recall@10 of vectors against exact`, recall.toFixed(3), '≥ .98')

  const more = corpus.documentsFor(Math.min(Math.max(options.passages / 20, MIN_MORE), MAX_MORE))
  let isDone = false
  const loading = daemon.instance
    .load(PROJECT, documentsBetween(corpus, documents, documents + more))
    .finally(() => (isDone = true))
  const times: number[] = []
  while (!isDone) {
    const query = questions[times.length % questions.length]!
    times.push((await timed(() => daemon.search({ query }))).ms)
  }
  await loading
  const figures = `${msPair(times)} (${times.length} searches)`
  add(bench, `${daemon.name}, p50 / p95 during ingest`, figures, goals.duringIngest)
  add(bench, `${daemon.name}, peak memory of searches and this ingest`, megabytes(daemon.peakMemory()))
}
