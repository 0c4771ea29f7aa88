import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../../src/core/model.ts'
import { startTestApp } from '../support/app.ts'
import type { TestApp } from '../support/app.ts'
import { runCommand, testFolder } from '../support/cli.ts'
import type { CliOptions } from '../support/cli.ts'

let app: TestApp
let token: string

beforeAll(async () => {
  app = await startTestApp()
  const owner = await app.backend.records.users.create({ name: 'Carol', email: null, role: 'member' })
  token = (await app.backend.apiKeys.create({ ownerId: owner.id, name: 'cli', scopes: SCOPES, expiresAt: null })).key
})
afterAll(() => app.close())

async function cli(args: string[], options: CliOptions = {}) {
  return runCommand(args, { ...options, env: { DOCSEARCH_SERVER: app.url, DOCSEARCH_TOKEN: token, ...options.env } })
}

async function cliJson(args: string[]): Promise<Record<string, unknown>> {
  const run = await cli([...args, '--json'])
  expect(run.stderr).toBe('')
  return JSON.parse(run.stdout) as Record<string, unknown>
}

async function uploadText(project: string, name: string, text: string): Promise<string> {
  const file = join(testFolder(), name)
  writeFileSync(file, text)
  const run = await cliJson(['upload', file, '--project', project, '--wait'])
  return (run['documents'] as { id: string; status: string }[])[0]!.id
}

test('uploads, waits and finds the passage with its page', async () => {
  await uploadText('letters', 'lease.txt', 'The rent is due on the third working day of each month.\n')
  const run = await cli(['search', 'when is the rent due', '--project', 'letters'])
  expect(run).toMatchObject({
    code: 0,
    stderr: '',
    stdout: 'lease.txt:1:The rent is due on the third working day of each month.\n',
  })
  expect((await cli(['search', 'rent', '--project', 'letters', '-l'])).stdout).toBe('lease.txt\n')
  expect((await cli(['search', 'rent', '--project', 'nowhere'])).code).toBe(2)
})

test('the same file is unchanged, and an unsupported file is refused with 3', async () => {
  await uploadText('again', 'a.txt', 'Some words.')
  const folder = testFolder()
  writeFileSync(join(folder, 'a.txt'), 'Some words.')
  writeFileSync(join(folder, 'empty.txt'), '')
  const run = await cli(['upload', join(folder, 'a.txt'), join(folder, 'empty.txt'), '--project', 'again', '--wait'])
  expect(run.code).toBe(3)
  expect(run.stdout).toMatch(/^doc_\w+\tunchanged\tready\ta\.txt\n$/)
  expect(run.stderr).toContain('empty.txt\tempty_file')
})

test.each(['replace', 'keep', 'error'])(
  'with --on-conflict %s, the counts are true for every upload of a folder',
  async (action) => {
    const folder = join(testFolder(), 'alice')
    mkdirSync(folder)
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
    const upload = async (...more: string[]) => {
      const run = await cli(['upload', folder, '-p', `counts-${action}`, '--on-conflict', action, '--wait', '--json', ...more])
      const {
        documents,
        rejected,
        attachments: _attachments,
        skipped: _,
        ...counts
      } = JSON.parse(run.stdout) as Record<string, Record<string, string>[]>
      const outcomes = documents!.map(({ path, outcome }) => `${path} ${outcome}`).toSorted()
      return [run.code, counts, outcomes, rejected!.map(({ path, code }) => `${path} ${code}`)]
    }
    write('a.txt', 'One.')
    write('b.txt', 'Two.')
    const created = ['alice/a.txt created', 'alice/b.txt created']
    expect(await upload()).toEqual([0, { new: 2, changed: 0, unchanged: 0 }, created, []])
    const none = ['alice/a.txt unchanged', 'alice/b.txt unchanged']
    expect(await upload()).toEqual([0, { new: 0, changed: 0, unchanged: 2 }, none, []])
    write('b.txt', 'Two, changed.')
    write('c.txt', 'Three.')
    const counts = { new: 1, changed: 1, unchanged: 1 }
    const mixed = (b: string[]) => ['alice/a.txt unchanged', ...b, 'alice/c.txt created']
    const again = { new: 0, changed: 0, unchanged: 3 }
    if (action === 'replace') {
      expect(await upload()).toEqual([0, counts, mixed(['alice/b.txt replaced']), []])
      expect((await upload()).slice(0, 2)).toEqual([0, again])
      // An upload with other tags reaches unchanged files, too.
      expect(await upload('--tag', 'x')).toMatchObject([0, again, expect.anything(), []])
      const tagged = await cli(['documents', 'list', '-p', 'counts-replace', '--tag', 'x', '--path', 'alice/', '--json'])
      expect((JSON.parse(tagged.stdout) as { documents: unknown[] }).documents).toHaveLength(3)
    } else if (action === 'keep') {
      expect(await upload()).toEqual([0, counts, mixed(['alice/b (2).txt created']), []])
      expect((await upload()).slice(0, 2)).toEqual([0, again])
    } else {
      expect(await upload()).toEqual([3, counts, mixed([]), ['alice/b.txt document_exists']])
      expect((await upload()).slice(0, 2)).toEqual([3, { new: 0, changed: 1, unchanged: 2 }])
    }
  },
)

test('two folders with files of the same name do not replace each other', async () => {
  const base = testFolder()
  for (const name of ['alice', 'bob']) {
    mkdirSync(join(base, name))
    writeFileSync(join(base, name, 'contract.txt'), `The contract of ${name}.`)
    expect((await cli(['upload', join(base, name), '-p', 'contracts', '--wait'])).code).toBe(0)
  }
  const { documents } = (await cliJson(['documents', 'list', '-p', 'contracts'])) as { documents: { path: string }[] }
  expect(documents.map(({ path }) => path).toSorted()).toEqual(['alice/contract.txt', 'bob/contract.txt'])
})

test('lists, shows, prints, downloads, reprocesses and deletes a document', async () => {
  const id = await uploadText('papers', 'note.txt', 'A note about nothing.\n')
  expect((await cli(['documents', 'list', '--project', 'papers'])).stdout).toMatch(
    /^doc_\w+\tready\tpapers\tnote\.txt\t1\t22\t\n$/,
  )
  expect((await cli(['documents', 'show', id])).stdout).toContain('name\tnote.txt\n')
  expect((await cli(['documents', 'text', id])).stdout).toContain('A note about nothing.')
  const file = join(testFolder(), 'copy.txt')
  expect((await cli(['documents', 'get', id, '-o', file])).code).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe('A note about nothing.\n')
  expect((await cli(['documents', 'get', id, '-o', file])).code).toBe(2)
  expect((await cli(['documents', 'get', id])).stdout).toBe('A note about nothing.\n')
  expect((await cli(['documents', 'reprocess', id])).stdout).toBe(`${id}\tqueued\n`)
  expect(await cli(['documents', 'delete', id, 'doc_none', '--yes'])).toMatchObject({ code: 3, stdout: `${id}\tdeleted\n` })
  expect((await cli(['documents', 'show', id])).code).toBe(2)
  expect((await cli(['documents', 'list', '--project', 'papers'])).code).toBe(1)
})

test('a deleted document can be restored, and the commands say how', async () => {
  const id = await uploadText('bin', 'lamp.txt', 'The lamp of the mill.\n')
  const deleted = await cli(['documents', 'delete', id, '--yes'])
  expect(deleted).toMatchObject({ code: 0, stderr: `To undo this, run \`docsearch documents restore ${id}\`.\n` })
  expect((await cli(['documents', 'list', '--trashed', '--project', 'bin'])).stdout).toMatch(new RegExp(`^${id}\t`))
  expect((await cli(['documents', 'restore', 'lamp.txt'])).stdout).toBe('lamp.txt\trestored\n')
  expect((await cli(['documents', 'list', '--trashed', '--project', 'bin'])).code).toBe(1)

  const file = join(testFolder(), 'lamp.txt')
  writeFileSync(file, 'A new lamp.\n')
  const replaced = await cli(['upload', file, '--project', 'bin', '--wait'])
  const [, former] = /To get replaced versions back, run `docsearch documents restore (doc_\w+)`/.exec(replaced.stderr)!
  const back = await cli(['documents', 'restore', former!])
  expect(back.stderr).toBe(
    `The document that was at lamp.txt is in the trash now. To undo this, run \`docsearch documents restore ${id}\`.\n`,
  )
  expect(await cliJson(['documents', 'restore', id])).toEqual({
    restored: [id],
    failed: [],
    replaced: [{ id: former, by: id, undo: `docsearch documents restore ${former}` }],
  })
  expect(await cliJson(['documents', 'delete', 'lamp.txt', '--yes'])).toEqual({
    deleted: [id],
    failed: [],
    undo: `docsearch documents restore ${id}`,
  })
  expect(await cliJson(['documents', 'restore', id])).toEqual({ restored: [id], failed: [], replaced: [] })
  expect((await cli(['documents', 'delete', former!, '--permanent', '--yes'])).stderr).toBe('')
  expect((await cli(['documents', 'restore', former!])).code).toBe(2)
  const many = await cli(['documents', 'delete', id, '--permanent', '--yes'])
  expect(many).toMatchObject({ code: 0, stderr: '' })
  expect((await cli(['documents', 'restore', id])).code).toBe(2)
})

test('moves, renames and tags a document', async () => {
  const id = await uploadText('edits', 'scan.txt', 'The lease of the mill.\n')
  await cli(['projects', 'create', 'archive'])
  const run = async (...args: string[]) => (await cli(['documents', ...args])).stdout
  expect(await run('move', 'scan.txt', 'mill/')).toBe(`${id}\tscan.txt\tedits\tmill/scan.txt\n`)
  expect(await run('rename', id, 'lease.txt', '--title', 'Lease')).toBe(`${id}\tlease.txt\tedits\tmill/lease.txt\n`)
  expect(await run('mv', id, '--project', 'archive')).toBe(`${id}\tlease.txt\tarchive\tmill/lease.txt\n`)
  expect(await run('tag', id, '--add', 'signed', '--add', 'mill')).toBe(`${id}\ttagged\n`)
  expect(await run('tag', id, '--remove', 'mill')).toBe(`${id}\ttagged\n`)
  expect(await cliJson(['documents', 'show', id])).toMatchObject({ title: 'Lease', tags: ['signed'], status: 'ready' })
  expect((await cli(['search', 'mill', '--project', 'archive'])).stdout).toMatch(/^mill\/lease\.txt:1:/)
  await uploadText('archive', 'other.txt', 'Another one.\n')
  const taken = await cli(['documents', 'move', id, 'other.txt'])
  expect([taken.code, taken.stdout]).toEqual([2, ''])
  expect(taken.stderr).toContain('Another document of the project has the path "other.txt".')
  for (const args of [
    ['move', id],
    ['rename', id],
    ['tag', id],
  ])
    expect((await cli(['documents', ...args])).code).toBe(2)
})

test('an exact path goes before names, and extra arguments are refused', async () => {
  const id = await uploadText('places', 'pa.txt', 'The first place.\n')
  const other = await uploadText('places', 'pb.txt', 'The second place.\n')
  await cli(['documents', 'move', other, 'sub/pb.txt'])
  await cli(['documents', 'move', id, 'pb.txt'])
  expect((await cli(['documents', 'text', 'pb.txt'])).stdout).toContain('The first place.')
  expect((await cli(['documents', 'text', 'sub/pb.txt'])).stdout).toContain('The second place.')
  await cli(['documents', 'move', other, 'deep/q.txt'])
  expect((await cli(['documents', 'text', 'deep/q.txt'])).stdout).toContain('The second place.')
  expect(await cli(['documents', 'rename', id, 'new', 'name.txt'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('too many arguments'),
  })
  await cli(['documents', 'rename', other, 'q.txt'])
  await cli(['documents', 'delete', id, '--yes'])
  expect((await cli(['documents', 'list', '--trashed', '--project', 'places'])).stdout).toMatch(
    new RegExp(`^${id}\\t\\d{4}-.*Z\\tplaces\\tpb\\.txt\\t17\\n$`),
  )
  expect((await cli(['documents', 'delete', 'pb.txt', '--permanent', '--yes'])).code).toBe(0)
  expect((await cli(['documents', 'restore', id])).code).toBe(2)
})

test('finds a document by its name or path if only one document has it', async () => {
  const id = await uploadText('first', 'only.txt', 'The only one.\n')
  expect((await cli(['documents', 'text', 'only.txt'])).stdout).toContain('The only one.')
  expect((await cli(['documents', 'show', 'only'])).stderr).toContain('`docsearch documents list`')
  const other = await uploadText('second', 'only.txt', 'Not the only one.\n')
  const unclear = await cli(['documents', 'delete', 'only.txt', '--yes'])
  expect(unclear.code).toBe(2)
  for (const part of [id, other, 'only.txt in second']) expect(unclear.stderr).toContain(part)
  expect((await cli(['documents', 'delete', other, '--yes'])).code).toBe(0)
  expect((await cli(['documents', 'delete', 'only.txt', '--yes'])).stdout).toBe('only.txt\tdeleted\n')
})

test('a noun alone lists its items', async () => {
  for (const noun of ['projects', 'keys', 'documents']) {
    const [alone, list] = [await cli([noun]), await cli([noun, 'list'])]
    expect(alone).toMatchObject({ code: list.code, stdout: list.stdout })
  }
})

test('creates, renames, lists, shows and deletes projects, and refuses a taken name', async () => {
  expect((await cli(['projects', 'create', 'drafts', '--description', 'unfinished'])).code).toBe(0)
  expect((await cli(['projects', 'create', 'drafts'])).code).toBe(2)
  expect(await cliJson(['projects', 'rename', 'drafts', 'finals'])).toMatchObject({ name: 'finals', description: 'unfinished' })
  expect((await cli(['projects', 'list'])).stdout).toMatch(/^prj_\w+\tfinals\t0\t0\t0\t0\tmanager$/m)
  expect((await cli(['projects', 'list'], { terminal: 100, env: { NO_COLOR: '1' } })).stdout).toMatch(/^ID +NAME +DOCUMENTS/)
  expect((await cli(['projects', 'show', 'finals'])).stdout).toContain('name\tfinals\n')
  const refused = await cli(['projects', 'delete', 'finals'])
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('--yes')
  expect((await cli(['projects', 'delete', 'finals'], { terminal: 80, prompts: { confirm: async () => false } })).code).toBe(130)
  expect((await cli(['projects', 'delete', 'finals'], { terminal: 80, prompts: { confirm: async () => true } })).code).toBe(0)
  expect((await cli(['projects', 'show', 'finals'])).code).toBe(2)
})

test('creates a key with the given scopes, and deletes it', async () => {
  const made = await cli(['keys', 'create', 'reader', '--scope', 'read:documents', '--expires-in-days', '2'])
  expect(made.stdout).toMatch(/^dsk_\w{36}\n$/)
  const reader = { env: { DOCSEARCH_TOKEN: made.stdout.trim() } }
  expect((await cli(['projects', 'create', 'x'], reader)).code).toBe(4)
  expect((await cli(['keys', 'list'])).stdout).toContain('\treader\t…')
  expect((await cli(['keys', 'list'], { terminal: 50, env: { NO_COLOR: '1' } })).stdout).toMatch(/^[0-9a-z]{6} +reader /m)
  const { keys } = (await cliJson(['keys', 'list'])) as { keys: { id: string; name: string }[] }
  expect((await cli(['keys', 'delete', keys.find(({ name }) => name === 'reader')!.id, '--yes'])).code).toBe(0)
  expect((await cli(['whoami'], reader)).code).toBe(4)
})

test('login --with-token stores a working key for its address; whoami shows it and logout deletes it', async () => {
  const env = { XDG_CONFIG_HOME: testFolder(), DOCSEARCH_SERVER: '', DOCSEARCH_TOKEN: '' }
  const wrong = await cli(['login', app.url, '--with-token'], { env, stdin: 'dsk_wrong\n' })
  expect(wrong.code).toBe(4)
  expect(wrong.stderr).not.toContain('dsk_wrong')
  const typed = await cli(['login', app.url, '--with-token'], {
    env,
    terminal: 80,
    prompts: { password: async () => 'dsk_typed' },
  })
  expect(typed.code).toBe(4)
  expect(typed.stdout + typed.stderr).not.toContain('dsk_typed')
  const login = await cli(['login', app.url, '--with-token'], { env, stdin: `${token}\n` })
  expect(login).toMatchObject({ code: 0, stdout: `Logged in to ${app.url} as Carol (${SCOPES.join(', ')})\n` })
  expect(login.stderr).not.toContain(token)
  expect((await cli(['whoami'], { env })).stdout).toContain('user\tCarol\n')
  expect((await cli(['logout'], { env })).code).toBe(0)
  expect((await cli(['whoami', '--server', app.url], { env })).code).toBe(4)
})

test('a key can be limited to projects, which the lists and whoami show', async () => {
  await uploadText('handbook', 'h.txt', 'How to file a claim.')
  await uploadText('salaries', 's.txt', 'How to claim a bonus.')
  expect((await cli(['keys', 'create', 'bot', '--project', 'nowhere'])).code).toBe(2)
  const made = await cli(['keys', 'create', 'bot', '--project', 'handbook'])
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('limited to handbook') })
  const env = { DOCSEARCH_TOKEN: made.stdout.trim() }
  expect((await cli(['search', 'claim', '-l'], { env })).stdout).toBe('h.txt\n')
  expect((await cli(['whoami'], { env })).stdout).toMatch(/limited to\s+handbook/)
  expect((await cli(['keys', 'list'])).stdout).toMatch(/bot.*handbook/)
  const file = join(testFolder(), 'a.txt')
  writeFileSync(file, 'x')
  const refused = await cli(['upload', file], { env })
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('limited to certain projects') })
})

test('--project tells documents of the same path apart, and a key is deleted by its name', async () => {
  const ids = [
    await uploadText('east', 'report.txt', 'The eastern report.'),
    await uploadText('west', 'report.txt', 'The western report.'),
  ]
  const ambiguous = await cli(['documents', 'show', 'report.txt'])
  expect([ambiguous.code, ambiguous.stderr]).toMatchObject([2, expect.stringContaining('Use an ID, or --project')])
  const shown = await cliJson(['documents', 'show', 'report.txt', '--project', 'west'])
  expect(shown['id']).toBe(ids[1])
  expect((await cli(['documents', 'text', 'report.txt', '-p', 'east'])).stdout).toContain('The eastern report.')
  expect((await cli(['documents', 'tag', 'report.txt', '-p', 'east', '--add', 'x'])).code).toBe(0)
  expect((await cli(['documents', 'delete', 'report.txt', '-p', 'east', '--yes'])).code).toBe(0)
  const nowhere = await cli(['documents', 'restore', 'nope.txt'])
  expect([nowhere.code, nowhere.stderr]).toMatchObject([2, expect.stringContaining('docsearch documents list --trashed')])
  expect((await cli(['documents', 'restore', 'report.txt', '-p', 'east'])).code).toBe(0)
  await cliJson(['keys', 'create', 'twice'])
  await cliJson(['keys', 'create', 'twice'])
  await cliJson(['keys', 'create', 'once'])
  expect(await cli(['keys', 'delete', 'once', '--yes'])).toMatchObject({ code: 0, stdout: 'Deleted key once\n' })
  const twice = await cli(['keys', 'delete', 'twice', '--yes'])
  expect([twice.code, twice.stderr]).toMatchObject([2, expect.stringContaining('Use an ID: key_')])
  expect((await cli(['keys', 'delete', 'once', '--yes'])).stderr).toContain('You have no API key "once".')
})

test('a terminal shows the ends of IDs, and commands accept them', async () => {
  const id = await uploadText('short', 'short-id.txt', 'A passage.')
  const shortIdIn = (stdout: string) => stdout.split('\n')[1]!.split(' ')[0]!
  const listed = await cli(['documents', 'list', '--project', 'short'], { terminal: 120 })
  const short = shortIdIn(listed.stdout)
  expect(short).toBe(id.slice(-6))
  expect((await cli(['documents', 'list', '--project', 'short'])).stdout).toContain(id)
  expect(await cliJson(['documents', 'show', short])).toMatchObject({ id, created_at: expect.any(String) })
  expect((await cli(['documents', 'show', short], { terminal: 80 })).stdout).toMatch(
    /created.* 20\d\d-\d\d-\d\d .* \((just now|.* ago)\)/,
  )

  const projects = await cli(['projects', 'show', 'short', '--json'])
  const projectId = (JSON.parse(projects.stdout) as { id: string }).id
  expect((await cli(['search', 'passage', '--project', projectId.slice(-8)])).stdout).toContain('short-id.txt')

  const { id: keyId } = (await cliJson(['keys', 'create', 'short'])) as { id: string }
  expect((await cli(['keys', 'list'], { terminal: 120 })).stdout).toContain(`${keyId.slice(-6)}  short`)
  expect(await cli(['keys', 'delete', keyId.slice(-6), '--yes'])).toMatchObject({ code: 0, stdout: 'Deleted key short\n' })

  expect((await cli(['documents', 'delete', short, '--yes'])).code).toBe(0)
  expect((await cli(['documents', 'show', short])).code).toBe(2)
  expect((await cli(['documents', 'restore', short])).code).toBe(0)
})
