import { execFileSync } from 'node:child_process'

export interface Mount {
  unmount(): void
}

/** A small file system in memory over this folder, or null where this user may not mount (containers, other systems, not root). */
export function mountTmpfs(folder: string, size: string): Mount | null {
  if (process.platform !== 'linux') return null
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    // Not allowed here: the caller skips its test and says so.
    return null
  }
  return { unmount: () => void execFileSync('umount', ['--lazy', folder], { stdio: 'ignore' }) }
}
