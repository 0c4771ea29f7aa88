import { isUtf8 } from 'node:buffer'
import { sep } from 'node:path'

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
