import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { normaliseAddress } from '../../../src/client/address.ts'
import { configFolder } from '../../../src/client/folders.ts'
import { readProfiles, resolveTarget, saveProfile } from '../../../src/client/profiles.ts'
import { testFolder } from '../../support/cli.ts'

test('a flag overrides the environment, the environment the profile, and the profile the default', async () => {
  const env = { XDG_CONFIG_HOME: testFolder() }
  expect(await resolveTarget({ env })).toMatchObject({ address: 'http://127.0.0.1:4747', from: 'default' })
  await saveProfile(env, 'home', { server: 'https://home.example', project: 'letters' }, true)
  await saveProfile(env, 'work', { server: 'https://work.example' }, false)
  expect(await resolveTarget({ env })).toEqual({
    address: 'https://home.example',
    from: 'profile',
    profile: 'home',
    project: 'letters',
  })
  const named = { ...env, DOCSEARCH_PROFILE: 'work' }
  expect(await resolveTarget({ env: named })).toMatchObject({ address: 'https://work.example', from: 'environment' })
  const served = { ...named, DOCSEARCH_SERVER: 'https://env.example' }
  expect(await resolveTarget({ env: served })).toMatchObject({ address: 'https://env.example', from: 'environment' })
  expect(await resolveTarget({ env: served, profile: 'home' })).toMatchObject({ address: 'https://home.example', from: 'flag' })
  expect(await resolveTarget({ env: served, profile: 'home', server: 'flag.example' })).toMatchObject({
    address: 'https://flag.example',
    from: 'flag',
  })
})

test('every problem of the profiles file is listed', async () => {
  const env = { XDG_CONFIG_HOME: testFolder() }
  mkdirSync(join(env.XDG_CONFIG_HOME, 'docsearch'))
  const file = join(env.XDG_CONFIG_HOME, 'docsearch', 'config.json')
  writeFileSync(file, JSON.stringify({ profiles: { a: { servr: 'x' }, b: 3 }, defualt: 'a' }))
  const error = await readProfiles(env).catch((caught: Error) => caught.message)
  for (const fault of [file, '"servr"', '"defualt"', 'profile "a" needs "server"', 'profile "b" must be an object'])
    expect(error).toContain(fault)
  writeFileSync(file, '{ "token": "dsk_secret"')
  expect(String(await readProfiles(env).catch((caught: unknown) => caught))).not.toContain('dsk_secret')
})

test.each([
  ['HTTP://LocalHost:80/', 'http://localhost'],
  ['localhost:4747', 'http://localhost:4747'],
  ['[::1]:4747', 'http://[::1]:4747'],
  ['docs.example.org', 'https://docs.example.org'],
  ['https://x.example/docsearch/', 'https://x.example/docsearch'],
])('%s is the address %s', (text, address) => expect(normaliseAddress(text)).toBe(address))

test.each(['', 'ftp://x', 'https://user:secret@x.example', 'https://x.example/?a=b', 'http://'])(
  '%s is not an address',
  (text) => {
    expect(() => normaliseAddress(text)).toThrow(/address/i)
  },
)

test("settings are in the platform's folder", () => {
  expect(configFolder({ HOME: '/h' }, 'linux')).toBe('/h/.config/docsearch')
  expect(configFolder({ HOME: '/h', XDG_CONFIG_HOME: '/x' }, 'darwin')).toBe('/x/docsearch')
  expect(configFolder({ HOME: '/h', XDG_CONFIG_HOME: 'relative' }, 'darwin')).toBe('/h/Library/Application Support/docsearch')
  expect(configFolder({ APPDATA: 'C:\\A' }, 'win32')).toBe('C:\\A\\docsearch')
})
