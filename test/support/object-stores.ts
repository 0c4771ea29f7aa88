import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { root } from './sources.ts'
import { startStoreProxy, type StoreProxy } from './store-proxy.ts'
import { until } from './until.ts'
import { freePort } from './free-port.ts'

export const BUCKET = 'docsearch-test'
const ACCESS = { id: 'S3RVER', secret: 'S3RVER' }

/** A running S3 server with an empty bucket. */
export interface TestStore extends AsyncDisposable {
  /** The server itself. */
  url: string
  /** A proxy in front of the server. Tests reach the store through it. */
  proxy: StoreProxy
  /** Sets the environment of the AWS SDK. */
  env: Record<string, string>
}

/** versitygw, which `.ci/run` installs. Null on a machine without it. */
export const VERSITYGW: string | null =
  [join(root, '.cache', 'bin'), ...(process.env['PATH'] ?? '').split(delimiter)]
    .map((folder) => join(folder, 'versitygw'))
    .find((path) => existsSync(path)) ?? null

export interface RunningVersitygw extends TestStore {
  pid: number
  /** Has the objects as files. */
  folder: string
}

/** With `accessLog`, it writes a line for each request to this file. */
export async function startVersitygw({ accessLog }: { accessLog?: string } = {}): Promise<RunningVersitygw> {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-store-'))
  // versitygw refuses a folder for metadata whose path begins with the path of the objects.
  const [objects, metadata] = [join(folder, 'objects'), join(folder, 'metadata')]
  await mkdir(join(objects, BUCKET), { recursive: true })
  await mkdir(metadata)
  const port = await freePort()
  const log = accessLog === undefined ? [] : ['--access-log', accessLog]
  const args = [
    '--access',
    ACCESS.id,
    '--secret',
    ACCESS.secret,
    '--port',
    `127.0.0.1:${port}`,
    '--keep-alive',
    '--quiet',
    ...log,
  ]
  const server = spawn(VERSITYGW!, [...args, 'posix', '--sidecar', metadata, objects], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await until('versitygw answers', async () => (await fetch(url).catch(() => null)) !== null)
  const store = await storeAt(url, {}, async () => {
    server.kill('SIGKILL')
    await once(server, 'exit')
    await rm(folder, { recursive: true, force: true })
  })
  return { ...store, pid: server.pid!, folder: join(objects, BUCKET) }
}

/** s3rver does not support conditional writes, so the proxy adds them. Without these conditions, s3rver loses writes. */
export async function startS3rver({ addsConditions }: { addsConditions: boolean }): Promise<TestStore> {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-store-'))
  const { default: S3rver } = await import('@20minutes/s3rver')
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder,
    allowMismatchedSignatures: true,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  })
  const { port } = await server.run()
  return storeAt(`http://127.0.0.1:${port}`, { addsConditions }, async () => {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  })
}

async function storeAt(url: string, options: { addsConditions?: boolean }, stop: () => Promise<void>): Promise<TestStore> {
  const proxy = await startStoreProxy(url, options)
  return {
    url,
    proxy,
    env: {
      AWS_ENDPOINT_URL: proxy.url,
      AWS_ACCESS_KEY_ID: ACCESS.id,
      AWS_SECRET_ACCESS_KEY: ACCESS.secret,
      AWS_REGION: 'us-east-1',
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await stop()
    },
  }
}
