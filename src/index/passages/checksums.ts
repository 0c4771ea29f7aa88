import { createHash } from 'node:crypto'
import { appendFile, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { crc32 } from 'node:zlib'
import type { OnRead } from '../passage-table.ts'
import { newestManifest, readNewestVersion, readVersion, type TableVersion } from './manifest.ts'

const BUFFER_BYTES = 256 * 1024
/** If the list has more lines of deleted files than this, docsearch writes the list again. */
const MAX_OLD_LINES = 2_000

/** A file whose bytes have changed since LanceDB wrote it. */
export interface ChangedFile {
  /** Relative to the folder of the table. */
  file: string
  /** The fragment that it belongs to. Null for the manifest, which concerns the whole table. */
  fragment: number | null
}

interface Listed {
  hashes: Map<string, string>
  lines: number
  /** Lines that are damaged. Their files count as not listed. */
  damagedLines: number
}

/** The path of the list with the checksums of a table's files. It is next to the folder of the table, because LanceDB cleans up inside. */
export function checksumsFile(folder: string): string {
  return folder.replace(/\.lance$/, '.checksums')
}

/**
 * The SHA-256 of each file of a LanceDB table that is in use. LanceDB has no checksums, but it never changes a file. So a file that differs from its
 * first hash is damaged. docsearch hashes a file soon after the commit that wrote it, not during the commit. A power cut can lose the newest lines of
 * the list. docsearch then hashes these files again.
 */
export class Checksums {
  readonly #folder: string
  #listed: Listed | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Reads the list of an earlier process, and removes files that are gone. Call this before LanceDB writes: a power cut can take the newest version
   * of a table, and then LanceDB uses the name of its manifest again.
   */
  async load(): Promise<void> {
    const listed = await readList(this.#path)
    const entries = await readdir(this.#folder, { recursive: true, withFileTypes: true })
    const there = new Set(entries.map((entry) => relative(this.#folder, join(entry.parentPath, entry.name))))
    this.#listed = listed
    const kept = [...listed.hashes.keys()].filter((file) => there.has(file))
    if (kept.length < listed.lines) await this.#rewrite(kept)
  }

  /** Adds the files in use that are not in the list yet. */
  async update(onRead: OnRead): Promise<void> {
    if (this.#listed === null) await this.load()
    const { hashes, lines } = this.#listed!
    const inUse = filesOf(await readNewestVersion(this.#folder)).map(({ file }) => file)
    const added: [file: string, hash: string][] = []
    for (const file of inUse) {
      const hash = hashes.has(file) ? null : await hashOf(join(this.#folder, file), onRead)
      // A compaction may have deleted the file.
      if (hash !== null) added.push([file, hash])
    }
    if (added.length === 0) return
    try {
      await appendFile(this.#path, added.map(lineOf).join(''), { mode: 0o600 })
    } catch (error) {
      // A full disk may have cut off a line.
      this.#listed = null
      throw error
    }
    for (const [file, hash] of added) hashes.set(file, hash)
    this.#listed!.lines = lines + added.length
    if (this.#listed!.lines > inUse.length + MAX_OLD_LINES) await this.#rewrite(inUse)
  }

  async #rewrite(files: readonly string[]): Promise<void> {
    const { hashes } = this.#listed!
    const kept = files.flatMap((file): [string, string][] => (hashes.has(file) ? [[file, hashes.get(file)!]] : []))
    const path = `${this.#path}.new`
    await rm(path, { force: true })
    await appendFile(path, kept.map(lineOf).join(''), { mode: 0o600 })
    await rename(path, this.#path)
    this.#listed = { hashes: new Map(kept), lines: kept.length, damagedLines: 0 }
  }

  get #path(): string {
    return checksumsFile(this.#folder)
  }
}

/** The result of comparing the newest manifest and the files that it names with the list of checksums. */
export interface VerifiedManifest {
  /** The manifest, if it differs from its checksum. */
  changedManifest: string | null
  /** How many files in use have no checksum yet. Zero if the manifest has changed, because it names these files. */
  unlisted: number
  /** How many lines of the list are damaged. */
  damagedLines: number
}

/**
 * Compares only the newest manifest of a table with its checksum. Throws `index_corrupt` if the manifest can't be read, and has no checksum that
 * could tell that it has changed.
 */
export async function verifyManifest(folder: string): Promise<VerifiedManifest> {
  const manifest = await newestManifest(folder)
  const { hashes, damagedLines } = await readList(checksumsFile(folder))
  if (await hasChanged(folder, manifest, { hashes })) return { changedManifest: manifest, unlisted: 0, damagedLines }
  const unlisted = filesOf(await readVersion(folder, manifest)).filter(({ file }) => !hashes.has(file)).length
  return { changedManifest: null, unlisted, damagedLines }
}

/** Reads every file that a table uses, and returns those that differ from their checksums. LanceDB may write to the table meanwhile. */
export async function findChangedFiles(folder: string, onRead: OnRead): Promise<ChangedFile[]> {
  const { hashes } = await readList(checksumsFile(folder))
  const changed: ChangedFile[] = []
  for (const one of filesOf(await readNewestVersion(folder)))
    if (await hasChanged(folder, one.file, { hashes, onRead })) changed.push(one)
  return changed
}

async function hasChanged(
  folder: string,
  file: string,
  { hashes, onRead = () => {} }: Pick<Listed, 'hashes'> & { onRead?: OnRead },
): Promise<boolean> {
  const expected = hashes.get(file)
  if (expected === undefined) return false
  const found = await hashOf(join(folder, file), onRead)
  // A compaction may have deleted the file since its name was read.
  return found !== null && found !== expected
}

function filesOf({ file, fragments }: TableVersion): ChangedFile[] {
  return [{ file, fragment: null }, ...fragments.flatMap(({ id, files }) => files.map((file) => ({ file, fragment: id })))]
}

/** Each line has its own check, so that damage to the list doesn't look like damage to a file. */
function lineOf([file, hash]: readonly [file: string, hash: string]): string {
  const line = `${hash} ${file}`
  return `${line} ${checkOf(line)}\n`
}

function checkOf(line: string): string {
  return crc32(line).toString(16).padStart(8, '0')
}

async function readList(path: string): Promise<Listed> {
  const text = await readFile(path, 'utf8').catch(ignoreMissing)
  const listed: Listed = { hashes: new Map(), lines: 0, damagedLines: 0 }
  for (const line of text?.split('\n') ?? []) {
    if (line === '') continue
    listed.lines++
    const [, content = '', hash = '', file = '', check] = /^(([0-9a-f]{64}) (.+)) ([0-9a-f]{8})$/.exec(line) ?? []
    if (check === undefined || checkOf(content) !== check) listed.damagedLines++
    else listed.hashes.set(file, hash)
  }
  return listed
}

/** Returns null for a file that is gone. */
async function hashOf(path: string, onRead: OnRead): Promise<string | null> {
  const handle = await open(path).catch(ignoreMissing)
  if (handle === null) return null
  try {
    const hash = createHash('sha256')
    const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null)
      if (bytesRead === 0) return hash.digest('hex')
      hash.update(buffer.subarray(0, bytesRead))
      await onRead(bytesRead)
    }
  } finally {
    await handle.close()
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
