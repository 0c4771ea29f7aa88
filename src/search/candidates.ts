import type { SearchFilter } from '../core/search-filter.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { ChunkIndex } from '../index/chunk-index.ts'
import { append, type Candidate, type Channels, fuse } from './fuse.ts'
import type { Question } from './question.ts'

/**
 * How many hits each channel gives in each look. A look happens only when the looks before could not fill the result page. The API's
 * result pages end at 1,100 results, and a result by document may need several passages.
 */
const DEPTHS = [200, 1500, 6000]

/** The assumed number of passages when a channel reached its depth. */
const ASSUMED_PASSAGES = 20_000

type FusedEmbedder = Pick<Embedder, 'fusionWeight' | 'noiseFloor'>

export interface Candidates {
  /** Looks deeper and returns all candidates; the known ones keep their order. `more` is false when the next look would find nothing new. */
  next(): Promise<{ candidates: Candidate[]; more: boolean }>
  /** Returns the row of a candidate. */
  rowOf(id: string): bigint
}

export function findCandidates(index: ChunkIndex, question: Question, filter: SearchFilter, embedder: FusedEmbedder): Candidates {
  let level = 0
  let candidates: Candidate[] = []
  const rows = new Map<string, bigint>()
  return {
    rowOf: (id) => rows.get(id)!,
    async next() {
      const depth = DEPTHS[level++]
      if (depth === undefined) return { candidates, more: false }
      const channels = await searchChannels(index, question, filter, depth)
      for (const { id, row } of [...channels.keyword, ...channels.vector]) rows.set(id, row)
      const weight = question.vector === null ? 0 : embedder.fusionWeight(question.vector)
      candidates = append(candidates, fuse(withoutNoise(channels, question, depth, embedder), question.mode, weight))
      const full = channels.keyword.length >= depth || channels.vector.length >= depth
      return { candidates, more: full && level < DEPTHS.length }
    },
  }
}

/**
 * In hybrid mode, drops passages that share no word with the question and are no nearer than chance: otherwise a question about
 * nothing in the documents would find whatever is least far away. In vector mode the nearest passages always count.
 */
function withoutNoise({ keyword, vector }: Channels, question: Question, depth: number, embedder: FusedEmbedder): Channels {
  if (question.mode !== 'hybrid' || question.vector === null) return { keyword, vector }
  const floor = embedder.noiseFloor(vector.length < depth ? vector.length : ASSUMED_PASSAGES, question.vector)
  const withWord = new Set(keyword.map((hit) => hit.id))
  return { keyword, vector: vector.filter((hit) => hit.score > floor || withWord.has(hit.id)) }
}

/** Searches both channels at the same time. */
async function searchChannels(index: ChunkIndex, question: Question, filter: SearchFilter, depth: number): Promise<Channels> {
  const usesKeywords = question.mode !== 'vector'
  const [keyword, vector] = await Promise.all([
    usesKeywords && question.terms.length > 0 ? index.keywordSearch(question.terms, filter, depth) : [],
    question.vector === null ? [] : index.vectorSearch(question.vector, filter, depth),
  ])
  return { keyword, vector }
}
