import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SearchMode } from '../../src/search/search.ts'
import { inParallel, type Instance } from './instance.ts'
import { type Judgements, mean, ndcg, recall } from './metrics.ts'
import { mistype } from './typos.ts'

/** The measured runs: each channel, their fusion, and what a caller gets by default. */
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
  /** nDCG@10 of each question. */
  ofQuestions: readonly number[]
}

export interface TypoScores {
  /** Number of questions with a typing error. */
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
  /** Measured in the reranked order. Null in languages without words to mistype. */
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

/** Draws at most `max` items evenly, the same in every run: thousands of questions on a small corpus say no more than hundreds. */
export function sample<T>(items: readonly T[], max: number): readonly T[] {
  return items.length <= max ? items : Array.from({ length: max }, (_, i) => items[Math.floor((i * items.length) / max)]!)
}

/** Uploads a judged collection as text files, into a project with the collection's name. */
export async function loadCollection(instance: Instance, set: string, { documents }: Collection): Promise<void> {
  // Files are named by their place in the collection, because ids may have slashes and colons, which a file's name can't keep. Empty
  // documents are left out: an upload refuses them, and none is judged relevant.
  const files = documents.flatMap(({ content }, i) => (content.trim() === '' ? [] : [{ name: `${i}.txt`, content }]))
  await instance.load(set, files)
}

/** Asks at most `maxQuestions` questions of a collection and scores the documents found. */
export async function askCollection(
  instance: Instance,
  set: string,
  { documents, queries: all, judgements }: Collection,
  run: Run,
  maxQuestions: number,
  correct = true,
): Promise<Scores> {
  const scores = await inParallel(sample(all, maxQuestions), 4, async ({ id, text }) => {
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
  const ofQuestions = scores.map((s) => s.ndcg10)
  return { ndcg10: mean(ofQuestions), recall100: mean(scores.map((s) => s.recall100)), ofQuestions }
}

/** Asks the questions with typing errors, corrected and not. Returns null when fewer than a quarter of them have a word to mistype. */
async function measureTypos(
  instance: Instance,
  set: string,
  collection: Collection,
  clean: Scores,
  maxQuestions: number,
): Promise<TypoScores | null> {
  const queries = collection.queries.map(({ id, text }) => ({ id, text: mistype(text, `${set} ${id}`) }))
  const mistyped = queries.filter(({ text }, i) => text !== collection.queries[i]!.text).length
  if (mistyped < queries.length / 4) return null
  const mistypedCollection = { ...collection, queries }
  return {
    mistyped,
    clean,
    corrected: await askCollection(instance, set, mistypedCollection, 'reranked', maxQuestions),
    insisted: await askCollection(instance, set, mistypedCollection, 'reranked', maxQuestions, false),
  }
}

/** Uploads a judged collection and asks its questions in each run. */
export async function measureCollection(
  instance: Instance,
  folder: string,
  set: string,
  maxQuestions: number,
): Promise<CollectionResult> {
  const collection = readCollection(folder)
  await loadCollection(instance, set, collection)
  const byRun = {} as CollectionResult['byRun']
  for (const run of RUN_NAMES) byRun[run] = await askCollection(instance, set, collection, run, maxQuestions)
  const typos = await measureTypos(instance, set, collection, byRun.reranked, maxQuestions)
  return { set, queries: Math.min(collection.queries.length, maxQuestions), byRun, typos }
}

export function collectionSets(folder: string): string[] {
  return readdirSync(folder).toSorted()
}
