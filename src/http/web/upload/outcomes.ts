import { paths } from '../../../pages/paths.ts'
import type { FileOutcome } from '../../../pages/upload/files.tsx'
import { shownError } from '../../problems/problems.ts'
import { presentDocument } from '../../../contract/present/documents.ts'
import type { AcceptedUpload, UploadedFile } from '../../../services/uploads.ts'

/** Returns what happened to each file of an upload, in the order of the files. */
export function outcomesOf(files: readonly UploadedFile[], { documents, rejected }: AcceptedUpload): FileOutcome[] {
  const refusals = new Map(rejected.map(({ at, error }) => [at, error]))
  const accepted = documents.values()
  return files.map(({ path }, at) => {
    if (refusals.has(at)) return { path, refusal: shownError(refusals.get(at)).detail }
    const { document, outcome } = accepted.next().value!
    return { path, document: presentDocument(document), isUnchanged: outcome === 'unchanged' }
  })
}

/** The same for the script of the view. */
export function presentOutcomes(outcomes: readonly FileOutcome[], basePath: string): object {
  return {
    files: outcomes.map((outcome) =>
      'document' in outcome
        ? { id: outcome.document.id, url: basePath + paths.document(outcome.document.id) }
        : { refusal: outcome.refusal },
    ),
  }
}
