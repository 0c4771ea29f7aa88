import type { Migrated } from '../../contract/migrate.ts'
import { isDocsearchError } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import type { PassageIndexStore } from '../../index/passage-index.ts'
import { copyIndex } from '../../index/copy-index.ts'
import { currentLayout, parseFingerprint } from '../../lifecycle/fingerprint.ts'
import type { SnapshotIndex } from '../../records/records.ts'
import { layoutOf } from '../backup-parts.ts'
import { copyOriginals, type CopyOptions } from '../../blobs/copy.ts'
import type { Snapshot } from '../../records/backups.ts'
import { setTimeout } from 'node:timers/promises'
import type { Blobs } from '../../blobs/blobs.ts'
import { openObjectBlobs } from '../../blobs/objects.ts'
import { type SharedPlace, withHiddenPassword } from '../../config/shared-place.ts'
import { createSharedIndexStore } from '../../index/shared-index-store.ts'
import type { ObjectStore } from '../../objects/object-store.ts'
import type { HeldLease, Lease } from '../../records/shared.ts'
import type { PostgresServer } from '../../records/sql/postgres/server.ts'
import { join } from 'node:path'
import type { OpenParts } from '../open-parts.ts'
import { leasesOf } from '../shared-stores.ts'

/** Reports the progress of a move to its caller. */
export interface MigrateHooks {
  signal: AbortSignal
  /** Called with the number of bytes of originals at the new place, and of all originals. */
  onOriginals: (bytes: number, total: number) => void
  /** Called while the tables are copied. */
  onRecords: () => void
  /** Called with the number of passages that are at the new place. */
  onPassages: (passages: number) => void
}

/** Copies the active index. An instance builds every other index, and one that could not be copied, from its records. */
export async function copyActiveIndex(options: {
  index: SnapshotIndex | null
  from: PassageIndexStore
  to: PassageIndexStore
  hooks: Pick<MigrateHooks, 'signal' | 'onPassages'>
  log: Logger
}): Promise<Migrated['index']> {
  const { index, from, to, hooks } = options
  if (index === null) return { state: 'rebuilt', reason: 'the instance had no index' }
  if (parseFingerprint(index.fingerprint).layout !== currentLayout())
    return { state: 'rebuilt', reason: 'another version of docsearch made the index' }
  const place = { id: index.id, ...layoutOf(index) }
  try {
    const source = await from.open(place)
    try {
      const target = await to.open(place)
      try {
        return { state: 'copied', passages: await copyIndex({ from: source, to: target, ...hooks }) }
      } finally {
        await target.close()
      }
    } finally {
      await source.close()
    }
  } catch (error) {
    if (!isDocsearchError(error, 'index_corrupt')) throw error
    return { state: 'rebuilt', reason: 'the index is damaged' }
  }
}

/** Copies the originals of all documents, also of those in the trash. */
export async function moveOriginals(options: {
  from: CopyOptions['from']
  to: CopyOptions['to']
  snapshot: Pick<Snapshot, 'originals'>
  hooks: Pick<MigrateHooks, 'signal' | 'onOriginals'>
}): Promise<Pick<Migrated, 'originals' | 'bytes' | 'missing'>> {
  const { from, to, hooks } = options
  const originals = options.snapshot.originals.map(({ sha256, size }) => ({ sha256, sizeBytes: size }))
  const total = originals.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  let [count, bytes] = [0, 0]
  const onCopied: CopyOptions['onCopied'] = ({ sizeBytes }) => {
    count += 1
    bytes += sizeBytes
    hooks.onOriginals(bytes, total)
  }
  const missing = await copyOriginals(originals, { from, to, signal: hooks.signal, onCopied })
  return { originals: count, bytes, missing }
}

/** A worker that was killed keeps its lease for this long. */
const LEASE_MS = 60_000
const PAUSE_MS = 500

/** The database and the object store of an instance, for `docsearch migrate`. */
export interface SharedSide {
  /** As the user knows it, without a password. */
  place: string
  server: PostgresServer
  objects: ObjectStore
  blobs: Blobs
  /** Returns the indexes: to write them under this lease of the writer, or without a lease, only to read them. */
  indexes(held: HeldLease | null): PassageIndexStore
  writer: Lease
}

/** Returns the place as the user knows it, without a password. */
export function nameOf({ database, store }: SharedPlace): string {
  return `${String(withHiddenPassword(database))} and ${store}`
}

/** Opens the database and the object store. `folder` is for copies of files. Loads the packages for them. */
export async function openSharedSide(options: {
  place: SharedPlace
  folder: string
  log: Logger
  open: OpenParts
}): Promise<SharedSide> {
  const { place, folder, log, open } = options
  const [{ openS3 }, { pgServer }, { createWriterParts }] = await Promise.all([
    import('../../objects/s3/open.ts'),
    import('../../records/sql/postgres/pg-server.ts'),
    import('../../records/sql/postgres/coordination.ts'),
  ])
  const objects = await openS3({ address: place.store, log })
  open.add('object store', async () => objects.close())
  const server = await pgServer({ url: place.database, log })
  open.add('database', () => server.end())
  const { writer, versions } = createWriterParts({ server, log, leaseMs: LEASE_MS })
  open.add('lease', () => writer.release())
  return {
    place: nameOf(place),
    server,
    objects,
    blobs: await openObjectBlobs({ store: objects, folder, cacheBytes: 0 }),
    indexes: (held) =>
      createSharedIndexStore({
        address: place.store,
        objects,
        cacheFolder: join(folder, 'segments'),
        leases: held && leasesOf(held),
        newestVersion: null,
        onCommit: (indexId, number) => versions.noteCommit(indexId, number),
        log,
      }),
    writer,
  }
}

/** Waits until no other process has the lease of the writer, and takes it. Says so if it has to wait. Rejects with the reason of the signal. */
export async function becomeWriter(
  writer: Lease,
  { signal, say }: { signal: AbortSignal; say: (line: string) => void },
): Promise<HeldLease> {
  for (let attempt = 0; ; attempt++) {
    const held = await writer.tryTake(() => {})
    if (held !== null) return held
    if (attempt === 0)
      say(
        'Waiting for the lease of the writer, which ends about a minute after its process. Stop all processes at the new place.',
      )
    await setTimeout(PAUSE_MS, undefined, { signal })
  }
}
