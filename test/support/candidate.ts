import type { Candidate, CandidatePassage } from '../../src/search/fuse.ts'

type Fields = Pick<CandidatePassage, 'documentId' | 'index'> &
  Partial<Pick<CandidatePassage, 'id' | 'pageStart' | 'pageEnd'>> & { version?: number; text?: string }

const numbers = new Map<string, number>()

/** Returns a number for a text, always the same one. */
function numberOf(text: string): number {
  if (!numbers.has(text)) numbers.set(text, numbers.size)
  return numbers.get(text)!
}

/** Returns a passage as a search finds it. Passages with the same `text` have the same text. */
export function newMatchedPassage({ documentId, index, version = 1, ...fields }: Fields): CandidatePassage {
  const id = fields.id ?? `${documentId}:${version}:${index}`
  const { pageStart = 1, pageEnd = 1, text = id } = fields
  const documentNumber = numberOf(`${documentId}:${version}`)
  const keys = { key: numberOf(id), documentKey: documentNumber, textKey: numberOf(text) }
  return { ...keys, segment: 0, number: index, documentNumber, documentId, id, row: 0n, index, pageStart, pageEnd, language: 0 }
}

/** Returns a candidate that no channel has found unless `stages` say so. */
export function newCandidate({ score, stages, ...passage }: Fields & Pick<Candidate, 'score'> & Partial<Candidate>): Candidate {
  return {
    passage: newMatchedPassage(passage),
    score,
    vectorPart: 0,
    keywordScore: 0,
    stages: stages ?? { keyword: null, vector: null, fused: { rank: 1, score }, rerank: null, expansions: [], reserved: null },
    wordFactor: 1,
  }
}
