import type { SearchFilter } from '../core/search-filter.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { ChunkIndex } from '../index/chunk-index.ts'
import { append, type Candidate, type Channels, fuse } from './fuse.ts'
import type { Question } from './question.ts'

/**
 * How deep each channel is looked into, the next only when a page is not filled by those before: pages of the contract end at
 * 1,100 results, and results by document may need several passages each.
 */
const DEPTHS = [200, 1500, 6000]

/** Taken for the number of passages when a channel has more than it was asked for. */
const MANY = 20_000

type FusedEmbedder = Pick<Embedder, 'fusionWeight' | 'noiseFloor'>

export interface Candidates {
  /** Looks deeper than before and gives all candidates, those known in their old order. False in `more` when there is nothing beyond. */
  next(): Promise<{ candidates: Candidate[]; more: boolean }>
}

export function findCandidates(index: ChunkIndex, question: Question, filter: SearchFilter, embedder: FusedEmbedder): Candidates {
  let level = 0
  let candidates: Candidate[] = []
  return {
    async next() {
      const depth = DEPTHS[level++]
      if (depth === undefined) return { candidates, more: false }
      const channels = await searchChannels(index, question, filter, depth)
      const weight = question.vector === null ? 0 : embedder.fusionWeight(question.vector)
      candidates = append(candidates, fuse(withoutNoise(channels, question, depth, embedder), question.mode, weight))
      const full = channels.keyword.length >= depth || channels.vector.length >= depth
      return { candidates, more: full && level < DEPTHS.length }
    },
  }
}

/**
 * In hybrid mode a passage that shares no word with the question must be nearer than chance: otherwise a question about nothing that is here
 * would be answered with whatever is least far away. Who asks for vectors alone gets what is nearest.
 */
function withoutNoise({ keyword, vector }: Channels, question: Question, depth: number, embedder: FusedEmbedder): Channels {
  if (question.mode !== 'hybrid' || question.vector === null) return { keyword, vector }
  const floor = embedder.noiseFloor(vector.length < depth ? vector.length : MANY, question.vector)
  const byWord = new Set(keyword.map((hit) => hit.id))
  return { keyword, vector: vector.filter((hit) => hit.score > floor || byWord.has(hit.id)) }
}

/** Both channels at the same time. */
async function searchChannels(index: ChunkIndex, question: Question, filter: SearchFilter, depth: number): Promise<Channels> {
  const byWords = question.mode !== 'vector'
  const [keyword, vector] = await Promise.all([
    byWords && question.terms.length > 0 ? index.keywordSearch(question.terms, filter, depth) : [],
    question.vector === null ? [] : index.vectorSearch(question.vector, filter, depth),
  ])
  return { keyword, vector }
}
