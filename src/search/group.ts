import type { Candidate } from './fuse.ts'

/** One result: a passage, or a document shown by its best passage. */
export interface Group {
  best: Candidate
  matchingChunks: number
}

/** In the order of the candidates, which is best first. */
export function group(candidates: readonly Candidate[], by: 'chunk' | 'document'): Group[] {
  if (by === 'chunk') return candidates.map((best) => ({ best, matchingChunks: 1 }))
  const groups = new Map<string, Group>()
  for (const candidate of candidates) {
    const known = groups.get(candidate.documentId)
    if (known === undefined) groups.set(candidate.documentId, { best: candidate, matchingChunks: 1 })
    else known.matchingChunks++
  }
  return [...groups.values()]
}
