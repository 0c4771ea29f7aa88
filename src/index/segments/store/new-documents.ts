import type { IndexedPassage } from '../../../core/passage.ts'
import { titleKeyOf } from '../document-names.ts'
import type { NewDocument, NewDocuments } from './protocol.ts'

/** Groups passages by project and document, as the writer of segments needs them. `rows` has the row of each passage. */
export function toNewDocuments(passages: readonly IndexedPassage[], rows: readonly bigint[]): NewDocuments[] {
  const stored = passages.map((passage, i) => ({ passage, row: rows[i]! }))
  return [...Map.groupBy(stored, ({ passage }) => passage.projectId)].map(([projectId, ofProject]) => ({
    projectId,
    documents: [...Map.groupBy(ofProject, ({ passage }) => passage.documentId).values()].map(toNewDocument),
  }))
}

function toNewDocument(stored: readonly { passage: IndexedPassage; row: bigint }[]): NewDocument {
  const { documentId, version, name, path, mediaType, tags, documentCreatedAt, nameTerms, title } = stored[0]!.passage
  const inOrder = stored.toSorted((a, b) => a.passage.index - b.passage.index)
  return {
    document: {
      id: documentId,
      version,
      name,
      path,
      mediaType,
      tags,
      createdAt: documentCreatedAt,
      titleKey: titleKeyOf(title),
      nameTerms,
    },
    passages: inOrder.map(
      ({ row, passage: { index, pageStart, pageEnd, textHash, terms, titleTerms, headingTerms, language } }) => ({
        row,
        index,
        pageStart,
        pageEnd,
        textHash,
        terms,
        titleTerms,
        headingTerms,
        language,
      }),
    ),
    vectors: inOrder.map(({ passage }) => passage.vector),
  }
}
