import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SearchMode } from '../../src/search/search.ts'
import { inParallel, type Instance } from './instance.ts'
import { type Judgements, mean, ndcg, recall } from './metrics.ts'

export const MODES: readonly SearchMode[] = ['keyword', 'vector', 'hybrid']

export interface CollectionResult {
  set: string
  queries: number
  byMode: Record<SearchMode, { ndcg10: number; recall100: number }>
}

interface Collection {
  documents: { id: string; content: string }[]
  queries: { id: string; text: string }[]
  judgements: Map<string, Map<string, number>>
}

function jsonLines<T>(file: string): T[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T)
}

function readCollection(folder: string): Collection {
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

/** Uploads one judged collection as text files and asks all its questions in each mode, documents as results. */
export async function measureCollection(
  instance: Instance,
  folder: string,
  set: string,
  mostQuestions: number,
): Promise<CollectionResult> {
  const { documents, queries: all, judgements } = readCollection(folder)
  const queries = sample(all, mostQuestions)
  // Ids may hold slashes and colons, which a file's name loses: the place in the collection is the name. An empty document is refused at upload, and nothing
  // judged relevant is empty.
  const files = documents.flatMap(({ content }, i) => (content.trim() === '' ? [] : [{ name: `${i}.txt`, content }]))
  await instance.load(set, files)
  const byMode = {} as CollectionResult['byMode']
  for (const mode of MODES) {
    const scores = await inParallel(queries, 4, async ({ id, text }) => {
      const answer = await instance.search({ query: text.slice(0, 4000), project: set, mode, group_by: 'document', limit: 100 })
      const ranking = answer.results.map((result) => documents[Number.parseInt(result.document.name)]!.id)
      const judged: Judgements = judgements.get(id)!
      return { ndcg10: ndcg(ranking, judged, 10), recall100: recall(ranking, judged, 100) }
    })
    byMode[mode] = { ndcg10: mean(scores.map((s) => s.ndcg10)), recall100: mean(scores.map((s) => s.recall100)) }
  }
  return { set, queries: queries.length, byMode }
}

export function collectionSets(folder: string): string[] {
  return readdirSync(folder).toSorted()
}
