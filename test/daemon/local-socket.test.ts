import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { type RealDaemon, runCli, startRealDaemon } from '../support/daemon.ts'
import { rareWord, textWith } from '../support/words.ts'

const BUILTIN = { DOCSEARCH_EMBEDDER: 'builtin' }

let started: RealDaemon[] = []
afterEach(async () => {
  for (const daemon of started) await daemon.dispose()
  started = []
})

async function start(options: Parameters<typeof startRealDaemon>[0] = {}): Promise<RealDaemon> {
  const daemon = await startRealDaemon({ ...options, env: { ...BUILTIN, ...options.env } })
  started.push(daemon)
  return daemon
}

interface Thief {
  /** What each request sent: method, path, and the header that carries credentials. */
  requests: string[]
}

/** Listens on a port as another user of the machine can, and answers like an instance. */
async function listenInstead(url: string, host = new URL(url).hostname): Promise<Thief> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization ?? '-'}`)
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ projects: [], next_cursor: null }))
  })
  await new Promise<void>((resolve) => server.listen(Number(new URL(url).port), host, resolve))
  onTestFinished(async () => {
    const closed = once(server, 'close')
    server.close().closeAllConnections()
    await closed
  })
  return { requests }
}

function facts(daemon: RealDaemon): { socket: string } {
  return JSON.parse(readFileSync(join(daemon.dataDir, 'daemon.json'), 'utf8')) as { socket: string }
}

async function works(daemon: RealDaemon, env = daemon.env): Promise<void> {
  expect(await runCli(['projects', 'list', '--json'], env)).toMatchObject({ code: 0, stderr: '' })
}

describe('while the daemon is down', () => {
  test.each([
    ['after a clean stop', (daemon: RealDaemon) => daemon.stop()],
    ['after kill -9', (daemon: RealDaemon) => daemon.kill()],
  ])('%s, a listener on its port receives no request of the command line', async (_, end) => {
    const daemon = await start()
    await works(daemon)
    await end(daemon)
    const thief = await listenInstead(daemon.url)
    for (const command of [
      ['projects', 'list'],
      ['search', 'x'],
      ['whoami'],
      ['upload', import.meta.filename],
      ['users', 'list'],
    ]) {
      const { DOCSEARCH_DATA: _unused, ...env } = daemon.env
      const run = await runCli(command, env)
      expect(run, command[0]).toMatchObject({ code: 5, stdout: '' })
      expect(run.stderr).toContain(`Cannot reach ${daemon.url}`)
      expect(run.stderr).toContain('docsearch serve')
    }
    expect(thief.requests).toEqual([])
  })

  test('a key that the user typed for this daemon, and DOCSEARCH_TOKEN, are not sent either', async () => {
    const daemon = await start()
    const key = await daemon.token()
    expect(await runCli(['login', daemon.url, '--with-token'], daemon.env, key)).toMatchObject({ code: 0 })
    await works(daemon)
    await daemon.stop()
    const thief = await listenInstead(daemon.url)
    expect(await runCli(['projects', 'list'], daemon.env)).toMatchObject({ code: 5 })
    expect(await runCli(['projects', 'list'], { ...daemon.env, DOCSEARCH_TOKEN: key })).toMatchObject({ code: 5 })
    expect(thief.requests).toEqual([])
  })

  test('a key that the user types after a logout goes through the socket again', async () => {
    const daemon = await start()
    const key = await daemon.token()
    expect(await runCli(['logout'], daemon.env)).toMatchObject({ code: 0 })
    expect(await runCli(['login', daemon.url, '--with-token'], daemon.env, key)).toMatchObject({ code: 0 })
    await daemon.stop()
    const thief = await listenInstead(daemon.url)
    expect(await runCli(['projects', 'list'], daemon.env)).toMatchObject({ code: 5 })
    expect(thief.requests).toEqual([])
  })

  test('a listener receives nothing either when localhost names the daemon, or after a logout while the daemon ran', async () => {
    const daemon = await start()
    const key = await daemon.token()
    const localhost = daemon.url.replace('127.0.0.1', 'localhost')
    const named = { ...daemon.env, DOCSEARCH_SERVER: localhost }
    expect(await runCli(['login', localhost, '--with-token'], named, key)).toMatchObject({ code: 0 })
    await works(daemon, named)
    const env = { ...daemon.env, DOCSEARCH_TOKEN: key }
    expect(await runCli(['logout'], env)).toMatchObject({ code: 0 })
    await daemon.stop()
    const thief = await listenInstead(daemon.url)
    for (const variables of [named, { ...named, DOCSEARCH_TOKEN: key }, env]) {
      expect(await runCli(['projects', 'list'], variables)).toMatchObject({ code: 5 })
    }
    expect(await runCli(['login', '--with-token'], daemon.env, key)).toMatchObject({ code: 5 })
    expect(thief.requests).toEqual([])
  })

  test('completion of project names sends nothing', async () => {
    const daemon = await start()
    await daemon.kill()
    const thief = await listenInstead(daemon.url)
    expect(await runCli(['__complete', 'projects'], daemon.env)).toMatchObject({ code: 0, stdout: '' })
    expect(thief.requests).toEqual([])
  })

  test('another instance at the same address can be used after a logout', async () => {
    const daemon = await start()
    await daemon.stop()
    const thief = await listenInstead(daemon.url)
    expect(await runCli(['logout'], daemon.env)).toMatchObject({ code: 0 })
    expect(await runCli(['logout'], daemon.env)).toMatchObject({ code: 4 })
    expect(await runCli(['projects', 'list'], { ...daemon.env, DOCSEARCH_TOKEN: 'dsk_other' })).toMatchObject({ code: 1 })
    expect(thief.requests).toEqual([expect.stringMatching(/^GET \/api\/v1\/projects.* Bearer dsk_other$/)])
  })
})

test('a daemon that moved to another port gets no request for its old address, and neither does the listener there', async () => {
  const daemon = await start()
  const { url, env } = daemon
  const credentials = join(env['XDG_CONFIG_HOME']!, 'docsearch', 'credentials')
  const [name = ''] = readdirSync(credentials)
  const entry = readFileSync(join(credentials, name))
  await daemon.stop()
  const moved = await start({ home: join(daemon.dataDir, '..') })
  // As if the key were still stored for the old address.
  writeFileSync(join(credentials, name), entry)
  const thief = await listenInstead(url)
  const run = await runCli(['projects', 'list'], env)
  expect(run.code).toBe(5)
  expect(run.stderr).toContain(moved.url)
  expect(thief.requests).toEqual([])
})

test('a credential of version 0.1.0 is sent through the socket only', async () => {
  const daemon = await start()
  const config = join(daemon.env['XDG_CONFIG_HOME']!, 'docsearch')
  const [name = ''] = readdirSync(join(config, 'credentials'))
  const entry = JSON.parse(readFileSync(join(config, 'credentials', name), 'utf8')) as Record<string, unknown>
  expect(Object.keys(entry).toSorted()).toEqual(['address', 'dataDir', 'kind', 'store', 'token'])
  await works(daemon)
  await daemon.kill()
  const thief = await listenInstead(daemon.url)
  expect(await runCli(['projects', 'list'], daemon.env)).toMatchObject({ code: 5 })
  expect(thief.requests).toEqual([])
})

describe('the socket', () => {
  test('is in the data folder, for this user only, and goes when the daemon stops', async () => {
    const daemon = await start()
    const { socket } = facts(daemon)
    expect(socket).toBe(join(daemon.dataDir, 'daemon.sock'))
    expect(statSync(socket).mode & 0o777).toBe(0o600)
    expect(statSync(daemon.dataDir).mode & 0o777).toBe(0o700)
    await daemon.stop()
    expect(existsSync(socket)).toBe(false)
  })

  test('of a killed daemon is replaced', async () => {
    const daemon = await start()
    await daemon.kill()
    expect(existsSync(facts(daemon).socket)).toBe(true)
    const next = await start({ home: join(daemon.dataDir, '..') })
    await works(next)
  })

  test('is elsewhere when the data folder has a folder of its name', async () => {
    const daemon = await start()
    await daemon.stop()
    mkdirSync(join(daemon.dataDir, 'daemon.sock', 'kept'), { recursive: true })
    const next = await start({ home: join(daemon.dataDir, '..') })
    expect(facts(next).socket).not.toContain(next.dataDir)
    await works(next)
    expect(existsSync(join(daemon.dataDir, 'daemon.sock', 'kept'))).toBe(true)
  })

  test('is in the runtime folder when the path of the data folder is too long, and is removed after kill -9, too', async () => {
    const runtime = await mkdtemp('/tmp/docsearch-run-')
    onTestFinished(() => rm(runtime, { recursive: true, force: true }))
    const home = await mkdtemp('/tmp/docsearch-long-')
    const data = join(home, 'a'.repeat(60), 'b'.repeat(60))
    const env = { XDG_RUNTIME_DIR: runtime, DOCSEARCH_DATA: data }
    const daemon = await start({ home, env })
    const socket = (JSON.parse(readFileSync(join(data, 'daemon.json'), 'utf8')) as { socket: string }).socket
    expect(socket.startsWith(`${runtime}/docsearch-`)).toBe(true)
    expect(statSync(join(socket, '..')).mode & 0o777).toBe(0o700)
    await works(daemon)
    await daemon.kill()
    const next = await start({ home, env })
    expect(readdirSync(runtime)).toHaveLength(1)
    expect(existsSync(socket)).toBe(false)
    await works(next)
    await next.stop()
    expect(readdirSync(runtime)).toEqual([])
  })

  test.each([
    ['--host 0.0.0.0', ['--host', '0.0.0.0'], {}],
    ['--host ::1', ['--host', '::1'], {}],
    ['a public URL with a path', ['--public-url', 'https://docs.example.org/search'], {}],
    ['trust_proxy', [], { DOCSEARCH_TRUST_PROXY: 'true' }],
    ['a rate limit', [], { DOCSEARCH_RATE_LIMIT: '100' }],
  ])('works with %s', async (_, args, env) => {
    const daemon = await start({ args, env })
    await works(daemon)
    const word = rareWord()
    const file = join(daemon.dataDir, '..', 'note.txt')
    writeFileSync(file, textWith(word))
    expect(await runCli(['upload', '--wait', file], daemon.env)).toMatchObject({ code: 0 })
    expect((await runCli(['search', word], daemon.env)).stdout).toContain(word)
  })

  test('works with --data, also through a link to the folder', async () => {
    const home = await mkdtemp('/tmp/docsearch-link-')
    mkdirSync(join(home, 'real'))
    symlinkSync(join(home, 'real'), join(home, 'link'))
    const daemon = await start({ home, args: ['--data', join(home, 'link')] })
    await works(daemon)
  })

  test('counts wrong credentials, as for an address', async () => {
    const daemon = await start({ env: { DOCSEARCH_RATE_LIMIT: '100' } })
    const { socket } = facts(daemon)
    const statuses = new Set<string>()
    for (let tries = 0; tries < 130; tries++) statuses.add(await statusOverSocket(socket, 'dsk_wrong'))
    expect([...statuses].toSorted()).toEqual(['401', '429'])
  })
})

test('a data folder in which other users can write gets no key', async () => {
  const daemon = await start()
  await chmod(daemon.dataDir, 0o777)
  const run = await runCli(['projects', 'list'], daemon.env)
  expect(run.code).toBe(5)
  expect(run.stderr).toContain('Nothing was sent')
  await chmod(daemon.dataDir, 0o700)
  await works(daemon)
})

test('a listener on the other loopback address receives nothing', async () => {
  const daemon = await start()
  const thief = await listenInstead(daemon.url, '::1')
  await works(daemon)
  const port = new URL(daemon.url).port
  for (const server of [`http://localhost:${port}`, `http://[::1]:${port}`])
    await runCli(['projects', 'list', '--server', server], daemon.env)
  expect(thief.requests.filter((request) => !request.endsWith(' -'))).toEqual([])
})

function statusOverSocket(path: string, token: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(path, () =>
      socket.write(`GET /api/v1/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`),
    )
    socket.setEncoding('latin1').on('data', (part: string) => (answer += part))
    socket.once('error', reject).once('close', () => resolve(answer.slice(9, 12)))
  })
}
