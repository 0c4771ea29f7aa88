import { text } from 'node:stream/consumers'
import { DocsearchError } from '../core/errors.ts'
import type { ObjectStore } from './object-store.ts'

/** The key of the object with the ID of the instance that the other objects belong to. */
const OWNER = 'instance'

/** Returns the ID of the instance that the objects belong to. Null if no instance has claimed the store. */
export async function ownerOf(store: Pick<ObjectStore, 'read'>): Promise<string | null> {
  const found = await store.read(OWNER)
  return found === null ? null : (await text(found.stream)).trim()
}

/** Claims the store for an instance, unless another one has claimed it. Returns the ID of the instance that the objects belong to. */
export async function claimStore(store: Pick<ObjectStore, 'create' | 'read'>, id: string): Promise<string> {
  if (await store.create(OWNER, Buffer.from(`${id}\n`))) return id
  return (await ownerOf(store)) ?? id
}

/** The error for a store that belongs to another instance than the database. */
export function foreignStore(): DocsearchError {
  return new DocsearchError(
    'data_unusable',
    'The object store does not belong to this database. Name the store that this instance has used so far. A new instance needs a prefix without objects.',
  )
}
