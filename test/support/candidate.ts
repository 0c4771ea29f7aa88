import type { Candidate } from '../../src/search/fuse.ts'

/** Returns a candidate of a document's first version, which no channel has found unless `fields` say so. */
export function newCandidate(fields: Pick<Candidate, 'documentId' | 'index' | 'score'> & Partial<Candidate>): Candidate {
  const id = fields.id ?? `${fields.documentId}:1:${fields.index}`
  return {
    id,
    row: 0n,
    version: 1,
    pageStart: 1,
    pageEnd: 1,
    textHash: id,
    vectorPart: 0,
    keywordScore: 0,
    stages: { keyword: null, vector: null, fused: { rank: 1, score: fields.score }, rerank: null, reserved: null },
    ...fields,
  }
}
