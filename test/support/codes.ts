import type { ErrorCode, WarningCode } from '../../src/core/errors.ts'

/** Returns the code. A test that compares an error's code uses it, so that a misspelled code doesn't compile. */
export function errorCode<Code extends ErrorCode>(code: Code): Code {
  return code
}

/** As `errorCode`, for the warnings of a document. */
export function warningCode<Code extends WarningCode>(code: Code): Code {
  return code
}
