import type { UploadAnswer } from '../../../contract/documents.ts'
import { looksLikeProjectId } from '../../../contract/projects.ts'
import { DocsearchError, isDocsearchError, type ErrorCode } from '../../../core/errors.ts'
import type { DocumentRecord, Principal } from '../../../core/model.ts'
import type { UploadOutcome } from '../../../records/records.ts'
import { fail, statusOf } from '../../problems.ts'
import type { Services } from '../../services.ts'
import { findProjectId } from '../projects/find.ts'
import type { Upload } from './body.ts'
import { nameFault, showName } from './names.ts'

export interface Accepted {
  documents: { document: DocumentRecord; outcome: UploadOutcome }[]
  rejected: (UploadAnswer['rejected'][number] & { code: ErrorCode })[]
}

type File = Upload['files'][number]

/** Hands every file of a whole request to ingest. One that is refused does not stop the others; anything else that fails does. */
export async function acceptFiles(services: Services, caller: Principal, upload: Upload): Promise<Accepted> {
  const accepted: Accepted = { documents: [], rejected: [] }
  const hashes = new Map<string, string>()
  let projectId: string | null = null
  for (const file of upload.files) {
    try {
      checkFile(file, hashes, services.http.limits.fileBytes)
      projectId ??= await projectFor(services, caller, upload.project)
      const { received } = file
      accepted.documents.push(
        await services.ingest.accept({
          ownerId: caller.userId,
          projectId,
          file: received.file,
          sha256: received.sha256,
          sizeBytes: received.sizeBytes,
          name: file.name,
          path: file.path,
          tags: upload.tags,
          onConflict: upload.onConflict,
        }),
      )
    } catch (error) {
      if (!isRefusal(error)) throw error
      accepted.rejected.push({ name: showName(file.name), code: error.code, message: error.message })
    }
  }
  return accepted
}

function checkFile(file: File, hashes: Map<string, string>, fileBytes: number): void {
  const { name, path, received } = file
  const fault = nameFault(name)
  if (fault !== null) throw fail('invalid_name', fault)
  if (received.isTooLarge)
    throw fail(
      'too_large',
      `The file has ${received.sizeBytes} bytes, the limit is ${fileBytes}. Split it, or raise limits.file_bytes on the instance.`,
    )
  const before = hashes.get(path)
  // Else the second would replace the first, and a file that was sent would be gone without a word.
  if (before !== undefined && before !== received.sha256) {
    throw fail(
      'duplicate_path',
      `Another file of this request has the path ${JSON.stringify(showName(path))}. Send a \`path\` for each.`,
    )
  }
  hashes.set(path, received.sha256)
}

/** A refusal is about this file. A missing project, or a fault that is not the caller's, is about the whole request. */
function isRefusal(error: unknown): error is DocsearchError {
  return error instanceof DocsearchError && error.code !== 'project_not_found' && [409, 413, 415, 422].includes(statusOf(error))
}

/** The id of the project of this id or name, made when missing. What looks like an id is not made into a name. */
async function projectFor(services: Services, caller: Principal, idOrName: string): Promise<string> {
  const { projects } = services.records
  const found = await projects.findId(caller.userId, idOrName)
  if (found !== null) return found
  if (looksLikeProjectId(idOrName)) return findProjectId(services, caller, idOrName)
  try {
    return (await projects.create({ ownerId: caller.userId, name: idOrName, description: '' })).id
  } catch (error) {
    // Another upload made it in between.
    if (isDocsearchError(error, 'project_exists')) return findProjectId(services, caller, idOrName)
    throw error
  }
}
