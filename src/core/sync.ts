import { existsSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes the content of a file survive a power cut. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes the names in a folder survive a power cut. Windows cannot sync folders and need not: NTFS journals names. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Creates a folder of mode 0700, and its parents if they are missing. Creates them one by one, because `recursive` never returns in a folder
 * where nothing can be created (/proc).
 */
export async function makeFolder(dir: string): Promise<void> {
  try {
    await mkdir(dir, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || dirname(dir) === dir || existsSync(dirname(dir))) throw error
    await makeFolder(dirname(dir))
    await mkdir(dir, { mode: 0o700 })
  }
}
