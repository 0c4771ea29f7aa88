import { Scrub } from '../doctor/scrub.ts'
import { createIngest } from '../ingest/create.ts'
import type { IngestOptions } from '../ingest/ingest.ts'
import { carryOutRequest } from '../lifecycle/model-requests.ts'
import type { Lifecycle } from '../lifecycle/lifecycle.ts'
import { startLifecycle } from '../lifecycle/start.ts'
import type { Records } from '../records/records.ts'
import type { HeldLease, WriterReport } from '../records/shared.ts'
import { createWebhookDelivery } from '../webhooks/create.ts'
import { startSweep } from './expired-rows.ts'
import type { Running } from './index-worker.ts'
import { OpenParts } from './open-parts.ts'
import { indexStoreOf, leasesOf, type SharedPartsOptions, webhookOptions } from './shared-stores.ts'
import { embedderChooser } from './storage-parts.ts'

/** The pause before another attempt to use a requested model that can't be used yet. */
const REQUEST_AGAIN_MS = 60_000

interface WriteOptions extends Omit<SharedPartsOptions, 'open'> {
  /** The lease under which this process writes. */
  held: HeldLease
  ingest: Omit<IngestOptions, 'lifecycle'>
  memoryBytes: number
  cacheBytes: number
}

/** Writes the index, and does what must happen once in the instance, while this process has the lease. */
export async function writeIndex(options: WriteOptions): Promise<Running> {
  const open = new OpenParts(options.log)
  try {
    return await begin(options, open)
  } catch (error) {
    await open.closeAll(0)
    throw error
  }
}

async function begin(options: WriteOptions, open: OpenParts): Promise<Running> {
  const { config, shared, held, clock, log } = options
  const { coordination } = shared
  const records = shared.writerRecords(held)
  let models = await coordination.versions.of('models')
  /** When to look next for a request to use a model. A user may have made one while no process wrote the index. */
  let nextRequest = 0
  const indexStore = indexStoreOf(options, {
    folder: 'writer',
    memoryBytes: options.memoryBytes,
    cacheBytes: options.cacheBytes,
    threads: 1,
    leases: leasesOf(held),
  })
  open.add('cache of the index', () => indexStore.close())
  const lifecycle = await startLifecycle({
    records,
    indexStore,
    chooseEmbedder: embedderChooser(options),
    pinned: config.embedder === 'auto' ? null : config.embedder,
    checkEveryMs: config.embedderCheckMs,
    log,
  })
  open.add('lifecycle', () => lifecycle.close())
  const { trashDays, parseWorkers, scrubDays: days, auditDays } = config
  const ingest = createIngest({ ...options.ingest, records, lifecycle, trashDays, parseWorkers, handedOver: coordination.queue })
  open.add('ingest', (graceMs) => ingest.stop(graceMs))
  await ingest.start()
  const unsubscribe = records.events.subscribe(() => ingest.notice())
  open.add('events', async () => unsubscribe())
  open.add('documents of other workers', await coordination.queue.onHandedOver(() => ingest.notice()))
  const report = async () => {
    const { documents, build } = await ingest.waitReasons()
    const building = await lifecycle.buildSpeed()
    const embedder = await embedderFailure(lifecycle)
    await coordination.reports.write({ documentsWaitFor: documents, buildWaitsFor: build, embedder, building }, held)
  }
  const { blobs } = options.ingest
  const scrub = new Scrub({ blobs, records, scrubIndex: (onRead) => ingest.scrubIndex(onRead), days, clock, log })
  scrub.start()
  open.add('scrub', () => scrub.stop())
  const sweep = startSweep({ records, clock, log, auditDays })
  open.add('sweep of expired rows', () => sweep.stop())
  const webhooks = createWebhookDelivery({ ...webhookOptions(options), maySend: () => held.isStillHeld() })
  webhooks.start()
  open.add('webhooks', (graceMs) => webhooks.stop(graceMs))
  return {
    async notice() {
      ingest.notice()
      webhooks.nudge()
      await report()
      const now = await coordination.versions.of('models')
      if (now !== models) {
        models = now
        if (await isIndexGone(lifecycle, records)) return 'restart'
        nextRequest = 0
      }
      if (performance.now() < nextRequest) return
      const isDone = await carryOutRequest({ lifecycle, requests: coordination.modelRequests, held, log })
      nextRequest = isDone ? Infinity : performance.now() + REQUEST_AGAIN_MS
    },
    stop: (graceMs) => open.closeAll(graceMs),
  }
}

/** Returns why the embedder of the active index can't be used; null while it can. */
async function embedderFailure(lifecycle: Lifecycle): Promise<WriterReport['embedder']> {
  const embedder = lifecycle.active()?.embedder
  if (embedder === undefined || embedder.canEmbed) return null
  const { code, message } = await embedder.check()
  return { code, message }
}

/** Another process has dropped an index that this one has open. */
async function isIndexGone(lifecycle: Lifecycle, { indexes }: Pick<Records, 'indexes'>): Promise<boolean> {
  const known = new Set((await indexes.all()).map(({ id }) => id))
  return lifecycle.inactive().some(({ record }) => !known.has(record.id))
}
