/** Documents whose text has been read and that are not in the index yet. More of them would only take memory. */
const MAX_INDEXING = 32
const MAX_INDEXING_CHARS = 24_000_000
/** Documents that wait for the operator's OCR program. They take hardly any memory. */
const MAX_ASIDE = 1_000
/**
 * Places reserved for newcomers, so that nobody waits for all documents of another owner. A newcomer is an owner without a
 * document in progress.
 */
const RESERVED_PLACES = 8

/** Counts the documents in progress by what happens to them, and says how many more may be claimed. */
export class Load {
  #inProgress = 0
  readonly #owners = new Map<string, number>()
  #reading = 0
  #aside = 0
  #indexing = 0
  #indexingChars = 0
  readonly #readers: number

  /** @param parsers How many documents can be parsed at once. */
  constructor(parsers: number) {
    // One more than can be parsed, so that no parser waits for the next claim.
    this.#readers = parsers + 1
  }

  /** How many more documents may be claimed. */
  get room(): number {
    return this.#roomWith({ places: 0, chars: MAX_INDEXING_CHARS })
  }

  /** How many more documents of newcomers may be claimed. */
  get roomForNewcomers(): number {
    return this.#roomWith({ places: RESERVED_PLACES, chars: 2 * MAX_INDEXING_CHARS })
  }

  #roomWith({ places, chars }: { places: number; chars: number }): number {
    if (this.#indexingChars >= chars || this.#aside >= MAX_ASIDE + places) return 0
    return Math.max(0, Math.min(this.#readers - this.#reading, MAX_INDEXING - this.#indexing) + places)
  }

  /** Documents in progress, including those that wait for a commit. */
  get inProgress(): number {
    return this.#inProgress
  }

  /** How many documents of this owner are in progress. */
  inProgressOf(ownerId: string): number {
    return this.#owners.get(ownerId) ?? 0
  }

  /** The owners of the documents in progress. */
  get owners(): string[] {
    return [...this.#owners.keys()]
  }

  /** Counts a document as in progress while `work` runs. */
  async working<T>(ownerId: string, work: () => Promise<T>): Promise<T> {
    this.#count(ownerId, 1)
    try {
      return await work()
    } finally {
      this.#count(ownerId, -1)
    }
  }

  #count(ownerId: string, change: 1 | -1): void {
    this.#inProgress += change
    const count = (this.#owners.get(ownerId) ?? 0) + change
    if (count === 0) this.#owners.delete(ownerId)
    else this.#owners.set(ownerId, count)
  }

  async reading<T>(work: () => Promise<T>): Promise<T> {
    this.#reading += 1
    try {
      return await work()
    } finally {
      this.#reading -= 1
    }
  }

  /** For a document that is being read: frees its place for another document while `work` runs. */
  async aside<T>(work: () => Promise<T>): Promise<T> {
    this.#reading -= 1
    this.#aside += 1
    try {
      return await work()
    } finally {
      this.#reading += 1
      this.#aside -= 1
    }
  }

  async indexing<T>(chars: number, work: () => Promise<T>): Promise<T> {
    this.#indexing += 1
    this.#indexingChars += chars
    try {
      return await work()
    } finally {
      this.#indexing -= 1
      this.#indexingChars -= chars
    }
  }
}
