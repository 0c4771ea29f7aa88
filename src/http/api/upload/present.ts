import type { UploadAnswer } from '../../../contract/documents.ts'
import type { Problem } from '../../../contract/common.ts'
import { isApiErrorCode, isDocsearchError } from '../../../core/errors.ts'
import type { AcceptedUpload } from '../../../services/uploads.ts'
import { fail, shownError, toProblem } from '../../problems/problems.ts'
import { presentDocument } from '../../../contract/present/documents.ts'

export function presentUpload({ documents, rejected }: AcceptedUpload): UploadAnswer {
  return {
    documents: documents.map(({ document, outcome, trashedId }) => ({
      ...presentDocument(document),
      outcome,
      replaced_id: trashedId,
    })),
    rejected: rejected.map(({ name, error }) => {
      const { code, detail } = shownError(error)
      const isConvertible = isDocsearchError(error, 'unsupported_type') && error.details['convertible'] === true
      return { name, code, message: detail, ...(isConvertible && { convertible: true }) }
    }),
  }
}

/** Returns the failure of the instance that kept it from storing files, if there was one. */
export function failureOf({ rejected }: AcceptedUpload): unknown {
  return rejected.find(({ error }) => shownError(error).status >= 500)?.error
}

/**
 * Returns the answer to an upload of which no file was stored: the fields of a problem and the usual body. The status is that of
 * the instance's failure. Without a failure, it is that of the only cause, or 422 if there are several causes.
 */
export function presentRefusal(
  accepted: AcceptedUpload,
  requestId: string,
  baseUrl: string,
): { body: Problem & UploadAnswer; headers: Record<string, string> } {
  const error = failureOf(accepted) ?? sumUp(accepted)
  const { problem, headers } = toProblem(error, requestId, baseUrl)
  return { body: { ...problem, ...presentUpload(accepted) }, headers }
}

function sumUp({ rejected }: AcceptedUpload): Error {
  const codes = new Set(rejected.map(({ error }) => shownError(error).code))
  const [only] = codes
  const code = codes.size === 1 && only !== undefined && isApiErrorCode(only) ? only : 'cannot_be_processed'
  const [first] = rejected
  const message =
    rejected.length === 1 && first !== undefined
      ? shownError(first.error).detail
      : `None of the ${rejected.length} files was accepted; see \`rejected\`.`
  return fail(code, message)
}
