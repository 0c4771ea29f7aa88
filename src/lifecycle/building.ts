import { DocsearchError } from '../core/errors.ts'
import { killPoint } from '../core/kill-point.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { PassageIndex } from '../index/passage-index.ts'
import { PARSER_VERSION } from '../parse/parser.ts'
import type { IndexRecord, Records } from '../records/records.ts'
import { fingerprintOf, formatFingerprint } from './fingerprint.ts'
import type { ChooseEmbedder } from './lifecycle.ts'
import type { OpenIndexes } from './open-indexes.ts'

export interface BuildingParts {
  records: Pick<Records, 'indexes'>
  chooseEmbedder: ChooseEmbedder
  openIndexes: OpenIndexes
}

/** The index that will replace the active one: how it begins, ends, and becomes active. Only one caller at a time may use it. */
export class Building {
  readonly #indexes: Records['indexes']
  readonly #chooseEmbedder: ChooseEmbedder
  readonly #open: OpenIndexes

  constructor({ records, chooseEmbedder, openIndexes }: BuildingParts) {
    this.#indexes = records.indexes
    this.#chooseEmbedder = chooseEmbedder
    this.#open = openIndexes
  }

  /**
   * Begins, continues or resumes the index of this embedder. Throws `model_unusable`.
   *
   * If the active index was made with this embedder, cancels what is being built and returns `in_use`. With `isChoice`, a restart uses the same
   * embedder. Without it, continues an index with the same fingerprint as the active one, if there is one: a user began it, because the model returns
   * other vectors now.
   */
  async begin(name: string, { isChoice = true } = {}): Promise<'in_use' | 'building'> {
    const embedder = await this.#embedderOf(name)
    const fingerprint = formatFingerprint(fingerprintOf(embedder))
    if (isChoice) await this.#indexes.choose(name)
    const { active, building } = this.#open
    const isInUse = active?.embedder.canEmbed && active.record.fingerprint === fingerprint
    if (isInUse && (isChoice || !(await this.#isBegun(fingerprint)))) {
      await embedder.close()
      await this.cancel()
      return 'in_use'
    }
    if (building?.record.fingerprint === fingerprint) {
      await embedder.close()
      return 'building'
    }
    await this.#replaceBuilding(embedder, fingerprint)
    return 'building'
  }

  async #embedderOf(name: string): Promise<Embedder> {
    // Without the fingerprint of an existing index: the model may have changed, which can be the reason for this call.
    const { embedder, reason } = await this.#chooseEmbedder(null, name)
    if (embedder === null) throw new DocsearchError('model_unusable', reason)
    return embedder
  }

  async #isBegun(fingerprint: string): Promise<boolean> {
    return (await this.#indexes.all()).some((record) => record.state === 'building' && record.fingerprint === fingerprint)
  }

  async #replaceBuilding(embedder: Embedder, fingerprint: string): Promise<void> {
    const others = (await this.#indexes.all()).filter(({ state }) => state !== 'active')
    const same = others.find((record) => record.fingerprint === fingerprint) ?? null
    const reopened = same && (await this.#reopen(same))
    const isDamaged = same !== null && reopened === null
    if (isDamaged) await this.#indexes.drop(same.id)
    const record = reopened
      ? await this.#resume(same)
      : await this.#indexes.build({ fingerprint, embeddingModel: embedder.name, dimensions: embedder.dimensions })
    const before = this.#open.takeBuilding()
    if (before) this.#open.dropLater(before.record.id, before)
    if (isDamaged) await this.#open.dropFiles(same.id)
    // Vectors of the same model with other weights are of no use.
    for (const { id, embeddingModel } of others)
      if (embeddingModel === embedder.name && id !== record.id && id !== before?.record.id) await this.#drop(id)
    const index = reopened ?? (await this.#open.open(record))
    if (index === null) throw new DocsearchError('index_failed', 'A new index could not be opened.')
    await this.#open.startBuilding({ record, embedder, index, ownEmbedder: embedder })
  }

  async #reopen(record: IndexRecord): Promise<PassageIndex | null> {
    const retired = this.#open.takeRetired(record.id)
    await retired?.ownEmbedder?.close()
    return retired?.index ?? (await this.#open.open(record))
  }

  async #resume(record: IndexRecord): Promise<IndexRecord> {
    if (record.state !== 'retired') return record
    return (await this.#indexes.resume(record.id)) ?? record
  }

  /** Starts the index with this ID again from nothing if it is still being built. Throws `model_unusable`, and then changes nothing. */
  async restart(id: string): Promise<void> {
    const { building } = this.#open
    if (building?.record.id !== id) return
    const { name } = building.embedder
    // If the index were gone and the model could not be used, nothing would begin the index again before the next start.
    await (await this.#embedderOf(name)).close()
    await this.cancel()
    // What was chosen stays chosen.
    await this.begin(name, { isChoice: false })
  }

  /** Drops the building index, row and files. */
  async cancel(): Promise<void> {
    const before = this.#open.takeBuilding()
    for (const { id, state } of await this.#indexes.all()) {
      if (state !== 'building') continue
      await this.#indexes.drop(id)
      this.#open.dropLater(id, before?.record.id === id ? before : null)
    }
  }

  /** Drops the building or retired index of this embedder. Throws `model_in_use`, `index_not_found`. */
  async remove(name: string): Promise<void> {
    const all = await this.#indexes.all()
    const found = all.find(({ embeddingModel, state }) => embeddingModel === name && state !== 'active')
    if (found === undefined) {
      if (all.some(({ embeddingModel }) => embeddingModel === name))
        throw new DocsearchError('model_in_use', `${name} is in use. Switch to another one first, with \`docsearch models use\`.`)
      throw new DocsearchError('index_not_found', `There is no index of ${name}.`)
    }
    if (found.state === 'retired') return this.#drop(found.id)
    // A restart keeps the active index.
    if (this.#open.active) await this.#indexes.choose(this.#open.active.record.embeddingModel)
    return this.cancel()
  }

  async #drop(id: string): Promise<void> {
    await this.#indexes.drop(id)
    this.#open.dropLater(id, this.#open.takeRetired(id))
  }

  /** Makes the building index active, unless documents are missing from it. */
  async switchOver({ waitForReplaced }: { waitForReplaced: boolean }): Promise<'switched' | 'incomplete' | 'none'> {
    const { active, building } = this.#open
    if (building === null) return 'none'
    // While nothing can be added to the active index, a replacement never becomes ready: don't wait for it.
    const wait = waitForReplaced && active?.embedder.canEmbed === true
    if (!(await this.#indexes.switchTo(building.record.id, { waitForReplaced: wait, parserVersion: PARSER_VERSION })))
      return 'incomplete'
    killPoint('switch')
    this.#open.switchOver()
    return 'switched'
  }
}
