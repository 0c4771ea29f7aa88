import type { IndexedPassage } from '../../src/core/passage.ts'
import type { DocumentPassages } from '../../src/index/passage-index.ts'
import { hashText } from '../../src/text/passage-terms.ts'

export const SHARED_DIMENSIONS = 8

/** Returns a document whose texts name it and its version. Does not need vitest, so that other processes can use it. */
export function sharedDocument(documentId: string, version = 1, passages = 2): DocumentPassages & { passages: IndexedPassage[] } {
  const all = Array.from({ length: passages }, (_, n) => makePassage(documentId, version, n))
  return { documentId, isNew: version === 1, passages: all }
}

function makePassage(documentId: string, version: number, index: number): IndexedPassage {
  const text = `Text ${index} of version ${version} of ${documentId}`
  const vector = new Float32Array(SHARED_DIMENSIONS)
  vector[index % SHARED_DIMENSIONS] = 1
  return {
    id: `${documentId}:${version}:${index}`,
    documentId,
    version,
    projectId: 'prj_a',
    mediaType: 'text/plain',
    name: `${documentId}.txt`,
    path: `${documentId}.txt`,
    tags: [],
    documentCreatedAt: new Date('2026-03-01T12:00:00Z'),
    index,
    pageStart: 1,
    pageEnd: 1,
    charStart: index * 100,
    charEnd: index * 100 + text.length,
    heading: '',
    title: '',
    text,
    gap: '',
    context: '',
    textHash: hashText(text),
    terms: `common v${version}`,
    titleTerms: 0,
    headingTerms: 0,
    language: 0,
    nameTerms: 'name',
    vector,
  }
}
