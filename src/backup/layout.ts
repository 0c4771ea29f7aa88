import { isAbsolute, join } from 'node:path'

/** The names of the files in a backup. A tar has them in this order, with the originals between `VECTORS` and `MANIFEST`. */
export const DATABASE = 'docsearch.db'
export const CONFIG = 'config.json'
/** The key to the secrets of webhooks in the database. */
export const WEBHOOK_KEY = 'webhook.key'
export const VECTORS = 'vectors.arrow'
/** Comes last, so that a backup without it is known to be incomplete. */
export const MANIFEST = 'manifest.json'

const ORIGINAL = /^blobs\/([0-9a-f]{2})\/([0-9a-f]{62})$/
const FILES: ReadonlySet<string> = new Set([DATABASE, CONFIG, WEBHOOK_KEY, VECTORS, MANIFEST])

/** The path of an original in a backup, as in a data folder. */
export function originalPath(sha256: string): string {
  return `blobs/${sha256.slice(0, 2)}/${sha256.slice(2)}`
}

/** Returns the hash of an original by its path, or null for another path. */
export function hashOfPath(path: string): string | null {
  const [, prefix, rest] = ORIGINAL.exec(path) ?? []
  return prefix === undefined ? null : `${prefix}${rest!}`
}

/** True for a path that a backup can have. Every other path is refused, so that no archive can write outside of its folder. */
export function isBackupPath(path: string): boolean {
  return FILES.has(path) || hashOfPath(path) !== null
}

/** Where a backup goes: standard output, a tar file, or a folder. */
export type TargetKind = 'stdout' | 'file' | 'folder'

/** Returns null for a name that looks like another kind of archive, such as `backup.tar.gz`. */
export function targetKind(target: string): TargetKind | null {
  if (target === '-') return 'stdout'
  if (/\.tar$/i.test(target)) return 'file'
  return /\.(tgz|zip|7z|tar\.\w+|gz|zst|xz|bz2|age|gpg)$/i.test(target) ? null : 'folder'
}

/** Names a backup by its time, such as `20261124T203000123Z`. Names sort by time. */
export function snapshotName(time: Date): string {
  return time.toISOString().replaceAll(/[-:.]/g, '')
}

export function isSnapshotName(name: string): boolean {
  return /^\d{8}T\d{9}Z$/.test(name)
}

/** Joins a path of a backup, with its forward slashes, to a folder. */
export function placeIn(folder: string, path: string): string {
  if (isAbsolute(path) || path.split('/').includes('..')) throw new Error(`unsafe path in a backup: ${path}`)
  return join(folder, ...path.split('/'))
}
