import { DocsearchError } from '../core/errors.ts'
import { killPoint } from '../core/kill-point.ts'
import type { IndexRecord, Records } from '../records/records.ts'
import { fingerprintOf, formatFingerprint, parseFingerprint } from './fingerprint.ts'
import type { OpenIndexes } from './open-indexes.ts'
import type { LifecycleOptions } from './start.ts'

export interface Building {
  /**
   * The index of this embedder becomes the one that is built: begun, or gone on with, or completed where it was kept. `in_use` when it is the active
   * one, and what was being built goes. Throws `model_unusable`.
   */
  begin(embedder: string): Promise<'in_use' | 'building'>
  /** From nothing, because its files are damaged. */
  again(): Promise<void>
  remove(embedder: string): Promise<void>
  switchOver(options: { waitForReplaced: boolean }): Promise<'switched' | 'incomplete' | 'none'>
  /** At start: opens what is kept; what nobody wants any more goes, rows and files. */
  tidy(wanted: string | null): Promise<void>
}

/** The index beside the one in use: how it begins, and how it takes its place. */
export function createBuilding({
  records: { indexes },
  chooseEmbedder,
  openIndexes,
  log,
}: Pick<LifecycleOptions, 'chooseEmbedder' | 'log'> & { records: Pick<Records, 'indexes'>; openIndexes: OpenIndexes }): Building {
  async function begin(name: string): Promise<'in_use' | 'building'> {
    // As it is now, and not as an index was made with: the point may be that it has changed.
    const { embedder, reason } = await chooseEmbedder(null, name)
    if (embedder === null) throw new DocsearchError('model_unusable', reason)
    const fingerprint = formatFingerprint(fingerprintOf(embedder))
    await indexes.choose(name)
    const { active } = openIndexes
    if (active?.canEmbed && active.record.fingerprint === fingerprint) {
      await embedder.close()
      await cancel()
      return 'in_use'
    }
    if (openIndexes.building?.record.fingerprint === fingerprint) {
      await embedder.close()
      return 'building'
    }
    const others = (await indexes.all()).filter(({ state }) => state !== 'active')
    const same = others.find((record) => record.fingerprint === fingerprint) ?? null
    const opened = same && (await reopen(same))
    if (same && opened === null) await indexes.drop(same.id)
    const record =
      same === null || opened === null
        ? await indexes.build({ fingerprint, embeddingModel: embedder.name, dimensions: embedder.dimensions })
        : same.state === 'retired'
          ? ((await indexes.resume(same.id)) ?? same)
          : same
    const before = openIndexes.building
    openIndexes.building = null
    if (before) openIndexes.dropLater(before.record.id, before)
    if (same && opened === null) await openIndexes.drop(same.id)
    // Vectors of former weights are of no use to anybody.
    for (const { id, embeddingModel } of others)
      if (embeddingModel === embedder.name && id !== record.id && id !== before?.record.id) await forget(id)
    const index = opened ?? (await openIndexes.open(record))
    if (index === null) throw new DocsearchError('index_failed', 'A new index could not be opened.')
    openIndexes.building = { record, embedder, index, canEmbed: true, real: embedder }
    return 'building'
  }

  async function reopen(record: IndexRecord) {
    const retired = openIndexes.takeRetired(record.id)
    await retired?.real?.close()
    return retired?.index ?? (await openIndexes.open(record))
  }

  async function forget(id: string): Promise<void> {
    await indexes.drop(id)
    openIndexes.dropLater(id, openIndexes.takeRetired(id))
  }

  async function cancel(): Promise<void> {
    const before = openIndexes.building
    openIndexes.building = null
    for (const { id, state } of await indexes.all()) {
      if (state !== 'building') continue
      await indexes.drop(id)
      openIndexes.dropLater(id, before?.record.id === id ? before : null)
    }
  }

  return {
    begin,

    async again() {
      const before = openIndexes.building
      if (before === null) return
      await cancel()
      await begin(before.embedder.name)
    },

    async remove(name) {
      const all = await indexes.all()
      const found = all.find(({ embeddingModel, state }) => embeddingModel === name && state !== 'active')
      if (found === undefined) {
        if (all.some(({ embeddingModel }) => embeddingModel === name))
          throw new DocsearchError('model_in_use', `${name} is in use; \`docsearch models use\` another one first.`)
        throw new DocsearchError('index_not_found', `There is no index of ${name}.`)
      }
      if (found.state === 'retired') return forget(found.id)
      // What is in use stays so after a restart.
      if (openIndexes.active) await indexes.choose(openIndexes.active.record.embeddingModel)
      return cancel()
    },

    async switchOver({ waitForReplaced }) {
      const { active, building: next } = openIndexes
      if (next === null) return 'none'
      // Where nothing can be added to the active one, a replacement would be waited for in vain.
      const wait = waitForReplaced && active?.canEmbed === true
      if (!(await indexes.switchTo(next.record.id, { waitForReplaced: wait }))) return 'incomplete'
      killPoint('switch')
      openIndexes.active = { ...next, record: { ...next.record, state: 'active' } }
      openIndexes.building = null
      if (active === null) return 'switched'
      const { record, index, real } = active
      // An embedder of searches under way: it is closed with its index.
      if (record.embeddingModel === next.record.embeddingModel) openIndexes.dropLater(record.id, { index, real })
      else openIndexes.retire({ record: { ...record, state: 'retired' }, index, real })
      return 'switched'
    },

    async tidy(wanted) {
      const layout = openIndexes.active && parseFingerprint(openIndexes.active.record.fingerprint).layout
      for (const record of await indexes.all()) {
        const { id, state, embeddingModel, fingerprint } = record
        if (state === 'active' || openIndexes.building?.record.id === id) continue
        const isCurrent = parseFingerprint(fingerprint).layout === layout
        const index = isCurrent && state === 'retired' ? await openIndexes.open(record) : null
        if (index !== null) openIndexes.retire({ record, index, real: null })
        // One that is being built waits for its embedder.
        else if (!isCurrent || state === 'retired' || embeddingModel !== wanted) {
          log.info(
            { embedder: embeddingModel },
            'an index that is not in use belongs to another version of docsearch, or to nobody',
          )
          await indexes.drop(id)
        }
      }
      const known = new Set((await indexes.all()).map(({ id }) => id))
      for (const id of await openIndexes.list()) if (!known.has(id)) await openIndexes.drop(id)
    },
  }
}
