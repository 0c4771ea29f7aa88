import type { Blobs } from '../blobs/blobs.ts'
import { receiveFiles, type IncomingFile, type IncomingFiles } from '../blobs/files.ts'
import { diskFull } from '../core/disk-errors.ts'
import { DocsearchError, isDocsearchError } from '../core/errors.ts'
import { UserSlots } from '../core/turns.ts'
import type { VisibleProject } from '../core/model.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { OnConflict, Records, Registered } from '../records/records.ts'
import { type Access, type Actor, requireScope } from './access.ts'
import type { DiskState } from './health.ts'
import type { Projects } from './projects.ts'
import { withinQuotaOf } from './usage.ts'

export type { OnConflict } from '../records/records.ts'
export type { IncomingFile, IncomingFiles } from '../blobs/files.ts'

const PROJECT_ERRORS = new Set<string>(['project_not_found', 'ambiguous_name', 'insufficient_role', 'limited_to_projects'])

/** A guess, because nobody knows when an upload will end. */
const RETRY_SECONDS = 2

/** An upload that has arrived as a whole. Its files lie in the incoming folder. */
export interface Upload {
  /** ID or name; a project with this name is created if none exists. */
  project: string
  /** Null when none were given: a document that is there already keeps its tags. */
  tags: string[] | null
  onConflict: OnConflict
  files: UploadedFile[]
}

export interface UploadedFile {
  name: string
  path: string
  received: IncomingFile
}

export interface AcceptedUpload {
  documents: Registered[]
  /** The files that were not stored, each with its place in the upload and its reason: it was refused, or the instance failed. */
  rejected: { name: string; error: unknown; at: number }[]
}

/** Every function throws `insufficient_scope`. */
export interface Uploads {
  /**
   * Begins an upload of about this many bytes. It is in flight until the caller cleans up the files, which the caller must always
   * do. Throws `disk_full` if there is no room, and `rate_limited` if the user has too many uploads in flight.
   */
  begin(actor: Actor, expectedBytes: number): Promise<IncomingFiles>
  /**
   * Queues every file of the upload for indexing. A file that is refused doesn't stop the others: it is in `rejected` with its error
   * (`invalid_name`, `too_large`, `duplicate_path`, `unsupported_type`, `empty_file`, `encrypted`, `document_exists`). When the instance
   * fails to store a file (`disk_full`, `database_busy`, …), this file and all files after it are in `rejected` with this error.
   * Throws `project_not_found`, `ambiguous_name`, `insufficient_role` and `limited_to_projects` about the project that the upload names; then nothing was stored.
   */
  accept(actor: Actor, upload: Upload): Promise<AcceptedUpload>
  /**
   * Waits until the documents are ready or failed, and returns them as they are then. `isDone` is false when the time was over or the
   * signal aborted first.
   */
  waitUntilProcessed(
    actor: Actor,
    accepted: AcceptedUpload,
    options: { timeoutMs: number; signal: AbortSignal },
  ): Promise<{ isDone: boolean; accepted: AcceptedUpload }>
}

export interface UploadsOptions {
  records: Pick<Records, 'documents'>
  blobs: Pick<Blobs, 'incoming'>
  ingest: Pick<Ingest, 'accept' | 'settled'>
  access: Access
  projects: Pick<Projects, 'findOrCreate'>
  disk(): Promise<DiskState>
  maxFileBytes: number
  /**
   * How many uploads a user may have in flight over all credentials. With `limits.request_bytes`, this bounds the incoming bytes
   * of a user.
   */
  maxUploadsInFlight: number
}

export function createUploads(options: UploadsOptions): Uploads {
  const { records, blobs, ingest, access, projects, disk, maxFileBytes, maxUploadsInFlight } = options
  const slots = new UserSlots(maxUploadsInFlight)
  return {
    async begin(actor, expectedBytes) {
      requireScope(actor, 'write:documents')
      // Health reports that there is little room. Here only an upload that can't fit is refused.
      const { freeBytes } = await disk()
      if (freeBytes !== null && freeBytes <= expectedBytes) throw diskFull()
      const release = slots.take(actor.userId)
      if (release === null) throw tooManyInFlight(maxUploadsInFlight)
      const files = receiveFiles(blobs.incoming, maxFileBytes)
      return { receive: files.receive, clean: () => files.clean().finally(release) }
    },

    async accept(actor, { project, tags, onConflict, files }) {
      requireScope(actor, 'write:documents')
      const uploaderId = actor.userId
      const accepted: AcceptedUpload = { documents: [], rejected: [] }
      const hashes = new Map<string, string>()
      let found: VisibleProject | null = null
      let failure: { error: unknown } | null = null
      for (const [at, { name, path, received }] of files.entries()) {
        try {
          // The next file would most likely fail as well, perhaps only after a long wait.
          if (failure !== null) throw failure.error
          checkFile({ name, path, received }, hashes, maxFileBytes)
          found ??= await projects.findOrCreate(actor, project)
          const { id: projectId, ownerId } = found
          const { file, sha256, sizeBytes } = received
          accepted.documents.push(
            await withinQuotaOf(ownerId, actor, () =>
              ingest.accept({ ownerId, uploaderId, projectId, file, sha256, sizeBytes, name, path, tags, onConflict }),
            ),
          )
        } catch (error) {
          // Every other error is about one file. Earlier files may be stored already, so the answer lists each file.
          if (found === null && isAboutProject(error)) throw error
          if (!isRefusal(error)) failure = { error }
          accepted.rejected.push({ name: showFileName(name), error, at })
        }
      }
      return accepted
    },

    async waitUntilProcessed(actor, { documents, rejected }, { timeoutMs, signal }) {
      const ids = documents.map(({ document }) => document.id)
      const projectIds = new Set(documents.map(({ document }) => document.projectId))
      const isDone = await ingest.settled(projectIds, ids, timeoutMs, signal)
      const now = await records.documents.getMany((await access.toWrite(actor)).ids, ids)
      const current = documents.map((one) => ({ ...one, document: now.get(one.document.id) ?? one.document }))
      return { isDone, accepted: { documents: current, rejected } }
    },
  }
}

function tooManyInFlight(limit: number): DocsearchError {
  return new DocsearchError(
    'rate_limited',
    `You have reached the limit of ${limit} uploads in flight, over all keys and applications (limits.uploads_in_flight). Try again when one of them has ended.`,
    { retryAfter: RETRY_SECONDS, details: { limit } },
  )
}

/** `size` is missing while the rest of the file has not arrived. */
export function fileTooLarge(limit: number, size?: number): DocsearchError {
  const has = size === undefined ? 'is longer than' : `has ${size} bytes, more than`
  return new DocsearchError(
    'too_large',
    `The file ${has} the limit of ${limit} bytes. Split it, or raise limits.file_bytes on the instance.`,
    { details: { limit } },
  )
}

/** `hashes` holds the SHA-256 of the files before this one, by path. */
function checkFile({ name, path, received }: UploadedFile, hashes: Map<string, string>, maxFileBytes: number): void {
  const fault = fileNameFault(name)
  if (fault !== null) throw new DocsearchError('invalid_name', fault)
  if (received.isTooLarge) throw fileTooLarge(maxFileBytes, received.sizeBytes)
  const before = hashes.get(path)
  // Otherwise the second file would replace the first, which would then be lost without notice.
  if (before !== undefined && before !== received.sha256) {
    throw new DocsearchError(
      'duplicate_path',
      `Another file of this request has the path ${JSON.stringify(showFileName(path))}. Send a \`path\` for each file.`,
    )
  }
  hashes.set(path, received.sha256)
}

/**
 * Returns true for an error about one file. Any other error, or a project that was deleted in the meantime, also affects the
 * files after it.
 */
function isRefusal(error: unknown): boolean {
  return isDocsearchError(error) && error.fault === 'user' && !isAboutProject(error)
}

/** Returns true when the user may not upload to the project, or no longer. */
function isAboutProject(error: unknown): boolean {
  return isDocsearchError(error) && PROJECT_ERRORS.has(error.code)
}

const MAX_CHARACTERS = 1000
const CONTROL = /\p{Cc}/u

/** Returns what is wrong with a file name, as a sentence; null when nothing is. */
function fileNameFault(name: string): string | null {
  if (name === '' || name === '.' || name === '..') return 'The file has no name.'
  if (CONTROL.test(name)) return 'The file name has control characters. Rename the file.'
  if (name.length > MAX_CHARACTERS) return `The file name has ${name.length} characters; the limit is ${MAX_CHARACTERS}.`
  return null
}

/** Makes a refused name fit to be shown. */
function showFileName(name: string): string {
  return name.replaceAll(/\p{Cc}/gu, '\u{FFFD}').slice(0, 200)
}
