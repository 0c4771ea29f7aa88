import { setImmediate } from 'node:timers/promises'
import type { DocsearchError } from '../core/errors.ts'
import type { DocumentRecord } from '../core/model.ts'
import { documentExists } from '../records/errors.ts'
import type { OnConflict, Records } from '../records/records.ts'
import type { Actor } from './access.ts'
import type { Projects } from './projects.ts'
import { fileTooLarge } from './uploads.ts'

/** The files of an upload before they are sent. Each path occurs once. */
export interface ProposedUpload {
  /** ID or name. */
  project: string
  /** Null when the upload has no tags. */
  tags: string[] | null
  onConflict: OnConflict
  files: ProposedFile[]
}

export interface ProposedFile {
  path: string
  sha256: string
  sizeBytes: number
}

/** What the upload of one file would do. */
export interface PlannedFile {
  path: string
  /** Compares the file with what the project has at its path. */
  state: 'new' | 'changed' | 'unchanged'
  /** False if uploading the file would change nothing. */
  isNeeded: boolean
  /** Why the upload would refuse the file. */
  error: DocsearchError | null
  /** The document of an unchanged file. Others are not told, because the actor may lack the scope to read them. */
  document: DocumentRecord | null
}

export interface UploadPlans {
  /**
   * Says what an upload would do, in the order of its files. Throws `insufficient_scope`, `project_not_found`, `ambiguous_name` and
   * `insufficient_role`.
   */
  plan(actor: Actor, upload: ProposedUpload): Promise<PlannedFile[]>
}

/** Other requests get a turn after this many files. */
const FILES_AT_ONCE = 100

export function createUploadPlans(options: {
  records: Pick<Records, 'documents' | 'originals'>
  projects: Pick<Projects, 'findForUpload'>
  maxFileBytes: number
}): UploadPlans {
  const { projects, maxFileBytes } = options
  const { documents, originals } = options.records

  /** Returns the documents that an upload would find, by the path of the file. */
  async function findEach(projectId: string, files: readonly ProposedFile[], onConflict: OnConflict) {
    const found = await documents.atPaths(
      projectId,
      files.map(({ path }) => path),
    )
    if (onConflict !== 'keep') return found
    for (const file of files) {
      const document = found.get(file.path)
      if (document === undefined || document.sha256 === file.sha256) continue
      const copy = await documents.numberedCopy(projectId, file)
      if (copy !== null) found.set(file.path, copy)
    }
    return found
  }

  return {
    async plan(actor, upload) {
      const projectId = (await projects.findForUpload(actor, upload.project))?.id ?? null
      const planned: PlannedFile[] = []
      for (let i = 0; i < upload.files.length; i += FILES_AT_ONCE) {
        const files = upload.files.slice(i, i + FILES_AT_ONCE)
        const found = projectId === null ? null : await findEach(projectId, files, upload.onConflict)
        const damaged = await originals.damagedAmong(files.map(({ sha256 }) => sha256))
        for (const file of files) {
          const plan = planFile(file, found?.get(file.path) ?? null, upload, maxFileBytes)
          // The bytes of an unchanged file are needed again if the original is damaged.
          planned.push(plan.state === 'unchanged' && damaged.has(file.sha256) ? { ...plan, isNeeded: true } : plan)
        }
        await setImmediate()
      }
      return planned
    },
  }
}

/** Follows the rules of `Documents.register` in records/. */
function planFile(
  file: ProposedFile,
  existing: DocumentRecord | null,
  { onConflict, tags }: ProposedUpload,
  maxFileBytes: number,
): PlannedFile {
  const { path } = file
  if (existing?.sha256 === file.sha256) {
    const hasNewTags = onConflict === 'replace' && tags !== null && JSON.stringify(tags) !== JSON.stringify(existing.tags)
    return { path, state: 'unchanged', isNeeded: existing.status === 'failed' || hasNewTags, error: null, document: existing }
  }
  const state = existing === null ? 'new' : 'changed'
  const error = refusalOf(file, existing, onConflict, maxFileBytes)
  return { path, state, isNeeded: error === null, error, document: null }
}

function refusalOf(
  { path, sizeBytes }: ProposedFile,
  existing: DocumentRecord | null,
  onConflict: OnConflict,
  maxFileBytes: number,
): DocsearchError | null {
  if (sizeBytes > maxFileBytes) return fileTooLarge(maxFileBytes, sizeBytes)
  return existing !== null && onConflict === 'error' ? documentExists(path, existing.id) : null
}
