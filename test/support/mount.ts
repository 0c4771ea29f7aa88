import { execFileSync } from 'node:child_process'

export interface Mount {
  unmount(): void
}

/** Mounts a small file system in memory on this folder. Returns null if this user may not mount (containers, other systems, not root). */
export function mountTmpfs(folder: string, size: string): Mount | null {
  if (process.platform !== 'linux') return null
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    // Mounting is not allowed here. The caller skips its test and says so.
    return null
  }
  return { unmount: () => void execFileSync('umount', ['--lazy', folder], { stdio: 'ignore' }) }
}
