import { setTimeout as sleep } from 'node:timers/promises'
import { DocsearchError } from '../core/errors.ts'
import { withoutLatest } from '../ollama/client.ts'
import type { IndexRecord, Records } from '../records/records.ts'
import type { Versions, WriterReports } from '../records/shared.ts'
import { parseFingerprint } from './fingerprint.ts'
import type { ChooseEmbedder, UseOutcome } from './lifecycle.ts'
import type { ModelTest } from './model-test.ts'
import { pinnedNotice, testNamed } from './named-model.ts'

/** How long a change of model waits for the process that writes the index. */
const USE_MS = 20_000
const USE_LOOK_MS = 100
const ONLY_HERE =
  'The process that writes the index still gets the former vectors from its Ollama, so it builds no new index. Run the same version of Ollama for all processes.'

interface ModelRequestsOptions {
  records: Pick<Records, 'indexes'>
  versions: Versions
  reports: Pick<WriterReports, 'read'>
  chooseEmbedder: ChooseEmbedder
  pinned: string | null
  /** Reads the list of indexes again if it has changed. */
  catchUp(): Promise<void>
  /** Checks the vectors. Returns the ID of the active index if its model now returns other vectors, here or in the process that writes it. */
  checkDrift(): Promise<string | null>
  signal: AbortSignal
}

/** Handles requests to use, test or remove a model in a process that does not write the index. The process that writes it makes the changes. */
export class ModelRequests {
  readonly #options: ModelRequestsOptions

  constructor(options: ModelRequestsOptions) {
    this.#options = options
  }

  /** Records the chosen model, and waits until the process that writes the index has begun to switch to it. */
  async use(name: string): Promise<UseOutcome> {
    const { records, versions, reports, pinned, catchUp, checkDrift, signal } = this.#options
    const wanted = withoutLatest(name)
    // Another version of docsearch may write the index, with another layout.
    const ofModel = await this.#embedderFingerprint(wanted)
    const isOfModel = ({ fingerprint }: IndexRecord) => parseFingerprint(fingerprint).embedder === ofModel
    const current = await records.indexes.active()
    const drifted = current !== null && isOfModel(current) ? await checkDrift() : null
    const isWanted = (record: IndexRecord) => isOfModel(record) && record.id !== drifted
    await records.indexes.choose(wanted)
    await versions.grow('models')
    const outcome = (state: UseOutcome['state'], notice: string | null) => ({ embedder: wanted, state, notice })
    for (let left = USE_MS; left > 0; left -= USE_LOOK_MS) {
      const all = await records.indexes.all()
      const isActive = all.some((record) => record.state === 'active' && isWanted(record))
      const building = all.find(({ state }) => state === 'building')
      if (isActive && building === undefined) return outcome('in_use', pinnedNotice(pinned, wanted))
      if (building !== undefined && isWanted(building)) {
        await catchUp()
        return outcome('building', pinnedNotice(pinned, wanted))
      }
      await sleep(USE_LOOK_MS, undefined, { signal })
    }
    const active = (await records.indexes.all()).find(({ state }) => state === 'active')
    if (active?.id === drifted && isOfModel(active) && (await reports.read())?.embedder === null)
      return outcome('in_use', ONLY_HERE)
    return outcome(
      'building',
      'The process that writes the index does not answer. It will build the new index when it runs again.',
    )
  }

  /** Throws `model_unusable`. */
  async #embedderFingerprint(name: string): Promise<string> {
    const { embedder, reason } = await this.#options.chooseEmbedder(null, name)
    if (embedder === null) throw new DocsearchError('model_unusable', reason)
    await embedder.close()
    return embedder.fingerprint
  }

  /** See `IndexReading`. */
  test(name: string, signal: AbortSignal): Promise<ModelTest> {
    return testNamed(this.#options.chooseEmbedder, name, signal)
  }

  /** The process that writes the index deletes the files. */
  async remove(name: string): Promise<void> {
    const { records, versions } = this.#options
    const wanted = withoutLatest(name)
    const all = await records.indexes.all()
    const active = all.find(({ state }) => state === 'active')
    const found = all.find((record) => record.embeddingModel === wanted && record !== active)
    if (found === undefined) {
      if (active?.embeddingModel === wanted)
        throw new DocsearchError(
          'model_in_use',
          `${wanted} is in use. Switch to another one first, with \`docsearch models use\`.`,
        )
      throw new DocsearchError('index_not_found', `There is no index of ${wanted}.`)
    }
    if (found.state === 'building' && active !== undefined) await records.indexes.choose(active.embeddingModel)
    await records.indexes.drop(found.id)
    await versions.grow('models')
  }
}
