import { statfs } from 'node:fs/promises'

/** With less free space, uploads would soon fail. It is enough for the largest request and its index. */
const MIN_FREE_BYTES = 500_000_000

/** Returns the free space of the disk that has `dir`. Never throws. */
export async function diskState(dir: string): Promise<{ ok: boolean; message: string; freeBytes: number | null }> {
  try {
    const { bavail, bsize } = await statfs(dir)
    const freeBytes = bavail * bsize
    const free = `${Math.round(freeBytes / 1e6).toLocaleString('en')} MB free`
    return freeBytes < MIN_FREE_BYTES
      ? { ok: false, message: `${free}: uploads may be refused soon`, freeBytes }
      : { ok: true, message: free, freeBytes }
  } catch (error) {
    return { ok: false, message: `free space is unknown: ${(error as Error).message}`, freeBytes: null }
  }
}
