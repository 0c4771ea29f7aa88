import { mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Client } from '../../../client/client.ts'
import { ClientError, reasonOf } from '../../../client/errors.ts'
import type { Document } from '../../../contract/documents.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import type { Context } from '../../context.ts'
import { download } from '../../download.ts'
import { cancelled, EXIT, PartialFailure, usage } from '../../exit.ts'
import type { Refusal } from '../../files/found.ts'
import { hashOfFile } from '../../files/hash.ts'
import { count } from '../../view/style.ts'
import { createBar } from '../../view/progress-bar.ts'
import { collectPages } from '../find.ts'
import { patiently } from '../upload/patience.ts'
import { reportProblems } from '../upload/result.ts'
import {
  about,
  ABOUT,
  entryOf,
  FILES,
  type Leftover,
  type ManifestEntry,
  MANIFEST,
  readAbout,
  readManifest,
  replaceFile,
} from './manifest.ts'
import { createHash } from 'node:crypto'

export interface ExportRequest {
  folder: string
  /** ID or name. */
  project: string
  prunes: boolean
}

interface Item {
  document: Document
  /** Below the folder of the files, with slashes. */
  file: string
}

interface Outcome {
  entries: ManifestEntry[]
  downloaded: number
  downloadedBytes: number
  refused: Refusal[]
}

const PARALLEL = 4
const FILE_MODE = 0o700

/** Downloads what the folder lacks, and writes the manifest. Returns the exit code. */
export async function exportProject(context: Context, { folder, project, prunes }: ExportRequest): Promise<number> {
  const client = await context.client()
  const { id, name } = await client.projects.get(project)
  const { earlier, leftovers: known } = await prepareFolder(folder, id)
  const documents = await listAll(client, id)
  const items = placeAll(documents, earlier)
  const facts = { server: client.address, project: { id, name }, exported_at: new Date().toISOString() }
  await writing(folder, () =>
    replaceFile(join(folder, ABOUT), [json(about({ ...facts, documents: items.length, complete: false, leftovers: known }))]),
  )
  const outcome = await downloadAll(context, client, { folder, items })
  const files = new Set(items.map(({ file }) => file))
  const gone = [...known, ...earlier.values()].filter(({ file }) => !files.has(file))
  const leftovers = prunes && outcome.refused.length === 0 && !context.io.signal.aborted ? await deleteGone(folder, gone) : gone
  const isComplete = outcome.refused.length === 0 && !context.io.signal.aborted
  const kept = isComplete ? outcome.entries : [...outcome.entries, ...missingFrom(outcome.entries, earlier)]
  const lines = kept.toSorted((a, b) => (a.path < b.path ? -1 : 1)).map(json)
  await writing(folder, () => replaceFile(join(folder, MANIFEST), lines))
  if (context.io.signal.aborted)
    throw cancelled(
      `Cancelled. ${outcome.entries.length} of ${count(items.length, 'document')} are exported. To continue, run the command again.`,
    )
  await writing(folder, () =>
    replaceFile(join(folder, ABOUT), [
      json(about({ ...facts, documents: outcome.entries.length, complete: isComplete, leftovers: leftovers.map(toLeftover) })),
    ]),
  )
  report(context, { folder, outcome, items, gone: leftovers.length, deleted: gone.length - leftovers.length })
  return EXIT.done
}

/** Returns what an earlier export of the project wrote, by document. Throws a usage error for a folder that has something else. */
async function prepareFolder(
  folder: string,
  project: string,
): Promise<{ earlier: Map<string, ManifestEntry>; leftovers: readonly Leftover[] }> {
  await writing(folder, () => mkdir(folder, { recursive: true, mode: FILE_MODE }))
  const names = await writing(folder, () => readdir(folder))
  const earlier = new Map<string, ManifestEntry>()
  if (names.every((name) => name.startsWith('.'))) return { earlier, leftovers: [] }
  const found = await readAbout(folder).catch((error: Error) => {
    // Not the file of an export.
    if (error instanceof SyntaxError) return null
    throw error
  })
  if (found === null) throw usage(`${folder} is not empty and has no export. Name a new or empty folder.`)
  if (found.project.id !== project)
    throw usage(`${folder} has an export of the project ${found.project.name}. Name another folder for this project.`)
  for await (const entry of readManifest(folder)) if (!('line' in entry)) earlier.set(entry.document_id, entry)
  return { earlier, leftovers: found.leftovers ?? [] }
}

/** Attachments are part of the file of their message. */
function listAll(client: Client, project: string): Promise<Document[]> {
  return collectPages(undefined, async (page) => {
    const { documents, next_cursor: next } = await client.documents.list({ project, ...page })
    return { items: documents.filter(({ parent_id: parent }) => (parent ?? null) === null), next }
  })
}

/** Chooses a file for each document: the one of the earlier export, unless its path has changed. */
function placeAll(documents: readonly Document[], earlier: ReadonlyMap<string, ManifestEntry>): Item[] {
  const names = new FileNames()
  const inOrder = documents.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const kept = new Map<string, string>()
  for (const { id, path } of inOrder) {
    const before = earlier.get(id)
    if (before?.path === path && names.keep(before.file)) kept.set(id, before.file)
  }
  return inOrder.map((document) => ({ document, file: kept.get(document.id) ?? names.fileFor(document.path) }))
}

async function downloadAll(
  context: Context,
  client: Client,
  { folder, items }: { folder: string; items: readonly Item[] },
): Promise<Outcome> {
  const { signal } = context.io
  const outcome: Outcome = { entries: [], downloaded: 0, downloadedBytes: 0, refused: [] }
  const total = items.reduce((sum, { document }) => sum + document.size_bytes, 0)
  const bar = createBar(context)
  const left = [...items]
  let done = 0
  async function worker(): Promise<void> {
    for (let item = left.shift(); item !== undefined && !signal.aborted; item = left.shift()) {
      await one(item)
      done += item.document.size_bytes
      bar.show('Exporting', done, total, `${formatBytes(done)} of ${formatBytes(total)}`)
    }
  }
  async function one({ document, file }: Item): Promise<void> {
    const target = join(folder, FILES, ...file.split('/'))
    try {
      if ((await hashOfFile(target)) !== document.sha256) {
        await writing(folder, () => mkdir(dirname(target), { recursive: true, mode: FILE_MODE }))
        const get = () => download(client, document, target, { force: true, signal })
        await patiently(get, signal, (seconds, reason) => context.notice(`Waiting ${seconds} s: ${reason}`))
        outcome.downloaded++
        outcome.downloadedBytes += document.size_bytes
      }
      outcome.entries.push(entryOf(document, file))
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof ClientError) || !concernsOne(error)) throw error
      outcome.refused.push({ path: document.path, name: document.name, code: error.shownCode, message: error.detail })
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(PARALLEL, left.length) }, worker))
  } finally {
    bar.stop()
  }
  return outcome
}

/** True when the original of this document is missing or damaged, or somebody has just deleted the document. */
function concernsOne({ status, code }: ClientError): boolean {
  return status === 404 || code === 'blob_missing' || code === 'invalid_answer'
}

/** What an earlier export wrote stays in the manifest while this one is incomplete. */
function missingFrom(entries: readonly ManifestEntry[], earlier: ReadonlyMap<string, ManifestEntry>): ManifestEntry[] {
  const [ids, files] = [new Set(entries.map((entry) => entry.document_id)), new Set(entries.map((entry) => entry.file))]
  return [...earlier.values()].filter((entry) => !ids.has(entry.document_id) && !files.has(entry.file))
}

/** Deletes files that are as the earlier export wrote them. Returns the others. */
async function deleteGone(folder: string, gone: readonly Leftover[]): Promise<Leftover[]> {
  const left: Leftover[] = []
  for (const leftover of gone) {
    // A changed manifest could name a file outside of the folder.
    const isInside = new FileNames().keep(leftover.file)
    const target = join(folder, FILES, ...leftover.file.split('/'))
    const hash = isInside ? await hashOfFile(target) : null
    if (hash === leftover.sha256) await rm(target, { force: true })
    else if (hash !== null) left.push(leftover)
  }
  return left
}

function toLeftover({ file, sha256 }: Leftover): Leftover {
  return { file, sha256 }
}

function report(
  context: Context,
  {
    folder,
    outcome,
    items,
    gone,
    deleted,
  }: { folder: string; outcome: Outcome; items: readonly Item[]; gone: number; deleted: number },
): void {
  const { entries, downloaded, downloadedBytes: bytes, refused } = outcome
  const present = entries.length - downloaded
  if (context.json)
    context.printJson({ folder, documents: entries.length, downloaded, bytes, present, deleted, gone, rejected: refused })
  context.notice(
    `${count(entries.length, 'document')} in ${folder}: ${downloaded} downloaded (${formatBytes(bytes)}), ${present} already there.`,
  )
  if (deleted > 0) context.notice(`Deleted ${count(deleted, 'file')} of documents that the project no longer has.`)
  if (gone > 0)
    context.notice(
      `${count(gone, 'file')} of an earlier export ${gone === 1 ? 'has' : 'have'} no document any more. --prune deletes such files.`,
    )
  if (refused.length === 0) return
  reportProblems(context, [], refused)
  throw new PartialFailure(`${refused.length} of ${count(items.length, 'document')} could not be exported.`)
}

function json(value: object): string {
  return `${JSON.stringify(value)}\n`
}

/** Explains why the folder can't be written. */
async function writing<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    throw usage(`Cannot write to ${folder}: ${reasonOf(error)}.`)
  }
}

/** Names that Windows reserves for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i
// oxlint-disable-next-line no-control-regex -- file systems refuse control characters
const REFUSED = /[\u0000-\u001f\u007f<>:"|?*\\]/g
/** File systems allow 255 bytes for a name. Other programs add suffixes of their own. */
const MAX_NAME_BYTES = 200
const MAX_SUFFIX_BYTES = 40
const MAX_DEPTH = 50

/**
 * Gives each document path a file path that every file system accepts. Two documents never get the same file, even where letter case and the form
 * of accents make no difference, and no path is both a folder and a file.
 */
export class FileNames {
  readonly #files = new Set<string>()
  readonly #folders = new Set<string>()

  /** Keeps the file of an earlier export, unless it is taken. Returns whether it is kept. */
  keep(file: string): boolean {
    return safePath(file) === file && this.#take(file)
  }

  /** Returns a path with slashes. */
  fileFor(path: string): string {
    const safe = safePath(path)
    if (this.#take(safe)) return safe
    for (let attempt = 0; ; attempt++) {
      const file = withSuffix(safe, suffixOf(path, attempt), this.#firstTaken(safe))
      if (this.#take(file)) return file
    }
  }

  /** Returns which part of a path can't be used: a folder that is a file already, or else the name. */
  #firstTaken(file: string): number {
    const folders = parentsOf(keyOf(file))
    const taken = folders.findIndex((folder) => this.#files.has(folder))
    return taken === -1 ? folders.length : taken
  }

  #take(file: string): boolean {
    const key = keyOf(file)
    const folders = parentsOf(key)
    if (this.#files.has(key) || this.#folders.has(key) || folders.some((folder) => this.#files.has(folder))) return false
    this.#files.add(key)
    for (const folder of folders) this.#folders.add(folder)
    return true
  }
}

/** Returns a key that is the same for two paths if some file system treats them as one. */
function keyOf(file: string): string {
  return file.normalize('NFKC').toUpperCase().toLowerCase()
}

function parentsOf(file: string): string[] {
  const parts = file.split('/')
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'))
}

function safePath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '')
  const kept = parts.length <= MAX_DEPTH ? parts : [...parts.slice(0, MAX_DEPTH - 1), parts.at(-1)!]
  return kept.length === 0 ? '_' : kept.map(safeName).join('/')
}

function safeName(name: string): string {
  const plain = name.normalize('NFC').toWellFormed().replace(REFUSED, '_')
  // Windows drops dots and spaces at the end. Names that begin with a dot are hidden, and `..` is another folder.
  const visible = plain.replace(/^\.+/, (dots) => '_'.repeat(dots.length)).replace(/[. ]+$/, (end) => '_'.repeat(end.length))
  const named = DEVICE.test(visible) ? `_${visible}` : visible
  return shortened(named === '' ? '_' : named, MAX_NAME_BYTES)
}

/** Cuts a name before its extension, and never within a character. */
function shortened(name: string, maxBytes: number): string {
  if (Buffer.byteLength(name) <= maxBytes) return name
  const extension = extensionOf(name)
  let stem = name.slice(0, name.length - extension.length)
  while (Buffer.byteLength(stem + extension) > maxBytes) stem = [...stem].slice(0, -1).join('')
  return stem.replace(/[. ]+$/, '_') + extension
}

function extensionOf(name: string): string {
  const extension = /(?<=[^.])\.[^. ]{1,16}$/.exec(name)?.[0] ?? ''
  return extension
}

/** Adds a suffix to one part of a path, before its extension. */
function withSuffix(file: string, suffix: string, part: number): string {
  const parts = file.split('/')
  const name = parts[part]!
  const extension = extensionOf(name)
  const stem = name.slice(0, name.length - extension.length)
  parts[part] = shortened(stem, MAX_NAME_BYTES - MAX_SUFFIX_BYTES) + suffix + extension
  return parts.join('/')
}

/** The same path always gets the same suffix, so that another export changes no names. */
function suffixOf(path: string, attempt: number): string {
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 8)
  return attempt === 0 ? ` (${hash})` : ` (${hash}-${attempt})`
}
