import { posix } from 'node:path'

/** Which of the found files are uploaded. */
export interface Selection {
  recursive: boolean
  /** Files and folders to skip, as globs. */
  exclude: readonly string[]
  /** In bytes. */
  maxSize?: number | undefined
}

/**
 * Returns true if a glob matches the end of the path: `*.log` and `drafts/*.txt` match at any depth. A glob that ends with a slash
 * matches folders only.
 */
export function isExcluded(path: string, isFolder: boolean, globs: readonly string[]): boolean {
  return globs.some((glob) => {
    const pattern = glob.replace(/^(\.?\/)+/, '').replace(/\/+$/, '')
    if (pattern === '' || (glob.endsWith('/') && !isFolder)) return false
    return posix.matchesGlob(path, `**/${pattern}`)
  })
}
