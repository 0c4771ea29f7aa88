import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SearchMode } from '../../src/search/search.ts'
import { inParallel, type Instance } from './instance.ts'
import { type Judgements, mean, ndcg, recall } from './metrics.ts'
import { mistype } from './typos.ts'

/** What is measured: each channel and their fusion as they are, and what a caller gets who asks for nothing special. */
export const RUNS = {
  keyword: { mode: 'keyword', rerank: false },
  vector: { mode: 'vector', rerank: false },
  hybrid: { mode: 'hybrid', rerank: false },
  reranked: { mode: 'hybrid', rerank: true },
} as const satisfies Record<string, { mode: SearchMode; rerank: boolean }>
export type Run = keyof typeof RUNS
export const RUN_NAMES = Object.keys(RUNS) as Run[]

export interface Scores {
  ndcg10: number
  recall100: number
}

export interface TypoScores {
  /** Questions that have a slip. */
  mistyped: number
  clean: Scores
  corrected: Scores
  /** With `correct: false`. */
  insisted: Scores
}

export interface CollectionResult {
  set: string
  queries: number
  byRun: Record<Run, Scores>
  /** Of the reranked order; null in languages without words to mistype. */
  typos: TypoScores | null
}

export interface Collection {
  documents: { id: string; content: string }[]
  queries: { id: string; text: string }[]
  judgements: Map<string, Map<string, number>>
}

export function jsonLines<T>(file: string): T[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T)
}

export function readCollection(folder: string): Collection {
  const judgements = new Map<string, Map<string, number>>()
  for (const line of readFileSync(join(folder, 'qrels.tsv'), 'utf8').trim().split('\n').slice(1)) {
    const [query, document, score] = line.split('\t') as [string, string, string]
    if (!judgements.has(query)) judgements.set(query, new Map())
    judgements.get(query)!.set(document, Number(score))
  }
  return {
    documents: jsonLines<{ _id: string; title?: string; text: string }>(join(folder, 'corpus.jsonl')).map(
      ({ _id, title, text }) => ({
        id: _id,
        content: title ? `${title}\n\n${text}` : text,
      }),
    ),
    queries: jsonLines<{ _id: string; text: string }>(join(folder, 'queries.jsonl'))
      .map(({ _id, text }) => ({ id: _id, text }))
      .filter(({ id }) => [...(judgements.get(id)?.values() ?? [])].some((gain) => gain > 0)),
    judgements,
  }
}

/** Evenly drawn and the same in every run; thousands of questions over one small corpus say no more than hundreds do. */
function sample<T>(items: readonly T[], most: number): readonly T[] {
  return items.length <= most ? items : Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]!)
}

/** Uploads one judged collection as text files, its name as the project's. */
export async function loadCollection(instance: Instance, set: string, { documents }: Collection): Promise<void> {
  // Ids may hold slashes and colons, which a file's name loses: the place in the collection is the name. An empty document is refused at upload, and nothing
  // judged relevant is empty.
  const files = documents.flatMap(({ content }, i) => (content.trim() === '' ? [] : [{ name: `${i}.txt`, content }]))
  await instance.load(set, files)
}

/** Asks questions of a collection, documents as results; at most `most` of them, evenly drawn. */
export async function askCollection(
  instance: Instance,
  set: string,
  { documents, queries: all, judgements }: Collection,
  run: Run,
  most: number,
  correct = true,
): Promise<Scores> {
  const scores = await inParallel(sample(all, most), 4, async ({ id, text }) => {
    const answer = await instance.search({
      query: text.slice(0, 4000),
      project: set,
      ...RUNS[run],
      correct,
      group_by: 'document',
      limit: 100,
    })
    const ranking = answer.results.map((result) => documents[Number.parseInt(result.document.name)]!.id)
    const judged: Judgements = judgements.get(id)!
    return { ndcg10: ndcg(ranking, judged, 10), recall100: recall(ranking, judged, 100) }
  })
  return { ndcg10: mean(scores.map((s) => s.ndcg10)), recall100: mean(scores.map((s) => s.recall100)) }
}

/** The same questions with slips and without, corrected and not, ranked as a caller gets them. Null where no question has a word to mistype. */
async function measureTypos(
  instance: Instance,
  set: string,
  collection: Collection,
  clean: Scores,
  mostQuestions: number,
): Promise<TypoScores | null> {
  const queries = collection.queries.map(({ id, text }) => ({ id, text: mistype(text, `${set} ${id}`) }))
  const mistyped = queries.filter(({ text }, i) => text !== collection.queries[i]!.text).length
  if (mistyped < queries.length / 4) return null
  const slips = { ...collection, queries }
  return {
    mistyped,
    clean,
    corrected: await askCollection(instance, set, slips, 'reranked', mostQuestions),
    insisted: await askCollection(instance, set, slips, 'reranked', mostQuestions, false),
  }
}

/** Uploads one judged collection and asks its questions in each way. */
export async function measureCollection(
  instance: Instance,
  folder: string,
  set: string,
  mostQuestions: number,
): Promise<CollectionResult> {
  const collection = readCollection(folder)
  await loadCollection(instance, set, collection)
  const byRun = {} as CollectionResult['byRun']
  for (const run of RUN_NAMES) byRun[run] = await askCollection(instance, set, collection, run, mostQuestions)
  const typos = await measureTypos(instance, set, collection, byRun.reranked, mostQuestions)
  return { set, queries: Math.min(collection.queries.length, mostQuestions), byRun, typos }
}

export function collectionSets(folder: string): string[] {
  return readdirSync(folder).toSorted()
}
