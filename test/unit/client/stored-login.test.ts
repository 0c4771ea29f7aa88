import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { KeytarLike } from '../../../src/client/credentials/keychain.ts'
import type { OAuthLogin } from '../../../src/client/credentials/oauth-login.ts'
import { openCredentialStore } from '../../../src/client/credentials/store.ts'
import { testFolder } from '../../support/cli.ts'
import { errorCode } from '../../support/codes.ts'

const AT = 'http://127.0.0.1:4747'
const LOGIN: OAuthLogin = {
  accessToken: 'access_1',
  expiresAt: '2026-01-01T00:00:00.000Z',
  refreshToken: 'refresh_1',
  clientId: 'docsearch-cli',
  clientSecret: null,
  scope: 'read:documents',
}
const RENEWED: OAuthLogin = { ...LOGIN, accessToken: 'access_2', refreshToken: 'refresh_2' }

function memoryKeychain(works = { set: true }): KeytarLike {
  const held = new Map<string, string>()
  return {
    getPassword: async (_, account) => held.get(account) ?? null,
    setPassword: async (_, account, secret) =>
      works.set ? void held.set(account, secret) : Promise.reject(new Error('it is locked')),
    deletePassword: async (_, account) => held.delete(account),
  }
}

function open(keytar: KeytarLike) {
  const notices: string[] = []
  const store = openCredentialStore({ env: { XDG_CONFIG_HOME: testFolder() }, onNotice: (line) => notices.push(line), keytar })
  return { store, notices }
}

test('a login is one secret in the keychain, and a renewal replaces it there', async () => {
  const { store, notices } = open(memoryKeychain())
  const { source, file } = await store.saveLogin(AT, LOGIN)
  expect(source).toBe('keychain')
  expect(await store.get(AT)).toEqual({ token: 'access_1', kind: 'oauth', source: 'keychain', login: LOGIN })
  await store.renew(AT, RENEWED)
  expect(await store.get(AT)).toMatchObject({ token: 'access_2', source: 'keychain', login: RENEWED })
  expect(readFileSync(file, 'utf8')).not.toMatch(/access_|refresh_/)
  expect(notices).toEqual([])
})

test('a renewed login that the keychain refuses is stored in the file', async () => {
  const works = { set: true }
  const { store, notices } = open(memoryKeychain(works))
  await store.saveLogin(AT, LOGIN)
  works.set = false
  await store.renew(AT, RENEWED)
  expect(await store.get(AT)).toMatchObject({ token: 'access_2', source: 'file' })
  expect(notices).toEqual([expect.stringContaining('The login is stored in')])
  // The notice is printed once, not at every renewal.
  await store.renew(AT, LOGIN)
  expect(notices).toHaveLength(1)
})

test('a renewal after a logout stores nothing', async () => {
  const { store } = open(memoryKeychain())
  await store.saveLogin(AT, LOGIN)
  await store.delete(AT)
  await store.renew(AT, RENEWED)
  expect(await store.get(AT)).toBeNull()
})

test('an unreadable login asks for a new login', async () => {
  const { store } = open(memoryKeychain())
  await store.save(AT, { kind: 'oauth', login: { accessToken: 'x' } as OAuthLogin })
  await expect(store.get(AT)).rejects.toMatchObject({ code: errorCode('not_logged_in') })
  await store.saveLogin(AT, LOGIN)
  expect(await store.get(AT)).toMatchObject({ token: 'access_1' })
})

test("a login to the user's own daemon stays in use, and the daemon's key returns after a logout", async () => {
  const { store } = open(memoryKeychain())
  const local = { address: AT, dataDir: '/data/a', token: 'dsk_a' }
  await store.rememberLocal(local)
  await store.saveLogin(AT, LOGIN)
  expect(await store.findLocal('/data/a')).toMatchObject({ token: 'dsk_a' })
  await store.rememberLocal(local)
  expect(await store.get(AT)).toMatchObject({ token: 'access_1', kind: 'oauth' })
  await store.delete(AT)
  expect(await store.get(AT)).toBeNull()
  await store.rememberLocal({ address: AT, dataDir: '/data/a' })
  expect(await store.get(AT)).toMatchObject({ token: 'dsk_a', kind: 'api_key' })
  expect((await store.list()).filter((entry) => entry.dataDir === '/data/a')).toHaveLength(1)
})

test('a daemon at a new address takes its key with it, and the login stays at its address', async () => {
  const { store } = open(memoryKeychain())
  await store.rememberLocal({ address: AT, dataDir: '/data/a', token: 'dsk_a' })
  await store.saveLogin(AT, LOGIN)
  await store.rememberLocal({ address: 'http://127.0.0.1:5000', dataDir: '/data/a' })
  expect(await store.get('http://127.0.0.1:5000')).toMatchObject({ token: 'dsk_a' })
  expect(await store.get(AT)).toMatchObject({ token: 'access_1' })
})
