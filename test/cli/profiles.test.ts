import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand, testFolder, type CliOptions } from '../support/cli.ts'
import { scriptedInstance } from '../support/scripted-instance.ts'

const WORK = { server: 'https://docs.example.org', project: 'contracts' }
const HOME = { server: 'http://127.0.0.1:4747' }

/** A user with these saved profiles. */
function user(saved: object) {
  const config = testFolder()
  mkdirSync(join(config, 'docsearch'), { recursive: true })
  const file = join(config, 'docsearch', 'config.json')
  writeFileSync(file, JSON.stringify(saved))
  return {
    run: (args: string[], options: CliOptions = {}) =>
      runCommand(args, { ...options, env: { XDG_CONFIG_HOME: config, ...options.env } }),
    saved: () => JSON.parse(readFileSync(file, 'utf8')) as unknown,
  }
}

test('lists the saved instances, with the default and the logins', async () => {
  const { run } = user({ profiles: { work: WORK, home: HOME }, default: 'work' })
  expect(await run(['profiles'])).toMatchObject({
    code: 0,
    stdout: 'work\thttps://docs.example.org\tcontracts\tyes\tno\nhome\thttp://127.0.0.1:4747\t-\t-\tno\n',
  })
  expect(JSON.parse((await run(['profiles', 'list', '--json'])).stdout)).toEqual({
    profiles: [
      { name: 'work', server: WORK.server, project: 'contracts', default: true, logged_in: false },
      { name: 'home', server: HOME.server, project: null, default: false, logged_in: false },
    ],
  })
  expect(await user({}).run(['profiles', 'list'])).toMatchObject({ code: 1, stdout: '' })
})

test('use changes the default, and names the variable that goes before it', async () => {
  const { run, saved } = user({ profiles: { work: WORK, home: HOME } })
  const used = await run(['profiles', 'use', 'home'], { env: { DOCSEARCH_SERVER: 'http://127.0.0.1:1' } })
  expect(used).toMatchObject({ code: 0, stdout: 'Commands without --server now use http://127.0.0.1:4747\n' })
  expect(used.stderr).toContain('DOCSEARCH_SERVER is set')
  expect(saved()).toEqual({ profiles: { work: WORK, home: HOME }, default: 'home' })
  const unknown = await run(['profiles', 'use', 'nope'])
  expect(unknown).toMatchObject({ code: 2, stdout: '' })
  expect(unknown.stderr).toContain('Known profiles: work, home.')
})

test('remove forgets an instance, and the default if it was that', async () => {
  const { run, saved } = user({ profiles: { work: WORK, home: HOME }, default: 'work' })
  expect(await run(['profiles', 'remove', 'work'])).toMatchObject({ code: 0, stdout: 'Removed profile work\n', stderr: '' })
  expect(saved()).toEqual({ profiles: { home: HOME } })
  expect((await run(['profiles', 'remove', 'constructor'])).code).toBe(2)
})

test('login offers the known instances on a terminal, and asks for another', async () => {
  const { url } = await scriptedInstance({ 'GET /api/v1/me': ME })
  const { run } = user({ profiles: { work: WORK }, default: 'work' })
  const asked: string[][] = []
  const loggedIn = await run(['login', '--with-token'], {
    terminal: 80,
    prompts: {
      async select({ choices }) {
        asked.push(choices.map(({ name }) => name))
        return ''
      },
      input: async () => url,
      password: async () => 'dsk_x',
    },
  })
  expect(asked).toEqual([['https://docs.example.org', 'Another address']])
  expect(loggedIn).toMatchObject({ code: 0, stdout: expect.stringContaining(`Logged in to ${url} as Ada`) })
})

const ME = {
  user: { id: 'usr_1', name: 'Ada', email: null, role: 'member' },
  scopes: ['read:documents'],
  projects: null,
  authentication: { method: 'api_key', id: 'key_1', name: 'k' },
  expires_at: null,
}
