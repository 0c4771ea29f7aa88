import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { runCommand, testFolder } from '../support/cli.ts'
import { problem, scriptedInstance } from '../support/scripted-instance.ts'
import { comeBack, scriptedOAuth } from '../support/scripted-oauth.ts'
import { errorCode } from '../support/codes.ts'

const METADATA = 'GET /.well-known/oauth-authorization-server'

test('exits with 5 when the connection is refused', async () => {
  const run = await runCommand(['login', 'http://127.0.0.1:1'])
  expect(run).toMatchObject({ code: 5, stdout: '', opened: [] })
})

test('exits with 5 and one sentence when the server does not speak HTTPS', async () => {
  const instance = await scriptedOAuth()
  const run = await runCommand(['login', instance.url.replace('http:', 'https:')])
  expect(run.code).toBe(5)
  expect(run.stderr).toMatch(/^docsearch: Cannot reach https:\S+: the server does not speak HTTPS\.\n$/)
})

test('exits with 2 and names --with-token when the instance has no OAuth login', async () => {
  const older = await scriptedInstance({
    [METADATA]: (_: unknown, response: ServerResponse) =>
      problem(response, 404, errorCode('not_found'), 'There is nothing at this path.'),
  })
  const run = await runCommand(['login', older.url])
  expect(run.code).toBe(2)
  expect(run.stderr).toContain(`docsearch login ${older.url} --with-token`)
})

test('exits with 7 when another server answers', async () => {
  const other = await scriptedInstance({
    [METADATA]: (_: unknown, response: ServerResponse) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>'),
  })
  expect((await runCommand(['login', other.url])).code).toBe(7)
})

test('exits with 2 and names the other instance when the issuer is different', async () => {
  const instance = await scriptedOAuth({}, () => ({ issuer: 'https://docs.example.org' }))
  const run = await runCommand(['login', instance.url])
  expect(run).toMatchObject({ code: 2, opened: [] })
  expect(run.stderr).toContain('docsearch login https://docs.example.org')
})

test.each(['authorization_endpoint', 'token_endpoint'])(
  'exits with 7 for an %s at another address, and sends nothing there',
  async (name) => {
    const elsewhere = await scriptedOAuth()
    const instance = await scriptedOAuth({}, () => ({ [name]: `${elsewhere.url}/api/oauth/x` }))
    const run = await runCommand(['login', instance.url], { env: { DISPLAY: ':0' }, browser: comeBack(instance.url) })
    expect(run.code).toBe(7)
    expect(elsewhere.requests).toEqual([])
  },
)

test.each([METADATA, 'POST /api/oauth/token'])('does not follow a redirect of %s', async (path) => {
  const elsewhere = await scriptedOAuth()
  const away = (_: unknown, response: ServerResponse) =>
    response.writeHead(307, { Location: `${elsewhere.url}${path.split(' ')[1]}` }).end()
  const instance = await scriptedOAuth({ [path]: away })
  const run = await runCommand(['login', instance.url], { env: { DISPLAY: ':0' }, browser: comeBack(instance.url) })
  expect(run.code).toBe(2)
  expect(run.stderr).toContain(elsewhere.url)
  expect(elsewhere.requests).toEqual([])
})

test('a key or login of one address is never sent to another', async () => {
  const [instance, other] = [await scriptedOAuth(), await scriptedOAuth()]
  const env = { DISPLAY: ':0', XDG_CONFIG_HOME: testFolder() }
  expect((await runCommand(['login', instance.url], { env, browser: comeBack(instance.url) })).code).toBe(0)
  const run = await runCommand(['whoami', '--server', other.url], { env })
  expect(run.code).toBe(4)
  expect(run.stderr).toContain(`docsearch login ${other.url}`)
  expect(other.requests.filter(({ headers }) => headers.authorization !== undefined)).toEqual([])
})
