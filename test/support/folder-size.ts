import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the bytes of all files of a folder; 0 if it does not exist. Files that disappear meanwhile don't count. */
export function folderSize(folder: string): number {
  if (!existsSync(folder)) return 0
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0), 0)
}
