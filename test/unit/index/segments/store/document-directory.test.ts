import { expect, test } from 'vitest'
import { hashOf } from '../../../../../src/index/segments/bytes.ts'
import { DocumentDirectory, type ProjectDocuments } from '../../../../../src/index/segments/store/document-directory.ts'

const documentId = (project: number, n: number) => `doc_${project}_${n}`

/** A project with a segment of these documents. */
function project(number: number, documents: readonly number[]): ProjectDocuments {
  const idHashes = Uint32Array.from(documents, (n) => hashOf(Buffer.from(documentId(number, n)))).sort()
  return { projectId: `prj_${number}`, segments: [{ documents: documents.length, sections: { idHashes } }] }
}

test('finds the project of a document among thousands, and looks into few others', () => {
  const projects = new Map<string, ProjectDocuments>()
  const directory = new DocumentDirectory(() => projects.values())
  const add = (added: ProjectDocuments) => {
    projects.set(added.projectId, added)
    directory.add(added)
  }
  for (let number = 0; number < 3_000; number++) add(project(number, [0, 1, 2]))
  // A merge makes a segment of documents that are known.
  for (let round = 0; round < 3; round++) add(project(7, [0, 1, 2]))
  let others = 0
  for (let number = 0; number < 3_000; number++) {
    const found = directory.projectsOf([documentId(number, 1)])
    expect(found).toContain(`prj_${number}`)
    others += found.size - 1
  }
  // Two of 9,000 IDs may have the same hash.
  expect(others).toBeLessThan(10)
  expect(directory.projectsOf([documentId(5, 0), documentId(6, 2)])).toEqual(new Set(['prj_5', 'prj_6']))
})

test('forgets documents that are gone when it needs room', () => {
  let current = project(0, [0])
  const directory = new DocumentDirectory(() => [current])
  for (let n = 1; n < 2_000; n++) {
    current = project(0, [n])
    directory.add(current)
  }
  expect(directory.projectsOf([documentId(0, 1_999)])).toEqual(new Set(['prj_0']))
  expect(directory.projectsOf([documentId(0, 3)])).toEqual(new Set())
  expect(directory.projectsOf([])).toEqual(new Set())
})
