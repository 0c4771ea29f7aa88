import type { SearchRequest } from '../../../src/contract/search.ts'
import { inParallel } from '../../../test/quality/instance.ts'
import { median, ms, percentile, ratio, timed } from '../../measure.ts'
import { each, type Report } from './report.ts'
import type { Search, System } from './system.ts'
import { sumOf, type Usage } from './usage.ts'

const CLIENTS = 16
const WARM_UP_ROUNDS = 3
const MODES = {
  hybrid: {},
  keyword: { mode: 'keyword', rerank: false },
} as const satisfies Record<string, Omit<SearchRequest, 'query' | 'project'>>
type Mode = keyof typeof MODES

const msPair = (times: readonly number[]): string => `${ms(median(times))} / ${ms(percentile(times, 0.95))}`

/**
 * Asks one API node and the instance in a data folder questions in turns, first after a start, then once more. Each mode has its own
 * questions.
 */
export async function measureLatency(system: System, questions: readonly string[], report: Report): Promise<void> {
  await system.single.restart({})
  const node = await system.replaceApi(0, 'api-1')
  const [shared, single] = [system.searchOn(node), system.searchSingle()]
  const half = Math.floor(questions.length / 2)
  const asked = { hybrid: questions.slice(0, half), keyword: questions.slice(half) }
  for (const pass of ['first', 'warm']) {
    for (const mode of Object.keys(MODES) as Mode[]) {
      const what = `search of one client, ${mode}, ${pass} pass`
      const { value, usage } = await system.meter.during(() => inTurns([shared.search, single.search], asked[mode], mode))
      const [here, there] = value as [number[], number[]]
      const compared = `${ratio(median(here) / median(there))} / ${ratio(percentile(here, 0.95) / percentile(there, 0.95))}`
      report.add(`${what}, API node : one process, p50 / p95`, `${compared} (${msPair(here)} : ${msPair(there)})`)
      report.addUsage(what, 'search', usage, asked[mode].length)
    }
  }
  shared.close()
  single.close()
}

async function inTurns(searches: readonly Search[], questions: readonly string[], mode: Mode): Promise<number[][]> {
  const times = searches.map((): number[] => [])
  for (const query of questions)
    for (const [i, search] of searches.entries()) times[i]!.push((await timed(() => search({ query, ...MODES[mode] }))).ms)
  return times
}

/** Measures many clients on one API node, on two API nodes, and on the instance in a data folder, in turns. */
export async function measureThroughput(
  system: System,
  { questions, rounds }: { questions: readonly string[]; rounds: number },
  report: Report,
): Promise<void> {
  const nodes = system.apis.map((node) => system.searchOn(node))
  const single = system.searchSingle()
  const asked = [
    { name: 'one API node', searches: nodes.slice(0, 1), rates: [] as number[], usage: [] as Usage[] },
    { name: 'two API nodes', searches: nodes, rates: [] as number[], usage: [] as Usage[] },
    { name: 'one process in a data folder', searches: [single], rates: [] as number[], usage: [] as Usage[] },
  ]
  const run = (searches: readonly { search: Search }[]) =>
    timed(() => inParallel([...questions.entries()], CLIENTS, ([i, query]) => searches[i % searches.length]!.search({ query })))
  // Each process needs many searches until its code is compiled.
  for (let i = 0; i < WARM_UP_ROUNDS; i++) for (const one of [...nodes, single]) await run([one])
  for (let round = 0; round < rounds; round++) {
    for (const { searches, rates, usage } of asked) {
      const { value, usage: used } = await system.meter.during(() => run(searches))
      rates.push((questions.length * 1000) / value.ms)
      usage.push(used)
    }
  }
  const means = asked.map(({ rates }) => rates.reduce((sum, rate) => sum + rate, 0) / rates.length)
  report.add(`search of ${CLIENTS} clients: two API nodes : one`, ratio(means[1]! / means[0]!), '≥ 1')
  report.add(`search of ${CLIENTS} clients: one API node : one process in a data folder`, ratio(means[0]! / means[2]!))
  for (const { name, rates, usage } of asked) {
    report.add(`search of ${CLIENTS} clients, ${name}: searches a second in each round`, each(rates))
    report.addUsage(`search of ${CLIENTS} clients, ${name}`, 'search', sumOf(usage), questions.length * rounds)
  }
  for (const { close } of [...nodes, single]) close()
}

/** Measures how long an API node takes until its first answer, with and without its folder, and how much it reads until then. */
export async function measureStarts(system: System, query: string, report: Report): Promise<void> {
  for (const [what, name] of [
    ['with its folder', 'api-2'],
    ['with an empty folder', 'api-3'],
  ] as const) {
    const { value, usage } = await system.meter.during(() => timed(() => startAndSearch(system, name, query)))
    report.add(`start of an API node ${what}: to the first answer`, ms(value.ms))
    report.addUsage(`start of an API node ${what}`, 'start', usage, 1)
  }
}

/** Measures an API node whose segments don't fit into memory, so it reads their blocks from its disk and the store. */
export async function measureSmallNode(system: System, questions: readonly string[], report: Report): Promise<void> {
  const node = await system.replaceApi(1, 'api-4', { DOCSEARCH_SEARCH_MEMORY_MB: '8', DOCSEARCH_INDEX_CACHE_MB: '64' })
  const at = system.searchOn(node)
  for (const pass of ['first', 'warm']) {
    const { value, usage } = await system.meter.during(() => inTurns([at.search], questions, 'hybrid'))
    report.add(`API node with little memory, hybrid, ${pass} pass: p50 / p95`, msPair(value[0]!))
    report.addUsage(`API node with little memory, ${pass} pass`, 'search', usage, questions.length)
  }
  at.close()
}

async function startAndSearch(system: System, name: string, query: string): Promise<void> {
  const at = system.searchOn(await system.replaceApi(1, name))
  try {
    const { results } = await at.search({ query })
    if (results.length === 0) throw new Error('a new API node finds nothing')
  } finally {
    at.close()
  }
}
