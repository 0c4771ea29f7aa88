import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand, testFolder } from '../support/cli.ts'
import { answerWith, result } from '../support/scripted-instance.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))
const BIN = fileURLToPath(new URL('../../bin/docsearch.js', import.meta.url))
const AUTHORITY = fixture('authority.pem')

/** An instance behind HTTPS, with a certificate of a private authority. */
async function privateInstance() {
  const keys = { key: readFileSync(fixture('server.key')), cert: readFileSync(fixture('server.pem')) }
  let requests = 0
  const server = createServer(keys, (request, response) => {
    requests++
    request.resume()
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answerWith([result()])))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `https://localhost:${(server.address() as AddressInfo).port}`
  const search = (args: string[] = [], env: Record<string, string> = {}) =>
    runCommand(['search', 'rent', '--server', url, ...args], { env: { DOCSEARCH_TOKEN: 'dsk_x', ...env } })
  return { url, search, requests: () => requests }
}

test('an instance with a certificate of an unknown authority gets no request, and the message says what to do', async () => {
  const { search, requests } = await privateInstance()
  const run = await search()
  expect(run).toMatchObject({ code: 5, stdout: '' })
  expect(run.stderr).toContain('--cacert FILE')
  expect(requests()).toBe(0)
})

test('--cacert and DOCSEARCH_CACERT trust an authority', async () => {
  const { search } = await privateInstance()
  expect((await search(['--cacert', AUTHORITY])).stdout).toContain('lease.pdf:2:')
  expect((await search([], { DOCSEARCH_CACERT: AUTHORITY })).code).toBe(0)
})

test('a file without a certificate is refused before anything is sent', async () => {
  const { search, requests } = await privateInstance()
  const file = join(testFolder(), 'broken.pem')
  writeFileSync(file, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')
  for (const path of [file, fixture('server.key')]) {
    const run = await search(['--cacert', path])
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain('has no valid certificate in PEM format')
  }
  expect((await search(['--cacert', '/nowhere.pem'])).stderr).toContain('no such file or directory')
  expect(requests()).toBe(0)
})

test('an authority of the system is trusted', async () => {
  const { url } = await privateInstance()
  // OpenSSL reads the system's certificates from here.
  const env = { PATH: process.env['PATH'], SSL_CERT_FILE: AUTHORITY, DOCSEARCH_TOKEN: 'dsk_x', XDG_CONFIG_HOME: testFolder() }
  const { stdout } = await promisify(execFile)(process.execPath, [BIN, 'search', 'rent', '--server', url], { env })
  expect(stdout).toContain('lease.pdf:2:')
})
