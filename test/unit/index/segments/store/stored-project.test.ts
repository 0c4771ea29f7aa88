import { existsSync } from 'node:fs'
import { mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { toNewDocuments } from '../../../../../src/index/segments/store/new-documents.ts'
import { MANIFEST, NEW_MANIFEST } from '../../../../../src/index/segments/store/files.ts'
import { loadProject } from '../../../../../src/index/segments/store/load.ts'
import { StoredProject } from '../../../../../src/index/segments/store/stored-project.ts'
import { buildSegment, StoredSegment } from '../../../../../src/index/segments/store/stored-segment.ts'
import { DIMENSIONS, passage } from '../../../../conformance/passage-index.ts'

const PLACE = { indexId: 'idx_1', projectId: 'prj_a', ownerId: 'usr_a' }
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docsearch-project-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true })
})

function segment(documentId: string): StoredSegment {
  const [{ documents }] = toNewDocuments([passage(documentId, 0)], [1n]) as [ReturnType<typeof toNewDocuments>[0]]
  return StoredSegment.open(buildSegment(documents, { dimensions: DIMENSIONS, denseDimensions: DIMENSIONS }))
}

async function onDisk() {
  const options = { known: new Map(), smallestOnDisk: Infinity, cacheBytes: 0 }
  const { project, damage } = await loadProject(folder, PLACE, options)
  expect(damage).toEqual([])
  return project!.state.segments.map(({ shared }) => shared.name)
}

test('a switch whose last sync fails has happened, and the next one removes what it left', async () => {
  const [a, b, c] = [segment('doc_a'), segment('doc_b'), segment('doc_c')]
  const project = new StoredProject(folder, PLACE, { segments: [], isIncomplete: false })
  const switchTo = (next: StoredSegment) => project.switchTo({ segments: [next], isIncomplete: false })
  await switchTo(a)

  const handle = await open(join(folder, MANIFEST))
  const prototype = Object.getPrototypeOf(handle) as typeof handle
  const { sync } = prototype
  await handle.close()
  let isWritten = false
  vi.spyOn(prototype, 'sync').mockImplementation(async function (this: typeof handle) {
    // The new manifest is there until it replaces the old one.
    if (existsSync(join(folder, NEW_MANIFEST))) isWritten = true
    else if (isWritten) throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' })
    await sync.call(this)
  })
  await expect(switchTo(b)).rejects.toMatchObject({ code: 'EIO' })
  vi.restoreAllMocks()
  expect(project.state.segments).toEqual([b])

  await switchTo(c)
  expect((await readdir(folder)).toSorted()).toEqual([MANIFEST, `${c.shared.name}.seg`, `${c.shared.name}.vec`].toSorted())
  expect(await onDisk()).toEqual([c.shared.name])
})

test('a segment whose written files have gone is written again', async () => {
  const project = new StoredProject(folder, PLACE, { segments: [], isIncomplete: false })
  const merged = segment('doc_a')
  await project.switchTo({ segments: [merged], isIncomplete: false }, (one) => one === merged)
  expect(await onDisk()).toEqual([merged.shared.name])
})
