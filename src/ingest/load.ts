/** Documents whose text is read and that are not in the index yet: more would only take memory. */
const MAX_INDEXING = 32
const MAX_INDEXING_CHARS = 24_000_000
/** Documents that wait for the operator's OCR program. They take hardly any memory. */
const MAX_ASIDE = 1_000

/** Counts the documents in work by what happens to them, and says how many more may be claimed. */
export class Load {
  #inWork = 0
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
    if (this.#indexingChars >= MAX_INDEXING_CHARS || this.#aside >= MAX_ASIDE) return 0
    return Math.max(0, Math.min(this.#readers - this.#reading, MAX_INDEXING - this.#indexing))
  }

  /** Documents in work, including those that wait for a commit. */
  get inWork(): number {
    return this.#inWork
  }

  /** Counts a document as in work while `work` runs. */
  async working<T>(work: () => Promise<T>): Promise<T> {
    this.#inWork += 1
    try {
      return await work()
    } finally {
      this.#inWork -= 1
    }
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
