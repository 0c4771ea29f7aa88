import type { Stats } from 'node:fs'
import { posix } from 'node:path'
import { bytes, flag, option, repeatable, text } from '../options.ts'
import type { IgnoreRules } from './ignore-rules.ts'
import type { FilePath } from './paths.ts'

export interface FoundFile {
  /** The file to read. */
  file: FilePath
  /** Identity of the document: the file's name, or its path from the named folder on. Always with slashes. */
  path: string
  /** The path that version 0.1.0 gave the document: without the folder's name, or as the user wrote it. */
  earlierPath: string
  name: string
  size: number
  /** How the file was when it was found; undefined for standard input. */
  stats?: Stats
  /** Tags of this file, instead of those of the whole upload. */
  tags?: readonly string[]
  /** Whether the user named the file itself, not a folder that contains it. */
  isNamed: boolean
}

export interface Refusal {
  path: string
  name: string
  code: string
  message: string
  /** True if the file has text that docsearch could read in another format. */
  convertible?: boolean | undefined
}

/** Why a file that was named or found can't be read. */
export type LocalRefusalCode = 'not_there' | 'unreadable' | 'not_a_file' | 'invalid_name'

/** What was left out of the folders, without being a failure. */
export interface Skipped {
  /** Subfolders, without --recursive. */
  subfolders: number
  /** Files and folders that match --exclude. */
  excluded: number
  /** Files and folders that a file of ignore rules names. */
  ignored: number
  /** Paths of files larger than --max-size. */
  tooLarge: string[]
  /** Paths of links that lead out of the folder. */
  links: string[]
  /** Paths of folders that mark themselves as caches. */
  caches: string[]
}

export interface FoundFiles {
  files: FoundFile[]
  /** Files that were named or found but can't be read. */
  refused: (Refusal & { code: LocalRefusalCode })[]
  skipped: Skipped
  /** The rules of each folder that was looked into, by its path in the walk. For folders that are named. */
  rules: Map<string, IgnoreRules>
}

export function nothingFound(): FoundFiles {
  const skipped: Skipped = { subfolders: 0, excluded: 0, ignored: 0, tooLarge: [], links: [], caches: [] }
  return { files: [], refused: [], skipped, rules: new Map() }
}

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
