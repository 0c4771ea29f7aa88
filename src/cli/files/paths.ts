import { realpath } from 'node:fs/promises'
import path from 'node:path'

/** Returns the name that the paths of a folder's documents start with. */
export async function folderName(given: string): Promise<string> {
  return nameOf(given, await realpath(given))
}

/**
 * Returns the last part of a folder as the user wrote it. `.`, `..` and `C:` name no folder, so the resolved path does. The root has
 * no name: `/` becomes an empty text, and `C:\` becomes `C`.
 */
export function nameOf(given: string, resolved: string, platform: path.PlatformPath = path): string {
  const named = platform.basename(given)
  const own = platform.basename(resolved)
  if (['', '.', '..'].includes(named)) return own || resolved.split(/[:\\/?]+/).join('')
  // On a file system that ignores letter case, every spelling of a folder gives the same paths.
  return own.toLowerCase() === named.toLowerCase() ? own : named
}

/** Joins the parts of a document's path, which always has slashes. */
export function documentPath(folder: string, below: string, separator = path.sep): string {
  const parts = below.split(separator)
  return (folder === '' ? parts : [folder, ...parts]).join('/')
}
