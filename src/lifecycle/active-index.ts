import { DocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { Embedder } from '../embed/embedder.ts'
import { isDamaged } from '../index/segments/failures.ts'
import type { IndexRecord } from '../records/records.ts'
import { PARSER_VERSION } from '../parse/parser.ts'
import { differOnlyInPages, fingerprintOf, formatFingerprint, isUsable, parseFingerprint } from './fingerprint.ts'
import { placeholderEmbedder } from './placeholder-embedder.ts'
import type { ChooseEmbedder, Choice, LifecycleOptions } from './lifecycle.ts'
import type { OpenIndexes } from './open-indexes.ts'
import { changedMessage } from './status.ts'

const BUILTIN = 'builtin'

/**
 * How an embedder fits an index. `changed`: the same external model with other weights or settings. `outdated`: another embedder, or another
 * layout of docsearch itself.
 */
export type Fit = 'fits' | 'changed' | 'outdated'

export function fitOf(record: IndexRecord, embedder: Pick<Embedder, 'name' | 'fingerprint' | 'isExternal'>): Fit {
  const isSameModel = record.embeddingModel === embedder.name
  // The built-in embedder changes only with docsearch itself, which rebuilds without asking.
  if (isSameModel && embedder.isExternal && parseFingerprint(record.fingerprint).embedder !== embedder.fingerprint)
    return 'changed'
  return record.fingerprint === formatFingerprint(fingerprintOf(embedder)) ? 'fits' : 'outdated'
}

/** The index that answers searches: sets up its embedder, opens it, and rebuilds it. Only one caller at a time may use it. */
export class ActiveIndex {
  choice: Choice = { embedder: 'none', reason: '' }
  /** Why the index was rebuilt since the start; null when it was not. */
  rebuiltBecause: string | null = null
  /** True while an index of an earlier version answers, and another one should be built to replace it. */
  isOutdated = false
  readonly #records: LifecycleOptions['records']
  readonly #indexStore: LifecycleOptions['indexStore']
  readonly #chooseEmbedder: ChooseEmbedder
  readonly #open: OpenIndexes
  readonly #log: Logger
  readonly #closing: AbortSignal

  constructor(options: LifecycleOptions & { openIndexes: OpenIndexes; closing: AbortSignal }) {
    this.#records = options.records
    this.#indexStore = options.indexStore
    this.#chooseEmbedder = options.chooseEmbedder
    this.#open = options.openIndexes
    this.#closing = options.closing
    this.#log = options.log
  }

  /** Opens the index of this record with its embedder, or with a placeholder. Returns false when the embedder has to be tried again later. */
  async openWithEmbedder(record: IndexRecord | null, named: string | undefined): Promise<boolean> {
    const { active } = this.#open
    if (active?.ownEmbedder && active.record.id === record?.id) return true
    const existing = record &&
      !(await this.#mayChange(record)) && {
        embeddingModel: record.embeddingModel,
        fingerprint: parseFingerprint(record.fingerprint).embedder,
      }
    const { embedder, reason } = await this.#chooseEmbedder(existing || null, named)
    if (this.#closing.aborted) {
      await embedder?.close()
      return true
    }
    if (embedder === null) {
      this.choice = { embedder: record?.embeddingModel ?? 'none', reason }
      if (record && active === null) await this.#serve(record, placeholderEmbedder(record, 'embedder_unavailable', reason))
      return false
    }
    this.choice = { embedder: embedder.name, reason }
    await this.#use(record, embedder)
    return true
  }

  /**
   * Changes to a model that has appeared on Ollama, while there are no documents that would have to be embedded again. Returns whether it
   * did.
   */
  async reconsider(): Promise<boolean> {
    const { active } = this.#open
    if (active === null || !(await this.#mayChange(active.record))) return false
    const { embedder, reason } = await this.#chooseEmbedder(null, undefined)
    if (embedder === null || embedder.name === active.record.embeddingModel || this.#closing.aborted) {
      await embedder?.close()
      return false
    }
    this.choice = { embedder: embedder.name, reason }
    await this.#replace(active.record, embedder, null)
    return true
  }

  /** Returns whether another embedder costs nothing: the index is the built-in embedder's, and no document is in it. */
  async #mayChange({ embeddingModel }: IndexRecord): Promise<boolean> {
    if (embeddingModel !== BUILTIN) return false
    return Object.values(await this.#records.queue.counts()).every((count) => count === 0)
  }

  async #use(record: IndexRecord | null, embedder: Embedder): Promise<void> {
    if (record === null) return this.#replace(null, embedder, null)
    this.isOutdated = false
    switch (fitOf(record, embedder)) {
      case 'fits':
        return this.#serve(record, embedder)
      case 'outdated':
        if (await this.#mayChange(record)) return this.#replace(record, embedder, null)
        return this.#useOutdated(record, embedder)
      case 'changed': {
        await embedder.close()
        const { name, fingerprint } = embedder
        const made = parseFingerprint(record.fingerprint).embedder
        const message = changedMessage(name, made, fingerprint)
        this.#log.error({ embedder: name, made_with: made, now: fingerprint }, message)
        this.choice = { embedder: name, reason: message }
        return this.#serve(record, placeholderEmbedder(record, 'embedding_model_changed', message))
      }
    }
  }

  /** Lets the index of an earlier version answer until it is replaced. If this version can't use it, replaces it by an empty one. */
  async #useOutdated(record: IndexRecord, embedder: Embedder): Promise<void> {
    const made = parseFingerprint(record.fingerprint)
    const now = fingerprintOf(embedder)
    if (record.embeddingModel !== embedder.name || !isUsable(made))
      return this.#replace(record, embedder, 'the embedder or the layout of the index has changed')
    if (differOnlyInPages(made, now)) {
      const fingerprint = formatFingerprint(now)
      const documents = await this.#records.indexes.adopt(record.id, { fingerprint, parserVersion: PARSER_VERSION })
      this.#log.info({ documents }, 'this version reads documents in another way; reading them again while the index answers')
      return this.#serve({ ...record, fingerprint }, embedder)
    }
    this.isOutdated = true
    if (made.embedder === now.embedder) return this.#serve(record, embedder)
    await embedder.close()
    const message =
      'This version of docsearch has different word vectors from the version that built this index. It is building a new index.'
    return this.#serve(record, placeholderEmbedder(record, 'embedding_model_changed', message))
  }

  /** Makes the very first index, with an embedder that the user chose while there was none. */
  async createFirst(name: string): Promise<'in_use'> {
    const { embedder, reason } = await this.#chooseEmbedder(null, name)
    if (embedder === null) throw new DocsearchError('model_unusable', reason)
    await this.#records.indexes.choose(name)
    this.choice = { embedder: embedder.name, reason }
    await this.#replace(null, embedder, null)
    return 'in_use'
  }

  /** Replaces the active index by an empty one. */
  async rebuild(reason: string): Promise<void> {
    const { active } = this.#open
    if (active === null) return
    this.#log.error({ reason, index: active.record.id }, 'the index is damaged; rebuilding it')
    await this.#replace(active.record, active.embedder, reason)
  }

  /** Opens the index of this record. Replaces it when its files are damaged. */
  async #serve(record: IndexRecord, embedder: Embedder): Promise<void> {
    try {
      await this.#open.activate(record, embedder)
    } catch (error) {
      if (!(await isDamaged(error))) throw error
      this.#log.error({ err: error, index: record.id }, 'the index is damaged; rebuilding it')
      await this.#replace(record, embedder, 'the index was damaged')
    }
  }

  /** A crash at any point is harmless: recovery queues what the new index lacks, and the next start drops files without a row. */
  async #replace(old: IndexRecord | null, embedder: Embedder, reason: string | null): Promise<void> {
    // A placeholder has no fingerprint of its own to make an index with.
    const fingerprint = old !== null && !embedder.canEmbed ? old.fingerprint : formatFingerprint(fingerprintOf(embedder))
    const { name: embeddingModel, dimensions } = embedder
    const record = await this.#records.indexes.activate({ fingerprint, embeddingModel, dimensions })
    const queued = await this.#records.queue.requeueAll()
    await this.#open.activate(record, embedder)
    if (old) await this.#indexStore.drop(old.id)
    if (reason === null) return
    this.rebuiltBecause = reason
    this.#log.warn({ reason, documents: queued }, 'rebuilding the index')
  }
}
