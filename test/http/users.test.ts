import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Me } from '../../src/contract/account.ts'
import type { DocumentList } from '../../src/contract/documents.ts'
import type { User, UserCreated, UserDeleted, UserList, UserReset } from '../../src/contract/users.ts'
import { SCOPES } from '../../src/core/model.ts'
import { routes } from '../support/api-table.ts'
import { apiClient } from '../support/api-client.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { until } from '../support/until.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ publicUrl: 'https://docs.example.org' })
})
afterAll(() => app?.close())

const PASSWORD = 'four wooden boats drift'
const users = '/api/v1/users'
const add = (person: object) => app.alice.post<UserCreated>(users, person)
const tokenOf = (url: string | undefined) => new URL(url!).searchParams.get('token')!
const logIn = (email: string, password = PASSWORD) => app.backend.accounts.logIn({ email, password, address: '192.0.2.1' })
const keyOf = async (ownerId: string) =>
  (await app.backend.apiKeys.create({ ownerId, name: 'theirs', scopes: SCOPES, expiresAt: null })).key

test('a user without a password gets a link that works once and sets one', async () => {
  const { status, headers, body } = await add({ email: 'Carol@Example.org', name: 'Carol' })
  expect([status, headers.get('location')]).toEqual([201, `https://docs.example.org/api/v1/users/${body.id}`])
  expect(body).toMatchObject({
    email: 'Carol@Example.org',
    name: 'Carol',
    role: 'member',
    disabled: false,
    has_password: false,
    invitation_url: expect.stringMatching(/^https:\/\/docs\.example\.org\/setup\?token=[\w-]{40,}$/),
  })
  const days = (Date.parse(body.invitation_expires_at!) - Date.parse(body.created_at)) / 86_400_000
  expect(days).toBeCloseTo(7, 1)
  expect((await app.backend.accounts.useLink(tokenOf(body.invitation_url), { password: PASSWORD }))?.id).toBe(body.id)
  expect((await logIn('carol@example.org'))?.id).toBe(body.id)
  const shown = await app.alice.get<User>(`${users}/${body.id}`)
  expect(shown.body).toMatchObject({ has_password: true })
  expect(JSON.stringify(shown.body)).not.toContain(tokenOf(body.invitation_url))
})

test('a user with a password can log in, and the answer has no link and no password', async () => {
  const { status, body } = await add({ email: 'dan@example.org', password: PASSWORD })
  expect([status, body.name, body.has_password]).toEqual([201, 'dan', true])
  expect(body.invitation_url).toBeUndefined()
  expect(JSON.stringify(body)).not.toContain(PASSWORD)
  expect((await logIn('dan@example.org'))?.id).toBe(body.id)
})

test.each([
  [{ email: 'ALICE@example.org' }, 409, errorCode('user_exists')],
  [{ email: 'erin@example.org', password: 'short' }, 422, errorCode('password_too_short')],
  [{ email: 'erin@example.org', password: 'x1'.repeat(501) }, 422, errorCode('password_too_long')],
  [{ email: 'erin@example.org', password: 'qwertyuiop' }, 422, errorCode('password_too_common')],
  [{ email: 'erin' }, 400, errorCode('invalid_request')],
  [{ email: 'erin@example.org', name: 'a\u0007b' }, 400, errorCode('invalid_request')],
  [{ email: 'erin@example.org', admin: true }, 400, errorCode('invalid_request')],
  [{}, 400, errorCode('invalid_request')],
] as const)('%j is refused with %i %s, and creates no user', async (person, status, code) => {
  expect(await add(person)).toMatchObject({ status, body: { code: errorCode(code) } })
  expect((await app.alice.get(`${users}/erin@example.org`)).status).toBe(404)
})

test('users are listed a result page at a time, and found by id or email in any case', async () => {
  const emails: (string | null)[] = []
  let cursor: string | null = ''
  do {
    const { body }: { body: UserList } = await app.alice.get<UserList>(`${users}?limit=1${cursor && `&cursor=${cursor}`}`)
    emails.push(...body.users.map(({ email }) => email))
    cursor = body.next_cursor
  } while (cursor !== null)
  // Oldest first. These two may have been made in the same millisecond.
  expect(new Set(emails.slice(0, 2))).toEqual(new Set(['alice@example.org', 'bob@example.org']))
  expect(new Set(emails).size).toBe(emails.length)
  const byEmail = (await app.alice.get<User>(`${users}/${encodeURIComponent('BOB@example.org')}`)).body
  expect((await app.alice.get<User>(`${users}/${byEmail.id}`)).body).toEqual(byEmail)
  expect(await app.alice.get(`${users}/usr_none`)).toMatchObject({ status: 404, body: { code: errorCode('user_not_found') } })
})

test('a disabled user has no access until enabled again, and keeps the documents', async () => {
  const { id } = (await add({ email: 'fay@example.org', password: PASSWORD })).body
  const fay = apiClient(app.url, await keyOf(id))
  await fay.ready('of-fay.txt', 'Fay writes about lighthouses.')
  const patch = (json: object) => app.alice.call<User>('PATCH', `${users}/fay@example.org`, { json })
  expect((await patch({ disabled: true })).body).toMatchObject({ id, disabled: true })
  expect((await fay.get('/api/v1/me')).status).toBe(401)
  expect(await logIn('fay@example.org')).toBeNull()
  expect(await app.alice.call('POST', `${users}/${id}/reset`)).toMatchObject({
    status: 409,
    body: { code: errorCode('user_disabled') },
  })
  expect((await patch({ disabled: false, name: 'Fay Wray' })).body).toMatchObject({ disabled: false, name: 'Fay Wray' })
  expect((await fay.get<DocumentList>('/api/v1/documents')).body.documents).toHaveLength(1)
  expect(await logIn('fay@example.org')).not.toBeNull()
})

test('a reset creates a link, and the old password works until the link is used', async () => {
  const { id } = (await add({ email: 'gil@example.org', password: PASSWORD })).body
  const first = (await app.alice.call<UserReset>('POST', `${users}/gil@example.org/reset`)).body
  const second = (await app.alice.call<UserReset>('POST', `${users}/${id}/reset`)).body
  expect(await logIn('gil@example.org')).not.toBeNull()
  const replaced = { password: 'an entirely other one' }
  expect(await app.backend.accounts.useLink(tokenOf(first.invitation_url), replaced)).toBeNull()
  expect((await app.backend.accounts.useLink(tokenOf(second.invitation_url), replaced))?.id).toBe(id)
  expect(await logIn('gil@example.org')).toBeNull()
  expect(await logIn('gil@example.org', replaced.password)).not.toBeNull()
})

test('a deleted user is gone with documents and keys, and no search finds the documents', async () => {
  const { id } = (await add({ email: 'hal@example.org' })).body
  const hal = apiClient(app.url, await keyOf(id))
  const document = await hal.ready('of-hal.txt', 'Hal writes about pods.')
  expect((await app.alice.call<UserDeleted>('DELETE', `${users}/hal@example.org`)).body).toEqual({
    id,
    email: 'hal@example.org',
    documents_deleted: 1,
  })
  expect((await hal.get('/api/v1/me')).status).toBe(401)
  expect((await app.alice.get(`${users}/${id}`)).status).toBe(404)
  await until('the index has dropped the documents too', async () => {
    return !(await app.backend.records.queue.tombstones()).includes(document)
  })
  expect((await app.alice.call('DELETE', `${users}/${id}`)).status).toBe(404)
})

test('the owner cannot be deleted or disabled', async () => {
  const { user } = (await app.alice.get<Me>('/api/v1/me')).body
  for (const who of [user.id, 'alice@example.org']) {
    expect(await app.alice.call('DELETE', `${users}/${who}`)).toMatchObject({
      status: 409,
      body: { code: errorCode('owner_stays') },
    })
    expect(await app.alice.call('PATCH', `${users}/${who}`, { json: { disabled: true } })).toMatchObject({
      status: 409,
      body: { code: errorCode('owner_stays') },
    })
  }
  expect((await app.alice.get<User>(`${users}/${user.id}`)).body.disabled).toBe(false)
})

test('a member cannot administer users, with any scopes and whether or not the user exists', async () => {
  // No member can have the scope of metrics (test/http/metrics.test.ts).
  const rows = routes.filter(({ role, access }) => role === 'owner' && access !== 'read:metrics')
  // Seven endpoints for users, two for projects without a manager, four for models, one each for backup and doctor.
  expect(rows.map(({ operationId }) => operationId)).toHaveLength(15)
  for (const { method, path } of rows)
    for (const id of ['usr_none', 'bob@example.org', 'alice@example.org'])
      expect(await app.bob.call(method, path.replace('{id}', id))).toMatchObject({
        status: 403,
        body: { code: errorCode('owner_only') },
      })
})

test("only a credential with all scopes can reset the owner's password", async () => {
  const narrow = await app.aliceWith('manage:keys')
  const scope = 'read:documents write:documents'
  const refused = { status: 403, body: { code: errorCode('insufficient_scope'), scope } }
  expect(await narrow.call('POST', `${users}/alice@example.org/reset`)).toMatchObject(refused)
  expect(await narrow.post(users, { email: 'new@example.org', role: 'owner' })).toMatchObject(refused)
  expect((await narrow.call('POST', `${users}/bob@example.org/reset`)).status).toBe(200)
  expect((await app.alice.call('POST', `${users}/alice@example.org/reset`)).status).toBe(200)
})

test('creating an owner completes the existing account while it has no password, and fails afterwards', async () => {
  const fresh = await startTestApp()
  try {
    const made = await fresh.alice.post<UserCreated>(users, {
      email: 'me@example.org',
      name: 'Me',
      password: PASSWORD,
      role: 'owner',
    })
    const { user } = (await fresh.alice.get<Me>('/api/v1/me')).body
    expect(made).toMatchObject({ status: 201, body: { id: user.id, role: 'owner', has_password: true } })
    expect(user).toMatchObject({ email: 'me@example.org', name: 'Me' })
    expect(await fresh.alice.post(users, { email: 'you@example.org', role: 'owner' })).toMatchObject({
      status: 409,
      body: { code: errorCode('owner_exists') },
    })
  } finally {
    await fresh.close()
  }
})
