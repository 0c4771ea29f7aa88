import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../support/open-store.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const PUTS = 200
const BYTES = randomBytes(200_000)

/** Starts an HTTP server that acts as a store. Returns environment variables that point to it, and counts its open connections. */
async function startServer(answer: RequestListener): Promise<{ env: Record<string, string>; connections(): Promise<number> }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    env: {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_REGION: 'us-east-1',
    },
    connections: () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count))),
  }
}

async function localFile() {
  const path = join(await tempFolder(), 'file')
  await writeFile(path, BYTES)
  return { path, size: BYTES.length, sha256: createHash('sha256').update(BYTES).digest('hex') }
}

/** Answers as soon as it has the last byte. */
const confirm: RequestListener = (request, response) => {
  let missing = Number(request.headers['content-length'])
  request.on('data', (bytes: Buffer) => {
    missing -= bytes.length
    if (missing === 0) response.end()
  })
}

test('files are stored over one connection, even if the store answers before Node notices the end of the file', async () => {
  const server = await startServer(confirm)
  const store = await openStore(server)
  const file = await localFile()
  for (let i = 0; i < PUTS; i++) await store.putFile(`key-${i}`, file)
  for (let i = 0; i < PUTS; i++) await store.put(`key-${i}`, BYTES)
  expect(await server.connections()).toBe(1)
})

test('a store that refuses objects before it has read them keeps no connection busy', async () => {
  const server = await startServer((request, response) => {
    response.writeHead(403, { 'content-type': 'application/xml' }).end('<Error><Code>AccessDenied</Code></Error>')
    request.on('error', () => {})
  })
  const store = await openStore(server)
  const file = await localFile()
  for (let i = 0; i < PUTS; i++) await expect(store.putFile(`key-${i}`, file)).rejects.toThrow()
  for (let i = 0; i < PUTS; i++) await expect(store.put(`key-${i}`, BYTES)).rejects.toThrow()
  await expect.poll(() => server.connections()).toBeLessThanOrEqual(2)
})

test('a file is stored even if the store closes the connection after its answer', async () => {
  const server = await startServer((request, response) => {
    response.setHeader('Connection', 'close')
    confirm(request, response)
  })
  const store = await openStore(server, { answerMs: 60_000 })
  const file = await localFile()
  for (let i = 0; i < PUTS; i++) await store.putFile(`key-${i}`, file)
  await expect.poll(() => server.connections()).toBe(0)
})

test('a file that cannot be read fails at once, and leaves no connection behind', async () => {
  const server = await startServer(confirm)
  const store = await openStore(server, { answerMs: 60_000 })
  const file = { ...(await localFile()), path: await tempFolder() }
  await expect(store.putFile('key', file)).rejects.toMatchObject({ code: 'EISDIR', path: file.path })
  await expect(store.putFile('key', { ...file, path: join(file.path, 'missing') })).rejects.toMatchObject({ code: 'ENOENT' })
  await expect.poll(() => server.connections()).toBe(0)
})

test('downloads that nobody reads keep no other request waiting', async () => {
  const server = await startServer((request, response) => {
    if (request.method === 'PUT') confirm(request, response)
    else response.writeHead(200, { 'content-length': 100_000_000 }).write(BYTES)
  })
  const store = await openStore(server, { retries: 0 })
  const downloads = await Promise.all(Array.from({ length: 300 }, async (_, i) => (await store.read(`key-${i}`))!.stream))
  await store.put('another', BYTES)
  for (const stream of downloads) stream.destroy()
  await expect.poll(() => server.connections()).toBeLessThanOrEqual(1)
})
