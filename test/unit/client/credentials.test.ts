import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openCredentialStore } from '../../../src/client/credentials/store.ts'
import type { KeytarLike } from '../../../src/client/credentials/keychain.ts'
import { openKeychain } from '../../../src/client/credentials/keychain.ts'
import { resolveTarget } from '../../../src/client/profiles.ts'
import { testFolder } from '../../support/cli.ts'

const noKeychain: KeytarLike = {
  getPassword: async () => Promise.reject(new Error('no D-Bus')),
  setPassword: async () => Promise.reject(new Error('no D-Bus')),
  deletePassword: async () => Promise.reject(new Error('no D-Bus')),
}

function memoryKeychain(): KeytarLike & { held: Map<string, string> } {
  const held = new Map<string, string>()
  return {
    held,
    getPassword: async (_, account) => held.get(account) ?? null,
    setPassword: async (_, account, secret) => void held.set(account, secret),
    deletePassword: async (_, account) => held.delete(account),
  }
}

function open(keytar: KeytarLike, env: Record<string, string> = {}, home = testFolder()) {
  const notices: string[] = []
  const store = openCredentialStore({ env: { XDG_CONFIG_HOME: home, ...env }, onNotice: (line) => notices.push(line), keytar })
  return { store, notices, home, env: { XDG_CONFIG_HOME: home } }
}

test('without a keychain the secret is in a file of mode 0600 in a folder of mode 0700, with a notice', async () => {
  const home = testFolder()
  const folder = join(home, 'docsearch', 'credentials')
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o777)
  const { store, notices } = open(noKeychain, {}, home)
  const { file, source } = await store.save('http://127.0.0.1:4747/', { token: 'dsk_secret', kind: 'api_key' })
  expect(source).toBe('file')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(notices).toHaveLength(1)
  expect(notices[0]).toContain(file)
  expect(notices[0]).not.toContain('dsk_secret')
  expect(readdirSync(folder)).toHaveLength(1)
  expect(await store.get('HTTP://127.0.0.1:4747')).toEqual({ token: 'dsk_secret', kind: 'api_key', source: 'file' })
})

test('a credential is returned for its own address only', async () => {
  const { store } = open(memoryKeychain())
  await store.save('https://docs.example.org', { token: 'dsk_a', kind: 'api_key' })
  for (const other of [
    'http://docs.example.org',
    'https://docs.example.org:8443',
    'https://docs.example.org/other',
    'https://docs.example.org.evil.com',
  ]) {
    expect(await store.get(other)).toBeNull()
  }
  expect((await store.get('https://DOCS.example.org:443/'))?.token).toBe('dsk_a')
})

test('with a keychain there is no secret on the disk, and delete removes both', async () => {
  const keychain = memoryKeychain()
  const { store, notices } = open(keychain)
  const { file } = await store.save('https://a.example', { token: 'dsk_secret', kind: 'api_key' })
  expect(statSync(file).size).toBeGreaterThan(0)
  expect(await import('node:fs').then(({ readFileSync }) => readFileSync(file, 'utf8'))).not.toContain('dsk_secret')
  expect(await store.get('https://a.example')).toMatchObject({ token: 'dsk_secret', source: 'keychain' })
  expect(await store.delete('https://a.example')).toBe(true)
  expect(await store.delete('https://a.example')).toBe(false)
  expect([keychain.held.size, notices.length]).toEqual([0, 0])
})

test('detects a keychain that reports success and stores nothing', async () => {
  const { store } = open({ ...memoryKeychain(), setPassword: async () => {} })
  expect((await store.save('https://a.example', { token: 'dsk_x', kind: 'api_key' })).source).toBe('file')
})

test('gives up a keychain that never answers', async () => {
  const silent: KeytarLike = {
    getPassword: () => new Promise(() => {}),
    setPassword: () => new Promise(() => {}),
    deletePassword: () => new Promise(() => {}),
  }
  await expect(openKeychain(async () => silent, 20).get('https://a.example')).rejects.toThrow('did not answer')
})

test('DOCSEARCH_TOKEN takes precedence, and the keychain is not loaded', async () => {
  const untouchable = new Proxy({} as KeytarLike, {
    get: () => {
      throw new Error('touched')
    },
  })
  const { store } = open(untouchable, { DOCSEARCH_TOKEN: ' dsk_env\n' })
  expect(await store.get('https://a.example')).toEqual({ token: 'dsk_env', kind: 'api_key', source: 'environment' })
})

test('many programs store different credentials at once, and none is lost', async () => {
  const home = testFolder()
  const addresses = Array.from({ length: 20 }, (_, i) => `https://host${i}.example`)
  await Promise.all(
    addresses.map((address) => open(noKeychain, {}, home).store.save(address, { token: `dsk_${address}`, kind: 'api_key' })),
  )
  const { store } = open(noKeychain, {}, home)
  for (const address of addresses) expect((await store.get(address))?.token).toBe(`dsk_${address}`)
})

test('the key of a data folder follows the daemon to its new address, which becomes the default', async () => {
  const { store, env } = open(noKeychain)
  await store.rememberLocal({ address: 'http://127.0.0.1:5001', dataDir: '/data/a', token: 'dsk_a' })
  expect(await store.findLocal('/data/a')).toEqual({ token: 'dsk_a', address: 'http://127.0.0.1:5001' })
  expect(await store.rememberLocal({ address: 'http://0.0.0.0:5002', dataDir: '/data/a' })).toBe(true)
  expect((await store.get('http://127.0.0.1:5002'))?.token).toBe('dsk_a')
  expect(await store.get('http://127.0.0.1:5001')).toBeNull()
  expect(await resolveTarget({ env })).toMatchObject({ address: 'http://127.0.0.1:5002', from: 'local daemon' })
})

test('two data folders served in turn at one address keep their keys', async () => {
  const { store } = open(noKeychain)
  const address = 'http://127.0.0.1:4747'
  await store.rememberLocal({ address, dataDir: '/data/a', token: 'dsk_a' })
  await store.rememberLocal({ address, dataDir: '/data/b', token: 'dsk_b' })
  expect((await store.get(address))?.token).toBe('dsk_b')
  expect((await store.findLocal('/data/a'))?.token).toBe('dsk_a')
  await store.rememberLocal({ address, dataDir: '/data/a' })
  expect((await store.get(address))?.token).toBe('dsk_a')
  expect((await store.findLocal('/data/b'))?.token).toBe('dsk_b')
  expect((await store.list()).filter((entry) => entry.dataDir === '/data/a')).toHaveLength(1)
})

test('a data folder without a key gets none', async () => {
  const { store } = open(noKeychain)
  expect(await store.findLocal('/data/a')).toBeNull()
  expect(await store.rememberLocal({ address: 'http://127.0.0.1:4747', dataDir: '/data/a' })).toBe(false)
})
