import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from '@lancedb/lancedb'
import { expect, onTestFinished, test } from 'vitest'
import { translateDiskError } from '../../../src/core/disk-errors.ts'
import type { ErrorCode } from '../../../src/core/errors.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import { createRetries } from '../../../src/core/retries.ts'
import { indexFailure, isDamaged, readFailure } from '../../../src/index/segments/failures.ts'
import { storageOptions } from '../../../src/index/passages/shared-tables.ts'
import { errorCode } from '../../support/codes.ts'
import { until } from '../../support/until.ts'

/** Messages of LanceDB, and codes of Node, for what the system refuses for a reason outside of the index. */
const REFUSALS: [code: ErrorCode, message: string, systemCode: string][] = [
  ['disk_full', 'LanceError(IO): No space left on device (os error 28)', 'ENOSPC'],
  ['too_many_files', 'LanceError(IO): Too many open files (os error 24)', 'EMFILE'],
  ['data_readonly', 'LanceError(IO): Permission denied (os error 13)', 'EACCES'],
  ['data_readonly', 'LanceError(IO): Read-only file system (os error 30)', 'EROFS'],
]
const unreadable = { check: async () => ({ ok: false, message: '', passages: null, isApproximate: false, isIncomplete: false }) }

test.each(REFUSALS)(
  '%s is no damage of the index, which then would be built again, and documents wait until it passes',
  async (code, message, systemCode) => {
    const errors: Error[] = [
      indexFailure(new Error(message)),
      readFailure(new Error(message)),
      translateDiskError(Object.assign(new Error(systemCode), { code: systemCode })) as Error,
    ]
    for (const error of errors) {
      expect(error).toMatchObject({ code, message: expect.not.stringContaining('server log') })
      expect(await isDamaged(error, unreadable)).toBe(false)
    }
    const stopping = new AbortController()
    const retries = createRetries(silentLogger, stopping.signal)
    const waiting = retries.run(() => Promise.reject(errors[0]!))
    waiting.catch(() => {})
    await Promise.resolve()
    await until('the reason of the wait', () => retries.reason() === errors[0]!.message)
    stopping.abort(new Error('stopping'))
    await expect(waiting).rejects.toThrow()
  },
)

test('a file that the disk can no longer read is damaged, and one that it can no longer write is an error of the disk', () => {
  const error = new Error('LanceError(IO): Input/output error (os error 5)')
  expect(readFailure(error)).toMatchObject({ code: 'index_corrupt' })
  expect(indexFailure(error)).toMatchObject({ code: 'disk_error' })
})

test.each([
  ['store_refused', 403],
  ['store_unavailable', 503],
] as const)('%s when LanceDB connects and the store answers %d', async (code, status) => {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const env = { AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }
  const connecting = connect('s3://bucket/prefix', { storageOptions: storageOptions(env) }).then((db) => db.openTable('table'))
  const error: unknown = await connecting.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )
  for (const failure of [indexFailure(error), readFailure(error)]) expect(failure.code).toBe(errorCode(code))
})
