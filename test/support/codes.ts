import type { ErrorCode, WarningCode } from '../../src/core/errors.ts'

/** Returns the code. Where a test compares with an error's code, this makes a misspelled one fail to compile. */
export function errorCode<Code extends ErrorCode>(code: Code): Code {
  return code
}

/** As `errorCode`, for the warnings of a document. */
export function warningCode<Code extends WarningCode>(code: Code): Code {
  return code
}
