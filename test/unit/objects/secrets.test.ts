import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from '@lancedb/lancedb'
import { expect, onTestFinished, test, vi } from 'vitest'
import { indexFailure } from '../../../src/index/segments/failures.ts'
import { storageOptions } from '../../../src/index/passages/shared-tables.ts'
import { openS3 } from '../../../src/objects/s3/open.ts'
import { createLogger } from '../../../src/serve/logging.ts'

/** What Amazon S3 answers to a request with a session token that has expired. */
const ANSWER = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message>
<Token-0>SESSIONTOKEN</Token-0><AWSAccessKeyId>KEYID</AWSAccessKeyId><RequestId>1</RequestId></Error>`

async function startStore(): Promise<void> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(400, { 'content-type': 'application/xml' }).end(ANSWER)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    vi.unstubAllEnvs()
    server.closeAllConnections()
    server.close()
  })
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  vi.stubEnv('AWS_REGION', 'us-east-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'KEYID')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'SECRET')
  vi.stubEnv('AWS_SESSION_TOKEN', 'SESSIONTOKEN')
}

const caught = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )

test.each(['docsearch', 'LanceDB'])('no credential that the store repeats reaches the log (request of %s)', async (sender) => {
  await startStore()
  const lines: string[] = []
  const log = createLogger('debug', { write: (line) => void lines.push(line) })
  if (sender === 'docsearch') {
    const store = await openS3({ address: 's3://bucket/prefix', log, timing: { retries: 0 } })
    onTestFinished(() => store.close())
    log.warn({ err: await caught(store.put('key', Buffer.from('bytes'))) }, 'failed')
  } else {
    const opening = connect('s3://bucket/prefix', { storageOptions: storageOptions() }).then((db) => db.openTable('table'))
    log.warn({ err: indexFailure(await caught(opening)) }, 'failed')
  }
  const text = lines.join('')
  expect(text).toContain('The provided token has expired.')
  expect(text).not.toMatch(/SESSIONTOKEN|KEYID|SECRET/)
})
