import { statfs } from 'node:fs/promises'

/** Below this uploads would soon fail: enough for a request of the largest size and its index. */
const LOW = 500_000_000

/** Free space where `dir` lies. Never throws. */
export async function diskState(dir: string): Promise<{ ok: boolean; message: string; freeBytes: number | null }> {
  try {
    const { bavail, bsize } = await statfs(dir)
    const freeBytes = bavail * bsize
    const free = `${Math.round(freeBytes / 1e6).toLocaleString('en')} MB free`
    return freeBytes < LOW
      ? { ok: false, message: `${free}: uploads may be refused soon`, freeBytes }
      : { ok: true, message: free, freeBytes }
  } catch (error) {
    return { ok: false, message: `free space is not known: ${(error as Error).message}`, freeBytes: null }
  }
}
