import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SearchResult } from '../../src/contract/search.ts'
import { excerptOf } from '../../src/core/excerpt.ts'
import { RUN_NAMES, RUNS, type Run } from './collections.ts'
import { inParallel, type Instance } from './instance.ts'
import { mean } from './metrics.ts'
import { pairsFound } from './overlap.ts'

export const DEPTHS = [1, 5, 10] as const
type Hits = Record<(typeof DEPTHS)[number], number>

/** The share of the evidence's neighbouring words that a text has when it contains the evidence. Readers of PDFs differ a little. */
const CONTAINS = 0.7
/** The share of an excerpt's neighbouring words that are in the evidence when the excerpt shows it. */
const SHOWS = 0.5

export interface FilingsResult {
  questions: number
  byRun: Record<Run, { document: Hits; page: Hits; answer: Hits; snippet1: number }>
}

interface Evidence {
  file: string
  page: number
  /** The beginning of the evidence, up to 400 characters. */
  text: string
}

interface Question {
  question: string
  evidence: Evidence[]
}

export async function loadFilings(instance: Instance, folder: string): Promise<void> {
  const pdfs = readdirSync(join(folder, 'pdfs')).toSorted()
  await instance.load(
    'filings',
    pdfs.map((name) => ({ name, content: new Uint8Array(readFileSync(join(folder, 'pdfs', name))) })),
  )
}

/**
 * Measures on real filings, as PDF, whether the right document, its right page and a passage with the text of the evidence are among the first
 * results, and whether the excerpt that the web pages show of the first result is part of the evidence.
 */
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
      const answer = passages.results.findIndex((result) => evidence.some((place) => contains(result, place)))
      const [first] = passages.results
      const snippet = first !== undefined && evidence.some((place) => shows(first, place))
      return { page, document, answer, snippet }
    })
    const rate = (ranks: number[]): Hits =>
      Object.fromEntries(DEPTHS.map((depth) => [depth, mean(ranks.map((rank) => (rank >= 0 && rank < depth ? 1 : 0)))])) as Hits
    byRun[run] = {
      document: rate(found.map((f) => f.document)),
      page: rate(found.map((f) => f.page)),
      answer: rate(found.map((f) => f.answer)),
      snippet1: mean(found.map((f) => Number(f.snippet))),
    }
  }
  return { questions: questions.length, byRun }
}

function contains({ document, chunk, text }: SearchResult, evidence: Evidence): boolean {
  return document.name === evidence.file && pairsFound(evidence.text, `${chunk.context}\n${text}`) >= CONTAINS
}

function shows({ document, text, highlights }: SearchResult, evidence: Evidence): boolean {
  return document.name === evidence.file && pairsFound(text.slice(...excerptOf(text, highlights)), evidence.text) >= SHOWS
}
