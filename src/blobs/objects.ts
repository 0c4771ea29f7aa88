import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { translateDiskError } from '../core/disk-errors.ts'
import { DocsearchError, isDocsearchError } from '../core/errors.ts'
import { LruCache } from '../core/lru-cache.ts'
import type { OriginalDamage } from '../core/model.ts'
import { FileCache } from '../objects/file-cache.ts'
import type { ByteRange, ObjectStore, StoredObject } from '../objects/object-store.ts'
import { timeOf } from '../objects/checks.ts'
import { type Blobs, SWEEP_GRACE_MS } from './blobs.ts'
import { compareWithHash, type ExpectedBytes, type OnRead } from './verify.ts'

const FOLDER = 'blobs/'
const KEY = /^blobs\/([0-9a-f]{64})\/[0-9a-f]+$/
/** How many keys to remember, so that reads of one document don't look up its original each time. */
const MAX_KNOWN = 10_000

export interface ObjectBlobsOptions {
  store: ObjectStore
  /** A local folder that only this process uses: for incoming bodies, and for the files of `withFile`. */
  folder: string
  /** How many bytes of originals to keep in the folder. */
  cacheBytes: number
  /** Replaces the clock of the store in tests. */
  storeTime?: () => Promise<Date>
}

/** Originals in an object store, which several processes may use at the same time. */
export async function openObjectBlobs({ store, folder, cacheBytes, storeTime }: ObjectBlobsOptions): Promise<Blobs> {
  const incoming = join(folder, 'incoming')
  try {
    await rm(incoming, { recursive: true, force: true })
    await mkdir(incoming, { recursive: true, mode: 0o700 })
    const cache = await FileCache.open({ folder: join(folder, 'originals'), maxBytes: cacheBytes })
    return new ObjectBlobs(store, incoming, cache, storeTime ?? (() => timeOf(store)))
  } catch (error) {
    throw translateDiskError(error)
  }
}

/**
 * Each `put` creates a separate object, a copy: `blobs/<hash>/<random number>`. Reads use the newest copy. A sweep in another process may find an
 * old copy without a document and delete it much later, even hours later if the process was frozen. With one key for each hash, the sweep would also
 * delete bytes that a new upload has just stored again.
 */
class ObjectBlobs implements Blobs {
  readonly incoming: string
  readonly #store: ObjectStore
  readonly #cache: FileCache
  readonly #storeTime: () => Promise<Date>
  /** The newest copies that this process knows, by hash. */
  readonly #known = new LruCache<Pick<StoredObject, 'key' | 'size'>>(MAX_KNOWN)

  constructor(store: ObjectStore, incoming: string, cache: FileCache, storeTime: () => Promise<Date>) {
    this.#store = store
    this.incoming = incoming
    this.#cache = cache
    this.#storeTime = storeTime
  }

  async put(file: string, sha256: string): Promise<void> {
    const key = `${FOLDER}${sha256}/${randomBytes(8).toString('hex')}`
    try {
      const { size } = await stat(file)
      await this.#store.putFile(key, { path: file, size, sha256 })
      this.#known.set(sha256, { key, size })
      // The worker in this process, if there is one, reads the file soon.
      await this.#cache.adopt(sha256, file)
    } catch (error) {
      throw translateDiskError(error)
    }
  }

  async withFile<T>(sha256: string, work: (path: string) => Promise<T>): Promise<T> {
    return this.#cache.use(sha256, (path) => this.#fetch(sha256, path), work)
  }

  async open(sha256: string, range?: ByteRange): Promise<Readable> {
    return (await this.#read(sha256, range)).stream
  }

  async size(sha256: string): Promise<number> {
    return (await this.#newest(sha256)).size
  }

  async verify(expected: ExpectedBytes, onRead?: OnRead): Promise<OriginalDamage | null> {
    try {
      return await compareWithHash(await this.open(expected.sha256), expected, onRead)
    } catch (error) {
      if (isDocsearchError(error, 'blob_missing')) return 'missing'
      throw error
    }
  }

  async sweep(isReferenced: (sha256: string) => Promise<boolean>): Promise<number> {
    let deleted = 0
    const now = await this.#storeTime()
    const isOld = ({ modifiedAt }: StoredObject) => now.getTime() - modifiedAt.getTime() > SWEEP_GRACE_MS
    for await (const [sha256, copies] of copiesIn(this.#store)) {
      const newest = newestOf(copies)
      const old = copies.filter(isOld)
      const isUsed = old.length > 0 && (await isReferenced(sha256))
      // A newer copy replaces older ones, but reads that have begun go on for a while.
      const unused = isUsed ? old.filter((copy) => copy !== newest && isOld(newest)) : old
      for (const { key } of unused) await this.#store.delete(key)
      if (unused.length < copies.length) continue
      this.#known.delete(sha256)
      deleted += 1
    }
    return deleted
  }

  async #find(sha256: string): Promise<Pick<StoredObject, 'key' | 'size'> | null> {
    const known = this.#known.get(sha256)
    if (known !== undefined) return known
    for await (const [, copies] of copiesIn(this.#store, `${FOLDER}${sha256}/`)) {
      const { key, size } = newestOf(copies)
      this.#known.set(sha256, { key, size })
      return { key, size }
    }
    return null
  }

  async #newest(sha256: string): Promise<Pick<StoredObject, 'key' | 'size'>> {
    const found = await this.#find(sha256)
    if (found === null) throw missing()
    return found
  }

  async #read(sha256: string, range?: ByteRange): Promise<{ stream: Readable }> {
    const found = await this.#store.read((await this.#newest(sha256)).key, range)
    if (found !== null) return found
    // A sweep has deleted the copy, perhaps because there is a newer one.
    this.#known.delete(sha256)
    const again = await this.#store.read((await this.#newest(sha256)).key, range)
    if (again === null) throw missing()
    return again
  }

  async #fetch(sha256: string, path: string): Promise<void> {
    const hash = createHash('sha256')
    try {
      const source = await this.open(sha256)
      source.on('data', (bytes: Buffer) => hash.update(bytes))
      await pipeline(source, createWriteStream(path, { mode: 0o600, flags: 'wx' }))
    } catch (error) {
      throw translateDiskError(error)
    }
    if (hash.digest('hex') !== sha256) throw missing('is damaged in')
  }
}

/** Yields the copies of each original whose key begins with `prefix`. */
export async function* copiesIn(
  store: Pick<ObjectStore, 'list'>,
  prefix = FOLDER,
): AsyncGenerator<[sha256: string, copies: StoredObject[]]> {
  let [current, copies]: [string | null, StoredObject[]] = [null, []]
  for await (const object of store.list(prefix)) {
    const sha256 = KEY.exec(object.key)?.[1]
    if (sha256 === undefined) continue
    if (sha256 !== current) {
      if (current !== null) yield [current, copies]
      ;[current, copies] = [sha256, []]
    }
    copies.push(object)
  }
  if (current !== null) yield [current, copies]
}

/** Every process chooses the same copy of those that were stored in the same second. */
function newestOf(copies: readonly StoredObject[]): StoredObject {
  return copies.reduce((newest, copy) => (copy.modifiedAt.getTime() >= newest.modifiedAt.getTime() ? copy : newest))
}

function missing(how = 'is missing from'): DocsearchError {
  return new DocsearchError('blob_missing', `The original file of this document ${how} the object store. Upload it again.`)
}
