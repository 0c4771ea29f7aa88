import type { UploadAnswer } from '../../../contract/documents.ts'
import { isApiErrorCode } from '../../../core/errors.ts'
import { fail, PROBLEMS, statusOf, toProblem } from '../../problems/problems.ts'
import { presentDocument } from '../documents/present.ts'
import type { AcceptedUpload } from '../../../services/uploads.ts'

export function presentUpload({ documents, rejected }: AcceptedUpload): UploadAnswer {
  return { documents: documents.map(({ document, outcome }) => ({ ...presentDocument(document), outcome })), rejected }
}

/** Returns the answer when every file was rejected: the usual body and the fields of a problem. One cause gives its own status, several give 422. */
export function presentRefusal(accepted: AcceptedUpload, requestId: string, baseUrl: string): UploadAnswer & { status: number } {
  const codes = new Set(accepted.rejected.map(({ code }) => code))
  const [only] = codes
  const code = codes.size === 1 && only !== undefined && isApiErrorCode(only) ? only : 'cannot_be_processed'
  const message =
    accepted.rejected.length === 1
      ? (accepted.rejected[0]?.message ?? '')
      : `None of the ${accepted.rejected.length} files was accepted; see \`rejected\`.`
  const error = fail(code, message || PROBLEMS[code].means)
  return { ...toProblem(error, requestId, baseUrl).problem, ...presentUpload(accepted), status: statusOf(error) }
}
