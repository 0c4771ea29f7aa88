import { isUtf8 } from 'node:buffer'
import { realpath } from 'node:fs/promises'
import path, { sep } from 'node:path'

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

/** Where a file is. Bytes if a name in it is not UTF-8, as on disks that were written by old systems. */
export type FilePath = string | Buffer

/** Returns the path of an entry of a folder. */
export function inside(folder: FilePath, name: FilePath): FilePath {
  const separator = folder.toString().endsWith(sep) ? '' : sep
  if (typeof folder === 'string' && typeof name === 'string') return folder === '' ? name : `${folder}${separator}${name}`
  return Buffer.concat([Buffer.from(folder), Buffer.from(separator), Buffer.from(name)])
}

/** Returns a name as text. What is not UTF-8 is read as Windows-1252, which such names most often are. */
export function textOfName(name: Buffer): string {
  return isUtf8(name) ? name.toString('utf8') : new TextDecoder('windows-1252').decode(name)
}

/** Returns a text that two paths share only if they are equal. */
export function keyOf(path: FilePath): string {
  return typeof path === 'string' ? path : path.toString('latin1')
}
