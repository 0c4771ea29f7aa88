// Compiled by `npm run types`, never run. Each line below an @ts-expect-error must fail to compile: where codes become plain
// strings again, the compiler reports an unused @ts-expect-error here.
import { DocsearchError, isDocsearchError, type WarningCode } from '../../src/core/errors.ts'
import { ClientError } from '../../src/client/errors.ts'
import { fail } from '../../src/http/problems/problems.ts'
import { OAuthError } from '../../src/oauth/errors.ts'
import { errorCode, warningCode } from '../support/codes.ts'

export const known = [new DocsearchError('project_not_found', ''), fail('not_found', ''), errorCode('rate_limited')]

// @ts-expect-error a misspelled code cannot be thrown
export const thrown = new DocsearchError('project_not_fuond', '')

// @ts-expect-error nor by the HTTP layer
export const answered = fail('not_fuond', '')

// @ts-expect-error a code that no answer carries has no HTTP status
export const withoutStatus = fail('data_in_use', '')

// @ts-expect-error nor by the client
export const clientError = new ClientError('unreachabel', '')

// @ts-expect-error nor by the authorization server
export const oauthError = new OAuthError('invalid_cleint', '')

// @ts-expect-error a test cannot expect a misspelled code
export const expected = errorCode('rate_limitted')

// @ts-expect-error nor a misspelled warning
export const warning = warningCode('no_txt')

// @ts-expect-error a warning is not an error
export const mixed: WarningCode = 'project_not_found'

export function caught(error: unknown): boolean {
  // @ts-expect-error a misspelled code cannot be looked for
  if (isDocsearchError(error, 'project_not_fuond')) return true
  // @ts-expect-error nor compared
  return error instanceof DocsearchError && error.code === 'project_not_fuond'
}
