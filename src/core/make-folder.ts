import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

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
