import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RUN_NAMES, RUNS, type Run } from './collections.ts'
import { inParallel, type Instance } from './instance.ts'
import { mean } from './metrics.ts'

export const DEPTHS = [1, 5, 10] as const
type Hits = Record<(typeof DEPTHS)[number], number>

export interface FilingsResult {
  questions: number
  byRun: Record<Run, { document: Hits; page: Hits }>
}

interface Question {
  question: string
  evidence: { file: string; page: number }[]
}

export async function loadFilings(instance: Instance, folder: string): Promise<void> {
  const pdfs = readdirSync(join(folder, 'pdfs')).toSorted()
  await instance.load(
    'filings',
    pdfs.map((name) => ({ name, content: new Uint8Array(readFileSync(join(folder, 'pdfs', name))) })),
  )
}

/** Measures on real filings, as PDF, whether the right document and its right page are among the first results. */
export async function measureFilings(instance: Instance, folder: string): Promise<FilingsResult> {
  const questions = readFileSync(join(folder, 'questions.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Question)
  const byRun = {} as FilingsResult['byRun']
  for (const run of RUN_NAMES) {
    const found = await inParallel(questions, 4, async ({ question, evidence }) => {
      const passages = await instance.search({ query: question, project: 'filings', ...RUNS[run], limit: 10 })
      const documents = await instance.search({
        query: question,
        project: 'filings',
        ...RUNS[run],
        limit: 10,
        group_by: 'document',
      })
      const page = passages.results.findIndex(({ document, chunk }) =>
        evidence.some((place) => place.file === document.name && place.page >= chunk.page_start && place.page <= chunk.page_end),
      )
      const document = documents.results.findIndex((result) => evidence.some((place) => place.file === result.document.name))
      return { page, document }
    })
    const rate = (ranks: number[]): Hits =>
      Object.fromEntries(DEPTHS.map((depth) => [depth, mean(ranks.map((rank) => (rank >= 0 && rank < depth ? 1 : 0)))])) as Hits
    byRun[run] = { document: rate(found.map((f) => f.document)), page: rate(found.map((f) => f.page)) }
  }
  return { questions: questions.length, byRun }
}
