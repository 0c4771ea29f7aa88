import { randomUUID } from 'node:crypto'
import { DocsearchError } from '../core/errors.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { claimStore, foreignStore, ownerOf } from '../objects/owner.ts'
import { PROBES } from '../objects/probe.ts'
import type { PostgresServer } from '../records/sql/postgres/server.ts'

interface SharedStores {
  server: PostgresServer
  objects: ObjectStore
}

/**
 * Makes sure that the object store belongs to the instance in the database. The writer deletes objects that its database does not know, so with the
 * store of another instance, it would delete the documents of that instance. Throws `data_unusable`.
 */
export async function requireOwnStore({ server, objects }: SharedStores): Promise<void> {
  const { hasDocuments, keepInstanceId, readInstanceId } = await import('../records/sql/postgres/instance-id.ts')
  const owner = await ownerOf(objects)
  if (owner !== null && owner === (await readInstanceId(server))) return
  // Read the store before the database: another process of a new instance stores the ID in the database before it stores objects.
  const first = await firstKey(objects)
  if (first !== null && (await readInstanceId(server)) === null) {
    if (!(await hasDocuments(server)))
      throw new DocsearchError(
        'data_unusable',
        `The database has no documents, but the object store is not empty: it has objects such as ${first}. Nothing was deleted. ` +
          'Restore a backup of the database, name the database that these objects belong to, or name a prefix without objects.',
      )
    // The database, or the backup from which it was restored, is from an earlier version.
    if (owner !== null) await keepInstanceId(server, owner)
  }
  await claimOwnStore({ server, objects })
}

/** Claims the object store for the instance in the database. Throws `data_unusable` if it belongs to another instance. */
export async function claimOwnStore({ server, objects }: SharedStores): Promise<void> {
  const { keepInstanceId } = await import('../records/sql/postgres/instance-id.ts')
  const id = await keepInstanceId(server, randomUUID())
  if ((await claimStore(objects, id)) !== id) throw foreignStore()
}

/** Like `requireOwnStore`, but changes nothing. An instance that only an earlier version has started has no ID. */
export async function checkOwnStore({ server, objects }: SharedStores): Promise<void> {
  const { readInstanceId } = await import('../records/sql/postgres/instance-id.ts')
  const id = await readInstanceId(server)
  if (id !== null && (await ownerOf(objects)) !== id) throw foreignStore()
}

async function firstKey(objects: Pick<ObjectStore, 'list'>): Promise<string | null> {
  for await (const { key } of objects.list('')) if (!key.startsWith(PROBES)) return key
  return null
}
