import type { IndexedPassage } from '../../src/core/passage.ts'
import type { DocumentPassages } from '../../src/index/passage-index.ts'
import { DeletionBitmap } from '../../src/index/segments/bitmap.ts'
import { titleKeyOf } from '../../src/index/segments/document-names.ts'
import { SegmentBuilder } from '../../src/index/segments/segment-builder.ts'
import { Segment } from '../../src/index/segments/segment.ts'
import type { ProjectSegments, SharedSegment } from '../../src/index/segments/store/project-segments.ts'
import { buildVectors } from '../../src/index/segments/vectors/build.ts'

interface Project {
  segments: { shared: SharedSegment; segment: Segment; deleted: DeletionBitmap }[]
}

/** Segments in memory: one for each commit and project, without merges and without files. */
export class MemorySegments {
  readonly #dimensions: number
  readonly #projects = new Map<string, Project>()
  readonly #listeners = new Set<(changed: ProjectSegments) => void>()
  #segments = 0

  constructor(dimensions: number) {
    this.#dimensions = dimensions
  }

  /** Replaces the rows of removed passages by documents with new passages, in one change for each project. */
  commit(added: readonly DocumentPassages[], rowOf: (passage: IndexedPassage) => bigint, removed: ReadonlySet<bigint>): void {
    const changed = this.#delete(removed)
    const filled = added.filter(({ passages }) => passages.length > 0)
    for (const [projectId, documents] of Map.groupBy(filled, ({ passages }) => passages[0]!.projectId)) {
      const project = this.#projects.get(projectId) ?? { segments: [] }
      this.#projects.set(projectId, project)
      project.segments.push(this.#build(documents, rowOf))
      changed.add(projectId)
    }
    for (const projectId of changed) {
      const now = this.#describe(projectId)
      for (const listener of this.#listeners) listener(now)
      if (now.segments.length === 0) this.#projects.delete(projectId)
    }
  }

  all(): ProjectSegments[] {
    return [...this.#projects.keys()].map((projectId) => this.#describe(projectId))
  }

  onChange(listener: (changed: ProjectSegments) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #describe(projectId: string): ProjectSegments {
    const { segments } = this.#projects.get(projectId)!
    return { projectId, segments: segments.map(({ shared }) => shared), isIncomplete: false }
  }

  #build(documents: readonly DocumentPassages[], rowOf: (passage: IndexedPassage) => bigint): Project['segments'][number] {
    const builder = new SegmentBuilder()
    for (const { passages } of documents) {
      const { documentId, version, name, path, mediaType, tags, documentCreatedAt, nameTerms, title } = passages[0]!
      const document = {
        id: documentId,
        version,
        name,
        path,
        mediaType,
        tags,
        createdAt: documentCreatedAt,
        nameTerms,
        titleKey: titleKeyOf(title),
      }
      builder.add(
        document,
        passages.map((passage) => ({ ...passage, row: rowOf(passage) })),
      )
    }
    const all = documents.flatMap(({ passages }) => passages)
    const vectors = [...builder.order()].map((place) => all[place]!.vector)
    const layout = { dimensions: this.#dimensions, denseDimensions: this.#dimensions }
    const words = share(builder.finish())
    const segment = new Segment(new Uint8Array(words))
    const shared: SharedSegment = {
      name: `segment${++this.#segments}`,
      words,
      vectors: share(buildVectors(vectors, layout)),
      deletions: null,
      generation: 0,
      passages: segment.passages,
      deleted: 0,
    }
    return { shared, segment, deleted: DeletionBitmap.none(segment.sections) }
  }

  /** Returns the projects that had any of the rows. */
  #delete(rows: ReadonlySet<bigint>): Set<string> {
    const changed = new Set<string>()
    for (const [projectId, project] of rows.size === 0 ? [] : this.#projects) {
      project.segments = project.segments.flatMap((one) => {
        const gone = [...one.segment.sections.rows.keys()].filter((passage) => rows.has(one.segment.sections.rows[passage]!))
        if (gone.length === 0) return one
        changed.add(projectId)
        const deleted = one.deleted.with(gone)
        if (deleted.count === one.segment.passages) return []
        const { generation, count } = deleted
        return { ...one, deleted, shared: { ...one.shared, deletions: share(deleted.toBytes()), generation, deleted: count } }
      })
    }
    return changed
  }
}

function share(bytes: Uint8Array): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(bytes.length)
  new Uint8Array(shared).set(bytes)
  return shared
}
