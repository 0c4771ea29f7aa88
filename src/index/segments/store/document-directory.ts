import { hashOf } from '../bytes.ts'
import type { SegmentSections } from '../format.ts'

/** Where the documents of a project are. */
export interface ProjectDocuments {
  projectId: string
  segments: readonly { documents: number; sections: Pick<SegmentSections, 'idHashes'> }[]
}

/** A free slot. */
const FREE = 0
const MIN_SLOTS = 1_024

/**
 * Finds the projects that may have a document, so that a change looks only into these. A hash table with open addressing, because a map of
 * strings takes ten times as much: a slot has the hash of a document's ID, and the number of a project plus one. Documents that are gone keep their
 * slots until the table grows.
 */
export class DocumentDirectory {
  #hashes = new Uint32Array(MIN_SLOTS)
  #projects = new Uint32Array(MIN_SLOTS)
  #used = 0
  readonly #numbers = new Map<string, number>()
  readonly #ids: string[] = []
  readonly #all: () => Iterable<ProjectDocuments>

  /** `all` returns every project, also one that is being added. */
  constructor(all: () => Iterable<ProjectDocuments>) {
    this.#all = all
    this.#fill(all())
  }

  add(project: ProjectDocuments): void {
    const added = countDocuments([project])
    if (2 * (this.#used + added) > this.#hashes.length) this.#fill(this.#all())
    else this.#insertAll(project)
  }

  /** Returns projects that may have one of these documents, and all that do. */
  projectsOf(documentIds: Iterable<string>): Set<string> {
    const found = new Set<string>()
    for (const id of documentIds) {
      const hash = hashOf(Buffer.from(id))
      for (let slot = this.#firstSlot(hash); this.#projects[slot] !== FREE; slot = this.#next(slot))
        if (this.#hashes[slot] === hash) found.add(this.#ids[this.#projects[slot]! - 1]!)
    }
    return found
  }

  /** Makes the table again, with room for as many documents as it has. */
  #fill(projects: Iterable<ProjectDocuments>): void {
    const all = [...projects]
    const slots = Math.max(MIN_SLOTS, 2 ** Math.ceil(Math.log2(4 * countDocuments(all) + 1)))
    this.#hashes = new Uint32Array(slots)
    this.#projects = new Uint32Array(slots)
    this.#used = 0
    this.#numbers.clear()
    this.#ids.length = 0
    for (const project of all) this.#insertAll(project)
  }

  #insertAll({ projectId, segments }: ProjectDocuments): void {
    const number = this.#numbers.get(projectId) ?? this.#ids.push(projectId)
    this.#numbers.set(projectId, number)
    for (const { sections } of segments) for (const hash of sections.idHashes) this.#insert(hash, number)
  }

  #insert(hash: number, number: number): void {
    let slot = this.#firstSlot(hash)
    for (; this.#projects[slot] !== FREE; slot = this.#next(slot))
      if (this.#hashes[slot] === hash && this.#projects[slot] === number) return
    this.#hashes[slot] = hash
    this.#projects[slot] = number
    this.#used++
  }

  #firstSlot(hash: number): number {
    // The low bits of similar IDs are similar.
    return Math.imul(hash, 0x9e3779b1) >>> (32 - Math.log2(this.#hashes.length))
  }

  #next(slot: number): number {
    return (slot + 1) & (this.#hashes.length - 1)
  }
}

function countDocuments(projects: readonly ProjectDocuments[]): number {
  return projects.reduce((sum, { segments }) => sum + segments.reduce((of, { documents }) => of + documents, 0), 0)
}
