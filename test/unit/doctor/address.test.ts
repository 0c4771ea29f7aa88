import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { checkAddress } from '../../../src/doctor/address.ts'

const fixture = (name: string) => readFileSync(fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url)), 'utf8')
const AUTHORITY = fixture('authority.pem')

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Answers like an instance whose users call it by the address that they typed, unless `change` says otherwise. */
function instance({ scheme = 'https', path = '', change = () => {} }: Partial<Behaviour> = {}): RequestListener {
  return (request, response) => {
    const issuer = `${scheme}://${request.headers.host}${path}`
    const answers: Record<string, object> = {
      [`${path}/api/v1/health`]: { status: 'ok', version: '1.2.3' },
      [`/.well-known/oauth-authorization-server${path}`]: { issuer },
    }
    const answer = answers[request.url!]
    response.statusCode = answer === undefined ? 404 : 200
    response.setHeader('Content-Type', 'application/json')
    change(request.url!, response)
    if (!response.writableEnded) response.end(JSON.stringify(answer ?? { error: 'not found' }))
  }
}

interface Behaviour {
  scheme: 'http' | 'https'
  /** The path of the public URL. */
  path: string
  change: (path: string, response: Parameters<RequestListener>[1]) => void
}

async function https(certificate = 'server.pem', listener: RequestListener = instance()): Promise<string> {
  const server = createServer({ key: fixture('server.key'), cert: fixture(certificate) }, listener)
  return `https://localhost:${await portOf(server)}`
}

async function http(listener: RequestListener): Promise<string> {
  return `http://localhost:${await portOf(createHttpServer(listener))}`
}

const check = (address: string, options: { now?: Date; certificates?: string; signal?: AbortSignal } = {}) =>
  checkAddress(address, { now: new Date(), ...options })

test('finds nothing at an instance with a trusted certificate, even below a path', async () => {
  expect(await check(await https(), { certificates: AUTHORITY })).toEqual([])
  const below = await https('server.pem', instance({ path: '/search' }))
  expect(await check(`${below}/search`, { certificates: AUTHORITY })).toEqual([])
  expect(await check(`${below}/search/`, { certificates: AUTHORITY })).toEqual([])
  expect(await check(await http(instance({ scheme: 'http' })))).toEqual([])
})

test.each([
  ['of an authority that this machine does not trust', 'server.pem', undefined, 'unable to verify the first certificate'],
  ['that is signed by itself', 'elsewhere.pem', undefined, 'self-signed certificate'],
  ['that has expired', 'expired.pem', 'expired.pem', 'certificate has expired'],
  ['for another name', 'elsewhere.pem', 'elsewhere.pem', 'localhost. is not in the cert'],
])('a certificate %s is named with the reason', async (_, certificate, trusted, reason) => {
  const address = await https(certificate)
  const found = await check(address, trusted === undefined ? {} : { certificates: fixture(trusted) })
  expect(found).toMatchObject([{ code: 'certificate_invalid', place: address }])
  expect(found[0]!.message).toContain(reason)
  expect(found[0]!.message.endsWith('..')).toBe(false)
})

test('a certificate that expires within two weeks is a warning', async () => {
  const address = await https()
  const ends = new Date('2126-10-30T14:42:43Z')
  const before = (days: number) => new Date(ends.getTime() - days * 86_400_000)
  const codes = async (now: Date) => (await check(address, { certificates: AUTHORITY, now })).map(({ code }) => code)
  // These clocks are a hundred years ahead of the server's.
  expect(await codes(before(15))).toEqual(['clock_differs'])
  expect(await codes(before(13))).toEqual(['certificate_expires', 'clock_differs'])
})

test('an address that nobody answers, a name that does not exist and a server that hangs up are unreachable', async () => {
  const server = createTcpServer()
  const port = await portOf(server)
  await new Promise((resolve) => server.close(resolve))
  const hangsUp = createTcpServer((socket) => void socket.destroy())
  for (const address of [`http://localhost:${port}`, 'https://docsearch.invalid', `http://localhost:${await portOf(hangsUp)}`]) {
    const found = await check(address)
    expect(found, address).toMatchObject([{ code: 'address_unreachable', place: address }])
    expect(found[0]!.message, address).toMatch(/ does not answer: .{5,}\.$/)
  }
})

test('plain HTTP on an address that is not local is a warning, whether or not it answers', async () => {
  expect((await check('http://docsearch.invalid')).map(({ code }) => code)).toEqual(['address_insecure', 'address_unreachable'])
})

test('something else that answers, and metadata with another issuer, are wrong', async () => {
  const other = await http((_request, response) => void response.end('<h1>It works!</h1>'))
  expect(await check(other)).toMatchObject([{ code: 'address_wrong', place: other }])
  const error = await http((_request, response) => void response.writeHead(502).end('{"status":"ok"}'))
  expect((await check(error))[0]!.message).toContain('status 502')
  // A proxy that does not pass on the name that users type.
  const inner = await http(instance({ scheme: 'https' }))
  expect((await check(inner))[0]!.message).toContain(`the issuer ${inner.replace('http', 'https')}`)
  const withoutMetadata = await http(
    instance({ scheme: 'http', change: (path, response) => path.startsWith('/.well') && response.writeHead(404).end('no') }),
  )
  expect((await check(withoutMetadata))[0]!.message).toContain('the issuer nobody')
})

test('an endless answer is cut off', async () => {
  const endless = await http((_request, response) => {
    const more = () => response.write('x'.repeat(100_000), () => response.destroyed || more())
    more()
  })
  expect(await check(endless)).toMatchObject([{ code: 'address_wrong' }])
})

test('a wrong clock is a warning', async () => {
  const early = await http(
    instance({ scheme: 'http', change: (_path, response) => void response.setHeader('Date', 'Sat, 01 Jan 2000 00:00:00 GMT') }),
  )
  const found = await check(early)
  expect(found).toMatchObject([{ code: 'clock_differs' }])
  expect(found[0]!.message).toContain('2000-01-01T00:00:00.000Z')
})

test('an aborted check rejects', async () => {
  const reason = new Error('stopped')
  await expect(check('http://localhost:1', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})
