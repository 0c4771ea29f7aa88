import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { formatBytes } from '../core/format-bytes.ts'
import type { DiskState } from '../services/health.ts'
import type { Storage } from '../services/instance.ts'
import { DATABASE_FILE } from './data-folder.ts'

/** Measures what the data folder needs. Never throws. */
export async function storageState(dir: string, pageImageBytes: () => Promise<number>): Promise<Storage> {
  const [database, pageImages, disk] = await Promise.all([
    databaseBytes(dir),
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

/** Returns the size of the database with its write-ahead log. */
async function databaseBytes(dir: string): Promise<number | null> {
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
