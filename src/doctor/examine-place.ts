import { openObjectBlobs } from '../blobs/objects.ts'
import { systemClock } from '../core/clock.ts'
import { silentLogger } from '../core/logger.ts'
import type { Records } from '../records/records.ts'
import type { Repairs } from '../records/inspection.ts'
import { examineShared, type SharedExamineOptions } from './examine-shared.ts'
import type { Tell } from './run-checks.ts'

/** The inspection and the repairs have this many connections each. */
const CONNECTIONS = 2

export interface PlaceExamineOptions extends SharedExamineOptions {
  /** The address of the PostgreSQL database, which can contain a password. */
  database: string
  /** The address of the object store. */
  store: string
}

/** Opens the database and the object store, and runs all checks on them. `folder` is empty; the caller deletes it afterwards. */
export async function examinePlace(options: PlaceExamineOptions, folder: string, tell: Tell): Promise<void> {
  const { database: url, store: address } = options
  const [{ openS3 }, { pgServer }, { inspectPostgres, repairPostgres }, { readSecret }, { readInstanceId }] = await Promise.all([
    import('../objects/s3/open.ts'),
    import('../records/sql/postgres/pg-server.ts'),
    import('../records/sql/postgres/inspect.ts'),
    import('../records/sql/postgres/secrets.ts'),
    import('../records/sql/postgres/secrets.ts'),
  ])
  const log = silentLogger
  const connect = () => pgServer({ url, log, connections: CONNECTIONS })
  const objects = await openS3({ address, log })
  const [server, toRepair] = [await connect(), await connect()]
  const opened: { records?: Promise<Records>; repairs?: Repairs } = {}
  const openRecords = async () => {
    const { openPostgres } = await import('../records/sql/postgres/open.ts')
    return (await openPostgres({ server: await connect(), clock: systemClock, log })).records
  }
  try {
    await examineShared(
      {
        inspection: inspectPostgres(server),
        objects,
        address,
        blobs: await openObjectBlobs({ store: objects, folder, cacheBytes: 0 }),
        folder,
        records: () => (opened.records ??= openRecords()),
        repairs: () => (opened.repairs ??= repairPostgres(toRepair, systemClock.now())),
        webhookKey: () => readSecret(toRepair, 'webhooks'),
        instanceId: () => readInstanceId(toRepair),
        now: () => systemClock.now(),
      },
      options,
      tell,
    )
  } finally {
    await (await opened.records)?.close()
    await toRepair.end()
    objects.close()
  }
}
