interface Decision {
  isCopy: boolean
  size: number
}

/**
 * Decides which segment files get copies on this disk: files get one in the order of the calls, as long as the copies fit into `maxBytes`.
 * A decision about a file does not change, because threads may be reading the file.
 */
export class Copies {
  readonly #maxBytes: number
  readonly #decisions = new Map<string, Map<string, Decision>>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The size of all copies together. */
  get bytes(): number {
    return this.#bytes
  }

  /** Returns whether a file of a project has, or gets, a copy. */
  has(projectId: string, file: string, size: number): boolean {
    const ofProject = this.#decisions.get(projectId) ?? new Map<string, Decision>()
    this.#decisions.set(projectId, ofProject)
    const known = ofProject.get(file)
    if (known !== undefined) return known.isCopy
    const isCopy = this.#bytes + size <= this.#maxBytes
    ofProject.set(file, { isCopy, size })
    if (isCopy) this.#bytes += size
    return isCopy
  }

  /** Forgets all files of a project except these. */
  keep(projectId: string, files: ReadonlySet<string>): void {
    const ofProject = this.#decisions.get(projectId)
    if (ofProject === undefined) return
    for (const [file, { isCopy, size }] of ofProject) {
      if (files.has(file)) continue
      ofProject.delete(file)
      if (isCopy) this.#bytes -= size
    }
    if (ofProject.size === 0) this.#decisions.delete(projectId)
  }
}
