import { expect } from 'vitest'
import { RequestError } from '../../src/client/library/main.ts'

/** Returns the error with which a call of the client library fails. */
export async function failure(call: Promise<unknown>): Promise<RequestError> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(RequestError)
  return error as RequestError
}
