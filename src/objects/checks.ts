import { randomUUID } from 'node:crypto'
import { buffer, text } from 'node:stream/consumers'
import { DocsearchError } from '../core/errors.ts'
import type { ObjectStore } from './object-store.ts'

/** How many simultaneous writes of one key each round makes. */
const WRITERS = 4
/** Stores that are not atomic let two writers win in a few of a hundred rounds, so one round proves nothing. */
const ROUNDS = 20
/** The prefix of all keys that a probe uses. */
export const PROBES = 'probe/'
/** Objects that a probe left behind when it was interrupted. */
const LEFTOVER_MS = 60 * 60_000

/**
 * Checks that a store carries out exactly one of several simultaneous conditional writes of a key. Without that, two processes would overwrite each
 * other's commits. Throws `store_unusable` with the reason; `store_unavailable` and `store_refused` leave open whether it does. Even a
 * store that passes may break the promise under load.
 */
export async function probeStore(store: ObjectStore): Promise<void> {
  const folder = `${PROBES}${randomUUID()}/`
  const keys = Array.from({ length: ROUNDS }, (_, round) => `${folder}${round}`)
  try {
    for (const key of keys) await probeOnce(store, key)
  } finally {
    // The next probe deletes what this one can't.
    await Promise.all(keys.map((key) => store.delete(key))).catch(() => {})
  }
  await deleteLeftovers(store)
}

async function probeOnce(store: ObjectStore, key: string): Promise<void> {
  const writers = Array.from({ length: WRITERS }, (_, writer) => Buffer.from(`${writer} ${randomUUID()}`))
  const created = await Promise.all(writers.map((bytes) => store.create(key, bytes)))
  const winners = writers.filter((_, i) => created[i])
  if (winners.length > 1) {
    const others = winners.length === WRITERS ? 'all' : String(winners.length)
    throw unusable(
      `it carried out ${others} of ${WRITERS} simultaneous writes with "If-None-Match: *", and may carry out only one`,
    )
  }
  if (winners.length === 0) throw unusable('it carried out none of several simultaneous writes with "If-None-Match: *"')
  if (await store.create(key, Buffer.from(randomUUID())))
    throw unusable('it replaced an object although the write had "If-None-Match: *"')
  const found = await store.read(key)
  if (found === null || !(await buffer(found.stream)).equals(winners[0]!))
    throw unusable('a read does not return what was just written')
}

async function deleteLeftovers(store: ObjectStore): Promise<void> {
  const now = await timeOf(store)
  for await (const { key, modifiedAt } of store.list(PROBES))
    if (now.getTime() - modifiedAt.getTime() > LEFTOVER_MS) await store.delete(key)
}

/**
 * Returns the time of the store's clock, which dates its objects. The clock of this process may be hours off without any error, because the SDK then
 * signs requests with the time of the store.
 */
export async function timeOf(store: ObjectStore): Promise<Date> {
  const key = `${PROBES}${randomUUID()}`
  await store.put(key, Buffer.from(key))
  const found = await store.find(key)
  await store.delete(key)
  if (found === null) throw new Error('the object store lacks an object that was just written')
  return found.modifiedAt
}

function unusable(why: string): DocsearchError {
  return new DocsearchError('store_unusable', `This object store would lose writes: ${why}. Use another object store.`)
}

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
