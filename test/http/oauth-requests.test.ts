import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { oauthFlow, REDIRECT_URI, type OAuthFlow } from '../support/oauth-flow.ts'
import { errorCode } from '../support/codes.ts'

const FORM = 'application/x-www-form-urlencoded'
const ENDPOINTS = ['token', 'revoke', 'introspect', 'device']

let app: TestApp
let flow: OAuthFlow
beforeAll(async () => {
  app = await startTestApp()
  flow = await oauthFlow(app)
})
afterAll(() => app?.close())

const send = (body: string, headers: Record<string, string> = {}, path = '/api/oauth/token') =>
  app.stranger.call('POST', path, { body, headers: { 'Content-Type': FORM, ...headers } })
const basic = (id: string, secret: string) => ({ Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` })
const invalidRequest = { status: 400, body: { error: errorCode('invalid_request') } }

/** The parameters of a valid exchange, without the application's credentials. */
const exchange = async () => ({ grant_type: 'authorization_code', code: await flow.code(), redirect_uri: REDIRECT_URI })
const credentials = () => ({ client_id: flow.application.id, client_secret: flow.secret ?? '' })
const form = (fields: Record<string, string>) => String(new URLSearchParams(fields))

describe('an application may send', () => {
  test('a form', async () => {
    expect((await send(form({ ...(await exchange()), ...credentials() }))).status).toBe(200)
  })

  test('JSON, as in the interface specification', async () => {
    const json = { ...(await exchange()), ...credentials() }
    expect((await app.stranger.post('/api/oauth/token', json)).status).toBe(200)
    const withCharset = { 'Content-Type': 'application/json; charset=UTF-8' }
    const body = JSON.stringify({ ...(await exchange()), ...credentials() })
    expect((await send(body, withCharset)).status).toBe(200)
  })

  test('its credentials in the Authorization header, percent-encoded or not', async () => {
    const { client_id, client_secret } = credentials()
    const all = (text: string) => [...text].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')
    for (const headers of [basic(client_id, client_secret), basic(all(client_id), all(client_secret))])
      expect((await send(form(await exchange()), headers)).status).toBe(200)
    const lower = { Authorization: basic(client_id, client_secret).Authorization.replace('Basic', 'basic') }
    expect((await send(form({ ...(await exchange()), client_id }), lower)).status).toBe(200)
  })

  test('unknown fields, which are ignored, and empty fields, which count as not sent', async () => {
    const more = { audience: 'x', __proto__: 'y', constructor: 'z', code_verifier: '', client_secret: '' }
    const { client_id, client_secret } = credentials()
    const body = form({ ...(await exchange()), ...more })
    expect((await send(`${body}&__proto__=y`, basic(client_id, client_secret))).status).toBe(200)
  })

  test('an old access token, which is ignored', async () => {
    const headers = { Authorization: `Bearer ${'0'.repeat(64)}` }
    expect((await send(form({ ...(await exchange()), ...credentials() }), headers)).status).toBe(200)
  })
})

describe('refused with 400', () => {
  test('a body of another type', async () => {
    const body = form({ ...(await exchange()), ...credentials() })
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/xml', `${FORM}; charset=latin1`, ''])
      for (const name of ENDPOINTS)
        expect(await send(body, { 'Content-Type': type }, `/api/oauth/${name}`), `${type} to ${name}`).toMatchObject(
          invalidRequest,
        )
    expect(await send(body, { 'Content-Encoding': 'gzip' })).toMatchObject(invalidRequest)
  })

  test('no body at all', async () => {
    for (const name of ENDPOINTS) expect(await app.stranger.call('POST', `/api/oauth/${name}`)).toMatchObject(invalidRequest)
    expect(await send('')).toMatchObject(invalidRequest)
  })

  test('JSON that is not an object of strings', async () => {
    const bodies: unknown[] = [[], 'text', 5, null, true, [{ grant_type: 'authorization_code' }]]
    const good = { ...(await exchange()), ...credentials() }
    for (const value of [[], ['authorization_code'], {}, { $ne: '' }, 5, true, null])
      for (const name of ['grant_type', 'code', 'client_id', 'client_secret', 'redirect_uri', 'code_verifier', 'other'])
        bodies.push({ ...good, [name]: value })
    for (const body of bodies) expect(await app.stranger.post('/api/oauth/token', body)).toMatchObject(invalidRequest)
    for (const text of ['', '{', 'grant_type=x', '{"a":"b"}x'])
      expect(await send(text, { 'Content-Type': 'application/json' })).toMatchObject(invalidRequest)
  })

  test('names such as __proto__, which do not reach the prototype', async () => {
    const headers = { 'Content-Type': 'application/json' }
    for (const body of [
      '{"__proto__":{"grant_type":"authorization_code"}}',
      '{"__proto__":"x"}',
      '{"constructor":{"prototype":{}}}',
    ])
      expect(await send(body, headers)).toMatchObject(invalidRequest)
    expect(({} as Record<string, unknown>)['grant_type']).toBeUndefined()
  })

  test('a field twice', async () => {
    const body = form({ ...(await exchange()), ...credentials() })
    for (const more of ['code=x', 'grant_type=authorization_code', 'client_id=', 'other=1&other=2'])
      expect(await send(`${body}&${more}`)).toMatchObject(invalidRequest)
  })

  test('a secret in the header and in the body, or two client ids', async () => {
    const { client_id, client_secret } = credentials()
    expect(await send(form({ ...(await exchange()), client_secret }), basic(client_id, client_secret))).toMatchObject(
      invalidRequest,
    )
    expect(await send(form({ ...(await exchange()), client_id: 'app_x' }), basic(client_id, client_secret))).toMatchObject(
      invalidRequest,
    )
  })

  test('an unknown grant type', async () => {
    for (const grant_type of ['client_credentials', 'password', 'implicit', 'constructor', 'Authorization_Code'])
      expect(await send(form({ ...(await exchange()), ...credentials(), grant_type }))).toMatchObject({
        status: 400,
        body: { error: errorCode('unsupported_grant_type') },
      })
    expect(await send(form(credentials()))).toMatchObject(invalidRequest)
  })

  test('parameters in the address, which are ignored', async () => {
    const query = form({ ...(await exchange()), ...credentials() })
    for (const name of ENDPOINTS)
      expect(await send('', {}, `/api/oauth/${name}?${query}&token=x`), name).toMatchObject(invalidRequest)
  })

  test('a body that is too long, with a readable answer', async () => {
    const answer = await send(`other=${'x'.repeat(5_000_000)}`)
    expect(answer).toMatchObject({ status: 413, body: { error: errorCode('invalid_request') } })
  })
})

describe('refused with 401', () => {
  test('a wrong secret in the header, with a challenge', async () => {
    const fields = await exchange()
    const id = flow.application.id
    for (const headers of [
      basic(id, 'wrong'),
      basic(id, ''),
      basic('app_unknown', flow.secret ?? ''),
      basic(id, '%zz'),
      { Authorization: 'Basic' + ' ' + 'nonsense' },
      { Authorization: 'Basic' + ' ' + Buffer.from(`${id}`).toString('base64') },
    ]) {
      const { status, headers: answered, body } = await send(form(fields), headers)
      expect([status, body['error'], answered.get('www-authenticate')]).toEqual([
        401,
        errorCode('invalid_client'),
        expect.stringMatching(/^Basic realm="docsearch"/),
      ])
    }
    expect((await send(form({ ...fields, ...credentials() }))).status, 'the code was not used up').toBe(200)
  })

  test('a wrong or missing secret in the body, as JSON', async () => {
    const fields = { ...(await exchange()), client_id: flow.application.id }
    for (const more of [{ client_secret: 'wrong' }, {}, { client_id: 'app_unknown', client_secret: flow.secret ?? '' }]) {
      for (const answer of [
        await send(form({ ...fields, ...more })),
        await app.stranger.post('/api/oauth/token', { ...fields, ...more }),
      ]) {
        expect(answer).toMatchObject({ status: 401, body: { error: errorCode('invalid_client') } })
        expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
        expect(answer.headers.get('www-authenticate')).toBeNull()
      }
    }
  })

  test('a secret of a public application, unless it is empty', async () => {
    const open = await oauthFlow(app, { type: 'public' })
    const { access_token: token } = await open.tokens()
    for (const fields of [{ client_id: open.application.id, client_secret: 'anything' }])
      expect(await send(form({ ...fields, token }), {}, '/api/oauth/introspect')).toMatchObject({ status: 401 })
    expect((await send(form({ token }), basic(open.application.id, ''), '/api/oauth/introspect')).body).toMatchObject({
      active: true,
    })
  })

  test('a rotated secret after its grace period, during which both secrets work', async () => {
    const own = await oauthFlow(app)
    const { applications } = app.backend.oauth
    const ask = async (client_secret: string) =>
      (await send(form({ client_id: own.application.id, client_secret, token: 'x' }), {}, '/api/oauth/introspect')).status
    const rotated = await applications.rotate(own.user.id, own.application.id)
    expect([await ask(own.secret ?? ''), await ask(rotated?.secret ?? '')]).toEqual([200, 200])
    const again = await applications.rotate(own.user.id, own.application.id, 0)
    expect([await ask(own.secret ?? ''), await ask(rotated?.secret ?? ''), await ask(again?.secret ?? '')]).toEqual([
      401, 401, 200,
    ])
  })
})

test('a refusal never repeats what was sent', async () => {
  const secret = 'hunter2-hunter2-hunter2'
  for (const name of ['grant_type', 'code', 'client_secret', 'redirect_uri', 'code_verifier', 'client_id', 'scope', 'resource']) {
    const { status, body } = await send(form({ ...(await exchange()), ...credentials(), [name]: secret }))
    if (status !== 200) expect(JSON.stringify(body), name).not.toContain(secret)
  }
})

test('other methods get 405, and no answer may be cached', async () => {
  for (const name of ENDPOINTS) {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, headers } = await app.stranger.call(method, `/api/oauth/${name}?client_id=x`)
      expect([status, headers.get('allow'), headers.get('cache-control')]).toEqual([405, 'POST, OPTIONS', 'no-store'])
    }
    const { headers } = await send('grant_type=nonsense', {}, `/api/oauth/${name}`)
    expect([headers.get('cache-control'), headers.get('pragma')]).toEqual(['no-store', 'no-cache'])
  }
})
