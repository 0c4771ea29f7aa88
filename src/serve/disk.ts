import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { formatBytes } from '../core/format-bytes.ts'
import type { DiskState } from '../services/health.ts'
import type { Storage } from '../services/instance.ts'
import { DATABASE_FILE } from './data-folder.ts'

interface Sizes {
  pageImages(): Promise<number>
  /** By default, the database is in the data folder. */
  database?: (() => Promise<number | null>) | undefined
}

/** Measures what the data folder and the database need. Never throws. */
export async function storageState(dir: string, { pageImages: pageImageBytes, database: size }: Sizes): Promise<Storage> {
  const databaseBytes = size ?? (() => fileBytes(dir))
  const [database, pageImages, disk] = await Promise.all([
    databaseBytes().catch(() => null),
    pageImageBytes().catch(() => null),
    statfs(dir).catch(() => null),
  ])
  return {
    folder: dir,
    database,
    pageImages,
    free: disk && disk.bavail * disk.bsize,
    total: disk && disk.blocks * disk.bsize,
  }
}

/** Returns the size of the database file with its write-ahead log. */
async function fileBytes(dir: string): Promise<number | null> {
  const sizeOf = async (name: string) => (await stat(join(dir, name)).catch(() => null))?.size ?? null
  const [main, log] = await Promise.all([sizeOf(DATABASE_FILE), sizeOf(`${DATABASE_FILE}-wal`)])
  return main === null ? null : main + (log ?? 0)
}

/** With less free space, uploads would soon fail. It is enough for the largest request and its index. */
const MIN_FREE_BYTES = 500_000_000

/** Returns the free space of the disk that has `dir`. Never throws. */
export async function diskState(dir: string): Promise<DiskState> {
  try {
    const { bavail, blocks, bsize } = await statfs(dir)
    const [freeBytes, totalBytes] = [bavail * bsize, blocks * bsize]
    const free = `${formatBytes(freeBytes)} free`
    return freeBytes < MIN_FREE_BYTES
      ? { ok: false, message: `${free}: uploads ${freeBytes === 0 ? 'are' : 'may soon be'} refused`, freeBytes, totalBytes }
      : { ok: true, message: free, freeBytes, totalBytes }
  } catch (error) {
    return { ok: false, message: `free space is unknown: ${(error as Error).message}`, freeBytes: null, totalBytes: null }
  }
}
