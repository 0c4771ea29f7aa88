import { DocsearchError } from '../core/errors.ts'
import { killPoint } from '../core/kill-point.ts'
import type { Generation, Records } from '../records/records.ts'
import { fingerprintOf, formatFingerprint, parseFingerprint } from './fingerprint.ts'
import type { Shelf } from './shelf.ts'
import type { EngineOptions } from './start.ts'

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
  records: { generations },
  chooseEmbedder,
  shelf,
  log,
}: Pick<EngineOptions, 'chooseEmbedder' | 'log'> & { records: Pick<Records, 'generations'>; shelf: Shelf }): Building {
  async function begin(name: string): Promise<'in_use' | 'building'> {
    // As it is now, and not as an index was made with: the point may be that it has changed.
    const { embedder, reason } = await chooseEmbedder(null, name)
    if (embedder === null) throw new DocsearchError('model_unusable', reason)
    const fingerprint = formatFingerprint(fingerprintOf(embedder))
    await generations.choose(name)
    const { active } = shelf
    if (active?.canEmbed && active.generation.fingerprint === fingerprint) {
      await embedder.close()
      await cancel()
      return 'in_use'
    }
    if (shelf.building?.generation.fingerprint === fingerprint) {
      await embedder.close()
      return 'building'
    }
    const others = (await generations.all()).filter(({ state }) => state !== 'active')
    const same = others.find((generation) => generation.fingerprint === fingerprint) ?? null
    const opened = same && (await reopen(same))
    if (same && opened === null) await generations.drop(same.id)
    const generation =
      same === null || opened === null
        ? await generations.build({ fingerprint, embeddingModel: embedder.name, dimensions: embedder.dimensions })
        : same.state === 'kept'
          ? ((await generations.resume(same.id)) ?? same)
          : same
    const before = shelf.building
    shelf.building = null
    if (before) shelf.retire(before.generation.id, before)
    if (same && opened === null) await shelf.drop(same.id)
    // Vectors of former weights are of no use to anybody.
    for (const { id, embeddingModel } of others)
      if (embeddingModel === embedder.name && id !== generation.id && id !== before?.generation.id) await forget(id)
    const index = opened ?? (await shelf.open(generation))
    if (index === null) throw new DocsearchError('index_failed', 'A new index could not be opened.', { blame: 'internal' })
    shelf.building = { generation, embedder, index, canEmbed: true, real: embedder }
    return 'building'
  }

  async function reopen(generation: Generation) {
    const kept = shelf.takeBack(generation.id)
    await kept?.real?.close()
    return kept?.index ?? (await shelf.open(generation))
  }

  async function forget(id: string): Promise<void> {
    await generations.drop(id)
    shelf.retire(id, shelf.takeBack(id))
  }

  async function cancel(): Promise<void> {
    const before = shelf.building
    shelf.building = null
    for (const { id, state } of await generations.all()) {
      if (state !== 'building') continue
      await generations.drop(id)
      shelf.retire(id, before?.generation.id === id ? before : null)
    }
  }

  return {
    begin,

    async again() {
      const before = shelf.building
      if (before === null) return
      await cancel()
      await begin(before.embedder.name)
    },

    async remove(name) {
      const all = await generations.all()
      const found = all.find(({ embeddingModel, state }) => embeddingModel === name && state !== 'active')
      if (found === undefined) {
        if (all.some(({ embeddingModel }) => embeddingModel === name))
          throw new DocsearchError('model_in_use', `${name} is in use; \`docsearch models use\` another one first.`)
        throw new DocsearchError('index_not_found', `There is no index of ${name}.`)
      }
      if (found.state === 'kept') return forget(found.id)
      // What is in use stays so after a restart.
      if (shelf.active) await generations.choose(shelf.active.generation.embeddingModel)
      return cancel()
    },

    async switchOver({ waitForReplaced }) {
      const { active, building: next } = shelf
      if (next === null) return 'none'
      // Where nothing can be added to the active one, a replacement would be waited for in vain.
      const wait = waitForReplaced && active?.canEmbed === true
      if (!(await generations.switchTo(next.generation.id, { waitForReplaced: wait }))) return 'incomplete'
      killPoint('switch')
      shelf.active = { ...next, generation: { ...next.generation, state: 'active' } }
      shelf.building = null
      if (active === null) return 'switched'
      const { generation, index, real } = active
      // An embedder of searches under way: it is closed with its index.
      if (generation.embeddingModel === next.generation.embeddingModel) shelf.retire(generation.id, { index, real })
      else shelf.keep({ generation: { ...generation, state: 'kept' }, index, real })
      return 'switched'
    },

    async tidy(wanted) {
      const layout = shelf.active && parseFingerprint(shelf.active.generation.fingerprint).layout
      for (const generation of await generations.all()) {
        const { id, state, embeddingModel, fingerprint } = generation
        if (state === 'active' || shelf.building?.generation.id === id) continue
        const isCurrent = parseFingerprint(fingerprint).layout === layout
        const index = isCurrent && state === 'kept' ? await shelf.open(generation) : null
        if (index !== null) shelf.keep({ generation, index, real: null })
        // One that is being built waits for its embedder.
        else if (!isCurrent || state === 'kept' || embeddingModel !== wanted) {
          log.info(
            { embedder: embeddingModel },
            'an index that is not in use belongs to another version of docsearch, or to nobody',
          )
          await generations.drop(id)
        }
      }
      const known = new Set((await generations.all()).map(({ id }) => id))
      for (const id of await shelf.list()) if (!known.has(id)) await shelf.drop(id)
    },
  }
}
