import { join } from 'node:path'
import { type Collection, readCollection, sample } from './collections.ts'
import { inParallel, type Instance } from './instance.ts'
import { mean, ndcg } from './metrics.ts'

export const MIXED_SETS: readonly string[] = ['xquad_en', 'xquad_de', 'xquad_zh']
const PROJECT = 'mixed languages'
/** How far a language may fall among the others below itself alone. */
const TOLERANCE = 0.005

export interface MixedResult {
  set: string
  /** nDCG@10 of the default order. */
  alone: number
  mixed: number
}

/**
 * Measures a library in three languages: the same texts and questions in English, German and Chinese, in one project. `alone` has the
 * figures of each language in a project of its own. A question may also be answered by the same text in another language, but that is not
 * judged relevant.
 */
export async function measureMixed(
  instance: Instance,
  data: string,
  alone: ReadonlyMap<string, number>,
  maxQuestions: number,
): Promise<MixedResult[]> {
  const collections = MIXED_SETS.map((set) => ({ set, collection: readCollection(join(data, 'retrieval', set)) }))
  await instance.load(
    PROJECT,
    collections.flatMap(({ set, collection: { documents } }) =>
      documents.map(({ content }, i) => ({ name: `${set}-${i}.txt`, content })),
    ),
  )
  const results: MixedResult[] = []
  for (const { set, collection } of collections)
    results.push({ set, alone: alone.get(set)!, mixed: await ask(instance, set, collection, maxQuestions) })
  return results
}

async function ask(instance: Instance, set: string, collection: Collection, maxQuestions: number): Promise<number> {
  const { documents, queries, judgements } = collection
  const scores = await inParallel(sample(queries, maxQuestions), 4, async ({ id, text }) => {
    const { results } = await instance.search({ query: text, project: PROJECT, group_by: 'document', limit: 10 })
    const ranking = results.map(({ document: { name } }) => {
      const [language, number] = name.split(/-|\.txt$/)
      return language === set ? documents[Number(number)]!.id : name
    })
    return ndcg(ranking, judgements.get(id)!, 10)
  })
  return mean(scores)
}

/** Returns a table for the report, and the problems. */
export function reportOfMixed(results: readonly MixedResult[]): { lines: string[]; problems: string[] } {
  const figure = (value: number) => value.toFixed(3).replace(/^(-?)0/, '$1')
  const lines = [
    'The same texts in three languages, in one project: nDCG@10 of the reranked order for questions in each language',
    '',
    '| questions | alone | in one project | lost |',
    '|---|---|---|---|',
    ...results.map(({ set, alone, mixed }) => `| ${set} | ${figure(alone)} | ${figure(mixed)} | ${figure(alone - mixed)} |`),
    '',
  ]
  const problems = results
    .filter(({ alone, mixed }) => mixed < alone - TOLERANCE)
    .map(({ set, alone, mixed }) => `${set} among other languages has ${figure(mixed)}, ${figure(alone - mixed)} less than alone`)
  return { lines, problems }
}
