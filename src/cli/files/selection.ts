import { posix } from 'node:path'
import { bytes, flag, option, repeatable, text } from '../options.ts'

/** Which of the found files are taken. */
export interface Selection {
  recursive: boolean
  /** Files and folders to skip, as globs. */
  exclude: readonly string[]
  /** In bytes. */
  maxSize?: number | undefined
  /** Whether files named .gitignore count. */
  gitignore: boolean
  /** Whether links that lead out of the folder are followed. */
  followLinks: boolean
}

/** The options that `upload` and `sync` share. */
export const selectionOptions = {
  exclude: repeatable(text('-x, --exclude <glob>', 'Skip files and folders that match, at any depth; repeatable')),
  maxSize: option('--max-size <size>', 'Skip larger files, such as 500kB, 20MB or 1GB', bytes),
  gitignore: flag('--no-gitignore', "Don't skip files that .gitignore names"),
  followLinks: flag('--follow-links', 'Follow symbolic links that lead out of the folder'),
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
