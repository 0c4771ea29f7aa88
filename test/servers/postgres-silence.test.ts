import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { pgServer } from '../../src/records/sql/postgres/pg-server.ts'
import type { PostgresServer } from '../../src/records/sql/postgres/server.ts'
import { hasPostgres, type RunningPostgres, startPostgres } from '../support/postgres-server.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { until, within } from '../support/until.ts'

const SILENCE = { patienceMs: 200, probeMs: 1_000 }

describe.skipIf(!hasPostgres)('a PostgreSQL server', () => {
  let postgres: RunningPostgres
  let url: string
  let proxy: TcpProxy
  let server: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
    url = await postgres.database()
    const address = new URL(url)
    proxy = await startTcpProxy({ host: address.hostname, port: Number(address.port) })
    address.port = String(proxy.port)
    server = await pgServer({ url: address.href, log: silentLogger, connections: 2, silence: SILENCE })
  })
  afterAll(async () => {
    proxy.heal()
    await server.end()
    await proxy[Symbol.asyncDispose]()
    await postgres.stop()
  })

  test('that works on a long statement may take its time', async () => {
    const client = await server.connect()
    const { rows } = await client.query('select 1 as one from pg_sleep(2)', [])
    expect(rows).toEqual([{ one: 1 }])
    client.release(false)
  })

  test('that hangs fails statements and the rollback after them, and works again afterwards', async () => {
    const client = await server.connect()
    await client.query('begin', [])
    proxy.cut('silence')
    const silent = { code: 'ETIMEDOUT', message: 'PostgreSQL has stopped answering' }
    await expect(client.query('select 1', [])).rejects.toMatchObject(silent)
    await expect(client.query('rollback', [])).rejects.toMatchObject(silent)
    client.release(true)
    proxy.heal()
    const next = await server.connect()
    expect((await next.query('select 2 as two', [])).rows).toEqual([{ two: 2 }])
    next.release(false)
  })

  test('that hangs fails an upgrade, which may take its time otherwise', async () => {
    const client = await server.connect({ upgradeLockMs: 500 })
    expect((await client.query('select 1 as one from pg_sleep(1)', [])).rows).toEqual([{ one: 1 }])
    proxy.cut('silence')
    await expect(client.query('select 1', [])).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    client.release(true)
    proxy.heal()
  })

  const pidOfListener = `select pid from pg_stat_activity where query like 'listen %' and datname = current_database()`

  test('that hangs does not keep a listener from stopping', async () => {
    const direct = await pgServer({ url, log: silentLogger })
    const stop = await direct.listen('bells', () => {})
    const client = await direct.connect()
    const { rows } = await client.query(pidOfListener, [])
    client.release(true)
    const { pid } = rows[0] as { pid: number }
    process.kill(pid, 'SIGSTOP')
    try {
      await within('the listener stops', stop(), 30_000)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
  })

  test('keeps no connection of a listener that stops while it connects again', async () => {
    const client = await server.connect()
    const others = proxy.open
    const stop = await server.listen('bells', () => {})
    const { rows } = await client.query(pidOfListener, [])
    await client.query('select pg_terminate_backend($1)', [(rows[0] as { pid: number }).pid])
    await until('the listener has lost its connection', () => proxy.open === others)
    // The next attempt to connect gets no answer until the listener has stopped.
    process.kill(postgres.pid(), 'SIGSTOP')
    try {
      await until('the listener connects again', () => proxy.open > others)
      await stop()
    } finally {
      process.kill(postgres.pid(), 'SIGCONT')
    }
    await until('the connection of the listener ends', () => proxy.open === others)
    client.release(false)
  })

  test('that another server has replaced fails statements on the old connections', async () => {
    const other = await startPostgres()
    onTestFinished(() => other.stop())
    const url = new URL(await other.database())
    const client = await server.connect()
    await client.query('select 1', [])
    proxy.failOver({ host: url.hostname, port: Number(url.port) })
    await expect(client.query('select 1', [])).rejects.toMatchObject({
      code: 'ETIMEDOUT',
      cause: expect.objectContaining({ message: 'another server answers at its address' }),
    })
    client.release(true)
    const next = await server.connect()
    expect((await next.query('select 2 as two from pg_sleep(1)', [])).rows).toEqual([{ two: 2 }])
    next.release(false)
  })

  test('that ends a connection in the same packet that accepts it makes only the next statement fail', async () => {
    const ended = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end(Buffer.concat([ACCEPTED, READY, TERMINATED])))
    })
    onTestFinished(() => void ended.close())
    await once(ended.listen(0, '127.0.0.1'), 'listening')
    const { port } = ended.address() as AddressInfo
    const server = await pgServer({ url: `postgres://docsearch@127.0.0.1:${port}/any`, log: silentLogger, connections: 1 })
    onTestFinished(() => server.end())
    const client = await server.connect()
    await expect(client.query('select 1', [])).rejects.toThrow(Error)
    client.release(true)
  })
})

/** Makes a message of PostgreSQL's protocol: a letter, the length, and the content. */
const message = (type: string, content: string): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length + length.length)
  return Buffer.concat([Buffer.from(type), length, Buffer.from(content, 'latin1')])
}
const ACCEPTED = message('R', '\0\0\0\0')
const READY = message('Z', 'I')
const TERMINATED = message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')
