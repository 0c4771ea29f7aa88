import { join } from 'node:path'
import { askCollection, type Collection, loadCollection, readCollection } from './collections.ts'
import { startInstance } from './instance.ts'
import { mean } from './metrics.ts'

const WEIGHTS = [0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5]
/** Thousands of questions would compare the weights no better, and each weight asks all of them. */
const QUESTIONS = 100
/** How far a weight may fall below keywords alone, on any set. */
const TOLERANCE = 0.005

/**
 * Finds the best weight of the vector channel for the embedder in use, by nDCG@10 of the fused order before reranking. A weight that falls
 * below keywords alone by more than the tolerance on any set is out. Prints every figure and the setting.
 */
export async function measureFusion(folder: string, sets: readonly string[]): Promise<void> {
  const collections = new Map<string, Collection>(sets.map((set) => [set, readCollection(join(folder, set))]))
  const embedder = process.env['DOCSEARCH_EMBEDDER'] ?? 'builtin'
  const environment: Record<string, string> = { DOCSEARCH_EMBEDDER: embedder }
  if (process.env['DOCSEARCH_OLLAMA'] !== undefined) environment['DOCSEARCH_OLLAMA'] = process.env['DOCSEARCH_OLLAMA']
  const instance = await startInstance([], environment)
  const rows: { weight: number; figures: number[] }[] = []
  try {
    for (const [set, collection] of collections) await loadCollection(instance, set, collection)
    console.log(`| weight | ${sets.join(' | ')} | mean |\n|---|${sets.map(() => '---|').join('')}---|`)
    for (const weight of WEIGHTS) {
      await instance.restart({ ...environment, DOCSEARCH_FUSION_WEIGHT: String(weight) })
      const figures: number[] = []
      for (const [set, collection] of collections)
        figures.push((await askCollection(instance, set, collection, 'hybrid', QUESTIONS)).ndcg10)
      rows.push({ weight, figures })
      console.log(`| ${[weight, ...[...figures, mean(figures)].map((figure) => figure.toFixed(4).slice(1))].join(' | ')} |`)
    }
  } finally {
    await instance.dispose()
  }
  const words = rows[0]!.figures
  const safe = rows.filter(({ figures }) => figures.every((figure, i) => figure >= words[i]! - TOLERANCE))
  const best = safe.toSorted((a, b) => mean(b.figures) - mean(a.figures) || a.weight - b.weight)[0]!
  console.log(
    `\nFor the embedder ${embedder}: "fusion_weight": ${best.weight} in config.json, or DOCSEARCH_FUSION_WEIGHT=${best.weight}.`,
  )
}
