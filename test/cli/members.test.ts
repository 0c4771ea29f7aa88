import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UserCreated } from '../../src/contract/users.ts'
import type { MemberList } from '../../src/contract/projects.ts'
import { SCOPES } from '../../src/core/model.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { runCommand, type CliOptions } from '../support/cli.ts'

let app: TestApp
/** Carol's key. Alice is the owner of the instance, and Bob a member. */
let carol: string

beforeAll(async () => {
  app = await startTestApp()
  const { body } = await app.alice.post<UserCreated>('/api/v1/users', {
    email: 'carol@example.org',
    password: 'four wooden boats drift',
  })
  carol = (await app.backend.apiKeys.create({ ownerId: body.id, name: 'k', scopes: SCOPES, expiresAt: null })).key
  await app.bob.ready('owls.txt', 'Owls hunt at night.', { project: 'birds' })
  await app.bob.ready('diary.txt', 'It rained all day.')
})
afterAll(() => app?.close())

const cli = (args: string, key = app.bob.key!, options: CliOptions = {}) =>
  runCommand(args.split(' '), { ...options, env: { DOCSEARCH_SERVER: app.url, DOCSEARCH_TOKEN: key, ...options.env } })
const members = (args: string, key?: string, options?: CliOptions) => cli(`projects members ${args}`, key, options)

test('adds, changes, lists and removes a member, who sees the project in the meantime', async () => {
  expect((await cli('search owls', carol)).code).toBe(1)
  const added = await members('add birds carol@example.org')
  expect(added).toMatchObject({ code: 0, stdout: "carol@example.org may read the documents of 'birds'\n", stderr: '' })
  expect((await cli('search owls -l', carol)).stdout).toBe('owls.txt\n')
  expect((await cli('projects list', carol)).stdout).toMatch(/^prj_\w+\tbirds\t1\t.*\treader$/m)
  expect((await cli('projects show birds', carol)).stdout).toMatch(/your role\s+reader/)
  expect((await cli('projects list --role manager', carol)).stdout).not.toContain('birds')

  await members('add birds carol@example.org --role writer')
  await members('add birds everyone')
  const listed = (await members('list birds', carol)).stdout
  expect(listed).toMatch(/\tcarol@example\.org\tcarol\twriter\n/)
  expect(listed).toMatch(/^everyone\t-\tall users of the instance\treader\n/m)
  expect(JSON.parse((await members('list birds --json')).stdout)).toMatchObject({ members: expect.any(Array) })

  expect((await members('remove birds everyone --yes')).stdout).toBe('Removed everyone from birds\n')
  expect(JSON.parse((await members('remove birds carol@example.org --yes --json')).stdout)).toEqual({
    project: 'birds',
    user: 'carol@example.org',
    removed: true,
  })
  expect((await cli('search owls', carol)).code).toBe(1)
})

test('takes a person by the end of the ID, as tables show it', async () => {
  await members('add birds carol@example.org')
  const { members: listed } = JSON.parse((await members('list birds --json')).stdout) as MemberList
  const carolId = listed.map(({ user }) => user).find((user) => user !== 'everyone' && user.email === 'carol@example.org')
  const suffix = (carolId as { id: string }).id.slice(-8)
  expect((await members(`add birds ${suffix} --role writer`)).stdout).toContain('carol@example.org may read, upload')
  expect((await members(`remove birds ${suffix} --yes`)).code).toBe(0)
  expect((await members('list birds')).stdout).not.toContain('carol@example.org')
  // Bob no longer sees Carol's ID anywhere, but the owner of the instance may list all users.
  expect(await members(`add birds ${suffix}`)).toMatchObject({ code: 2, stderr: expect.stringContaining('No user has the ID') })
  await cli('projects create herons', app.alice.key!)
  expect((await members(`add herons ${suffix}`, app.alice.key!)).stdout).toContain('carol@example.org may read')
})

test('asks before it removes a member on a terminal, and needs --yes elsewhere', async () => {
  await members('add birds carol@example.org')
  expect(await members('remove birds carol@example.org')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('this is not a terminal. To go ahead, add --yes.'),
  })
  expect((await members('list birds')).stdout).toContain('carol@example.org')
})

test('the owner of the instance invites somebody to a project in one step', async () => {
  await cli('projects create plans', app.alice.key!)
  const invited = await members('add plans dan@example.org --role writer --yes', app.alice.key!)
  expect(invited.stdout).toMatch(
    /^dan@example\.org may read, upload, edit and delete the documents of 'plans'\ninvitation link, works once: http:\/\/\S+\n$/,
  )
  const refused = await members('add birds erin@example.org')
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('Only the owner of the instance can invite') })
})

test('a mistyped address is not invited without a question', async () => {
  await cli('projects create letters', app.alice.key!)
  const refused = await members('add letters bob@exmaple.org', app.alice.key!)
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('Nobody here has the address bob@exmaple.org. To invite them, add --yes.')
  const asked: string[] = []
  const answering = (answer: boolean) => ({ confirm: async ({ message }: { message: string }) => (asked.push(message), answer) })
  const no = await members('add letters bob@exmaple.org', app.alice.key!, { terminal: 80, prompts: answering(false) })
  expect([no.code, no.stdout]).toEqual([130, ''])
  expect(await app.backend.records.users.findByEmail('bob@exmaple.org')).toBeNull()
  const yes = await members('add letters eve@example.org', app.alice.key!, { terminal: 80, prompts: answering(true) })
  expect(yes.stdout).toContain("eve@example.org may read the documents of 'letters'")
  expect(asked).toEqual(
    ['bob@exmaple.org', 'eve@example.org'].map((address) => `Nobody here has the address ${address}. Invite them?`),
  )
  // An address that somebody has needs no question, and a missing ID gets none.
  expect((await members('add letters bob@example.org', app.alice.key!)).code).toBe(0)
  expect((await members('add letters usr_none', app.alice.key!)).stderr).toContain('No user has the ID')
})

test.each([
  ['add birds carol@example.org --role boss', 2, 'Allowed choices are reader, writer, manager.'],
  ['add default carol@example.org', 2, 'is private'],
  ['add birds everyone --role manager', 2, 'Make individual users managers instead.'],
  ['remove birds nobody@example.org --yes', 2, 'is not a member of the project'],
  ['list nowhere', 2, '`docsearch projects list`'],
  ['lst birds', 2, "unknown command 'members lst'. Use one of: list, add, remove."],
])('members %s ends with %i', async (args, code, message) => {
  const run = await members(args)
  expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(message)])
})

test('a reader may not add members, and `members` alone says what is missing', async () => {
  await members('add birds carol@example.org')
  const refused = await members('add birds everyone', carol)
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('manager')])
  const alone = await cli('projects members')
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining("missing command after 'members'")])
  expect((await cli('projects members --help')).stdout).toContain('add [options] <project> <user>')
})
