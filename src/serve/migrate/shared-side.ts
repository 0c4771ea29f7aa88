import { setTimeout } from 'node:timers/promises'
import type { Blobs } from '../../blobs/blobs.ts'
import { openObjectBlobs } from '../../blobs/objects.ts'
import { type SharedPlace, withHiddenPassword } from '../../config/shared-place.ts'
import type { Logger } from '../../core/logger.ts'
import type { PassageIndexStore } from '../../index/passage-index.ts'
import { createSharedIndexStore } from '../../index/shared-index-store.ts'
import type { ObjectStore } from '../../objects/object-store.ts'
import type { HeldLease, Lease } from '../../records/shared.ts'
import type { PostgresServer } from '../../records/sql/postgres/server.ts'
import { join } from 'node:path'
import type { OpenParts } from '../open-parts.ts'
import { leasesOf } from '../shared-stores.ts'

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
