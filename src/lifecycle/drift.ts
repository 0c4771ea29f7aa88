import type { Logger } from '../core/logger.ts'
import type { Records } from '../records/records.ts'
import { embedCanaries, LEAST_SIMILARITY, leastSimilarity } from './canaries.ts'
import type { LoadedIndex, OpenIndexes } from './open-indexes.ts'
import { missing } from './missing-embedder.ts'
import { driftMessage } from './status.ts'

/** After a look that found nobody there. */
const RETRY_MS = 60_000
/** A timer takes no more. */
const LONGEST_MS = 2 ** 31 - 1

export interface DriftWatch {
  /** Looks now, without anybody waiting. */
  soon(): void
  stop(): void
}

/**
 * Compares what the model gives for the canary texts with what it gave when the index was begun. Where that differs, nothing is embedded with it
 * any more, neither document nor question, until somebody has everything embedded anew, or it is as it was.
 */
export function startDriftWatch(options: {
  records: Pick<Records, 'indexes'>
  openIndexes: OpenIndexes
  /** Nobody else changes the openIndexes meanwhile. */
  exclusive: <T>(work: () => Promise<T>) => Promise<T>
  changed: () => void
  checkEveryMs: number
  signal: AbortSignal
  log: Logger
}): DriftWatch {
  const { records, openIndexes, exclusive, signal, log } = options
  let timer: NodeJS.Timeout | undefined
  let looking = false
  /** Seen by this watch since it began: another index, or time, makes a further look worth it. */
  let seen = new Set<string>()

  async function look(loaded: LoadedIndex): Promise<void> {
    const { record, real } = loaded
    // Ours changes with a version of ours only, which its fingerprint says.
    if (real === null || real.name === 'builtin') return
    const now = await embedCanaries(real, signal)
    if (now === null) return
    const before = await records.indexes.canaries(record.id)
    seen.add(record.id)
    if (before === null) return records.indexes.setCanaries(record.id, now)
    const similarity = leastSimilarity(before, now)
    await exclusive(async () => {
      const { active } = openIndexes
      if (active?.record.id !== record.id || active.real !== real) return
      const isDrifted = similarity < LEAST_SIMILARITY
      if (isDrifted === !active.canEmbed) return
      const message = driftMessage(real, similarity)
      if (isDrifted) log.error({ embedder: real.name, similarity }, message)
      else log.info({ embedder: real.name, similarity }, 'the embedding model gives the vectors of the index again')
      const embedder = isDrifted ? missing(record, 'embedding_model_changed', message) : real
      openIndexes.active = { ...active, embedder, canEmbed: !isDrifted }
      options.changed()
    })
  }

  async function lookAtAll(all: boolean): Promise<void> {
    if (looking || signal.aborted) return
    looking = true
    let next = Math.min(options.checkEveryMs, LONGEST_MS)
    try {
      if (all) seen = new Set()
      for (const loaded of [openIndexes.active, openIndexes.building])
        if (loaded && !seen.has(loaded.record.id)) await look(loaded)
    } catch (error) {
      // It does not answer, or is another model by its digest: both are told elsewhere.
      log.debug({ err: error }, 'the canary texts could not be embedded')
      next = Math.min(next, RETRY_MS)
    } finally {
      looking = false
      if (!signal.aborted) {
        clearTimeout(timer)
        timer = setTimeout(() => void lookAtAll(true), next)
        timer.unref()
      }
    }
  }

  return {
    soon: () => void lookAtAll(false),
    stop: () => clearTimeout(timer),
  }
}
