import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Document } from '../../../contract/documents.ts'

export const MANIFEST = 'manifest.jsonl'
/** Says that a folder is an export, and whether it is complete. */
export const ABOUT = 'export.json'
/** The folder of the originals. */
export const FILES = 'files'
export const FORMAT = 'docsearch-export'
const VERSION = 1

/** A line of the manifest. docs/export.md describes it. */
export interface ManifestEntry {
  path: string
  /** Below `files/`, with slashes. */
  file: string
  name: string
  title: string | null
  /** The title that a user gave, if any; `title` is then the same. */
  given_title: string | null
  tags: string[]
  sha256: string
  size_bytes: number
  media_type: string
  created_at: string
  updated_at: string
  document_id: string
}

export interface About {
  format: typeof FORMAT
  version: number
  server: string
  project: { id: string; name: string }
  exported_at: string
  documents: number
  /** False while an export runs, and after one that failed in part. */
  complete: boolean
  /** Files of documents that the project no longer has, as an earlier export wrote them. */
  leftovers: readonly Leftover[]
}

export type Leftover = Pick<ManifestEntry, 'file' | 'sha256'>

export function entryOf(document: Document, file: string): ManifestEntry {
  const { path, name, title, parse, tags, sha256, size_bytes, media_type, created_at, updated_at, id } = document
  return {
    path,
    file,
    name,
    title,
    given_title: parse.given_title ?? null,
    tags,
    sha256,
    size_bytes,
    media_type,
    created_at,
    updated_at,
    document_id: id,
  }
}

export function about(facts: Omit<About, 'format' | 'version'>): About {
  return { format: FORMAT, version: VERSION, ...facts }
}

/** Returns null for a folder that is not an export. Throws errors of the file system, and SyntaxError for a damaged file. */
export async function readAbout(folder: string): Promise<About | null> {
  const text = await readFile(join(folder, ABOUT), 'utf8').catch(ignoreMissing)
  if (text === null) return null
  const value = JSON.parse(text) as Partial<About>
  return value.format === FORMAT ? (value as About) : null
}

/** Yields the entries of a manifest. For a line that is not an entry, yields the line number. Yields nothing when there is no manifest. */
export async function* readManifest(folder: string): AsyncGenerator<ManifestEntry | { line: number }> {
  const handle = await open(join(folder, MANIFEST)).catch(ignoreMissing)
  if (handle === null) return
  try {
    let line = 0
    for await (const text of handle.readLines({ encoding: 'utf8' })) {
      line++
      if (text.trim() !== '') yield parseEntry(text) ?? { line }
    }
  } finally {
    await handle.close()
  }
}

function parseEntry(text: string): ManifestEntry | null {
  let value: Partial<Record<keyof ManifestEntry, unknown>> | null
  try {
    value = JSON.parse(text) as typeof value
  } catch {
    // The caller reports the line.
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const { path, file, name, sha256, size_bytes: size, tags, given_title: given } = value
  const isEntry =
    typeof path === 'string' &&
    typeof file === 'string' &&
    typeof sha256 === 'string' &&
    (size === undefined || typeof size === 'number') &&
    (tags === undefined || (Array.isArray(tags) && tags.every((tag) => typeof tag === 'string')))
  if (!isEntry) return null
  return {
    ...(value as unknown as ManifestEntry),
    name: typeof name === 'string' ? name : path.slice(path.lastIndexOf('/') + 1),
    tags: tags ?? [],
    given_title: typeof given === 'string' ? given : null,
  }
}

/** Replaces a file in one step, so that an interrupted export leaves the earlier file. */
export async function replaceFile(file: string, lines: Iterable<string>): Promise<void> {
  const part = `${file}.part`
  const handle = await open(part, 'w')
  try {
    for (const line of lines) await handle.write(line)
    await handle.sync()
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  await rename(part, file)
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
