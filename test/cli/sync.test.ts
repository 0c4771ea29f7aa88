import { mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../../src/core/model.ts'
import { startTestApp } from '../support/app.ts'
import type { TestApp } from '../support/app.ts'
import { runCommand, testFolder } from '../support/cli.ts'
import { errorCode } from '../support/codes.ts'

let app: TestApp
let token: string
let projects = 0

beforeAll(async () => {
  app = await startTestApp()
  const owner = await app.backend.records.users.create({ name: 'Carol', email: null, role: 'member' })
  token = (await app.backend.apiKeys.create({ ownerId: owner.id, name: 'cli', scopes: SCOPES, expiresAt: null })).key
})
afterAll(() => app.close())

/** A folder named `notes`, and a project of its own. */
class Library {
  readonly base = testFolder()
  readonly folder = join(this.base, 'notes')
  readonly project = `sync-${++projects}`

  constructor(files: Record<string, string> = {}) {
    mkdirSync(this.folder)
    for (const [path, text] of Object.entries(files)) this.write(path, text)
  }

  /** The file is so old that its hash may be kept. */
  write(path: string, text: string): void {
    const file = join(this.folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    utimesSync(file, 1000, 1000)
  }

  remove(path: string): void {
    rmSync(join(this.folder, path))
  }

  async cli(...args: string[]) {
    const env = { DOCSEARCH_SERVER: app.url, DOCSEARCH_TOKEN: token, XDG_CACHE_HOME: join(this.base, 'cache') }
    return runCommand(args, { env })
  }

  sync(...args: string[]) {
    return this.cli('sync', this.folder, '--project', this.project, ...args)
  }

  /** Returns the documents of the project, as `path id sha256`. */
  async documents(...filter: string[]): Promise<{ id: string; path: string; name: string; sha256: string; tags: string[] }[]> {
    const run = await this.cli('documents', 'list', '--project', this.project, '--json', ...filter)
    const { documents = [] } = JSON.parse(run.stdout || '{}') as { documents?: Awaited<ReturnType<Library['documents']>> }
    return documents
  }

  async paths(): Promise<string[]> {
    return (await this.documents()).map(({ path }) => path).toSorted()
  }
}

test('sends new and changed files, moves the documents of renamed ones, and deletes only with --prune', async () => {
  const library = new Library({ 'a.txt': 'one', 'b.txt': 'two', 'sub/c.txt': 'three', 'd.txt': 'four' })
  const first = await library.sync('--tag', 'x')
  expect(first).toMatchObject({ code: 0, stdout: '' })
  expect(first.stderr).toContain('4 new, 0 changed, 0 renamed, 0 gone, 0 unchanged\n')
  expect(first.stderr).toContain('Uploaded 4 documents.')
  const before = new Map((await library.documents()).map((document) => [document.path, document]))
  expect([before.size, before.get('notes/a.txt')?.tags]).toEqual([4, ['x']])

  library.write('b.txt', 'two, changed')
  renameSync(join(library.folder, 'sub/c.txt'), join(library.folder, 'moved.txt'))
  library.remove('d.txt')
  library.write('e.txt', 'five')
  const second = await library.sync('--verbose')
  expect(second.code).toBe(0)
  expect(second.stderr).toContain('1 new, 1 changed, 1 renamed, 1 gone, 1 unchanged\n')
  expect(second.stderr).toContain('1 document has no file any more. To delete it, add --prune.')
  expect(second.stdout).toContain('moved\tnotes/sub/c.txt → notes/moved.txt\t')
  expect(await library.paths()).toEqual(['a', 'b', 'd', 'e', 'moved'].map((name) => `notes/${name}.txt`))
  const moved = (await library.documents()).find(({ path }) => path === 'notes/moved.txt')
  expect(moved).toMatchObject({ id: before.get('notes/sub/c.txt')?.id, name: 'moved.txt' })

  const third = await library.sync('--prune', '--max-delete', '50%', '--json')
  expect(JSON.parse(third.stdout)).toMatchObject({
    new: 0,
    gone: 1,
    unchanged: 4,
    deleted: [{ path: 'notes/d.txt', id: before.get('notes/d.txt')?.id }],
    rejected: [],
  })
  expect(await library.paths()).not.toContain('notes/d.txt')
})

test('touches no documents of other folders, except with --whole-project', async () => {
  const library = new Library({ 'a.txt': 'one', 'b.txt': 'two' })
  const other = join(library.base, 'other.txt')
  writeFileSync(other, 'other')
  await library.cli('upload', other, '--project', library.project)
  await library.sync('--prune')
  expect(await library.paths()).toEqual(['notes/a.txt', 'notes/b.txt', 'other.txt'])
  expect((await library.sync('--prune', '--whole-project', '--max-delete', '1')).code).toBe(0)
  expect(await library.paths()).toEqual(['notes/a.txt', 'notes/b.txt'])
})

test('never deletes what is ignored, left out or unreadable in the folder', async () => {
  const names = ['a.txt', 'ignored.txt', 'big.txt', 'excluded.txt', 'closed/x.txt', 'draft.bin', 'gone.txt']
  const library = new Library(
    Object.fromEntries(names.map((name) => [name, `text of ${name} ${'x'.repeat(name === 'big.txt' ? 3000 : 1)}`])),
  )
  await library.cli('upload', library.folder, join(library.folder, 'draft.bin'), '-r', '--project', library.project)
  library.write('.docsearchignore', 'ignored.txt\n')
  library.remove('ignored.txt')
  library.remove('excluded.txt')
  library.remove('gone.txt')
  const more = ['--prune', '--max-delete', '100%', '--exclude', 'excluded.txt', '--max-size', '2kB']
  const run = await library.sync(...more, '--dry-run')
  expect(run.stdout).toBe('gone\tnotes/gone.txt\t\n')
  await library.sync(...more)
  expect(await library.paths()).toEqual(
    ['a.txt', 'big.txt', 'closed/x.txt', 'draft.bin', 'excluded.txt', 'ignored.txt'].map((name) => `notes/${name}`),
  )
})

test('keeps the documents of a folder that cannot be read, and deletes nothing then', async () => {
  const library = new Library({ 'a.txt': 'one', 'closed/x.txt': 'two', 'gone.txt': 'three' })
  await library.sync()
  library.remove('gone.txt')
  // Without its rules, nobody knows which files of the folder count. This fails for the administrator, too.
  mkdirSync(join(library.folder, 'closed/.docsearchignore'))
  const run = await library.sync('--prune', '--max-delete', '100%')
  expect(run.code).toBe(3)
  expect(run.stderr).toContain('notes/closed\tunreadable\t')
  expect(await library.paths()).toEqual(['notes/a.txt', 'notes/closed/x.txt', 'notes/gone.txt'])
})

test('deletes nothing above --max-delete, from an empty folder, or after a failure, and exits with 3', async () => {
  const names = Array.from({ length: 12 }, (_, i) => `${i}.txt`)
  const library = new Library(Object.fromEntries(names.map((name) => [name, `text ${name}`])))
  await library.sync()
  for (const name of names.slice(0, 3)) library.remove(name)
  library.write('new.txt', 'new')
  const tooMany = await library.sync('--prune')
  expect(tooMany.code).toBe(3)
  expect(tooMany.stderr).toContain(
    'Nothing was deleted: 3 of 12 documents have no file any more, more than --max-delete 10% allows (2).',
  )
  // What is no deletion is done all the same.
  expect((await library.paths()).length).toBe(13)
  writeFileSync(join(library.folder, 'line\nbreak.txt'), 'a name that no document can have')
  const failed = await library.sync('--prune', '--max-delete', '3')
  expect([failed.code, (await library.paths()).length]).toEqual([3, 13])
  expect(failed.stderr).toContain('Nothing was deleted, because')
  for (const name of [...names.slice(3), 'new.txt', 'line\nbreak.txt']) library.remove(name)
  const empty = await library.sync('--prune', '--max-delete', '100%')
  expect([empty.code, (await library.paths()).length]).toEqual([3, 13])
  expect(empty.stderr).toContain('has no files to upload, so nothing was deleted')
})

test('a document that another program deleted or moved in between is no failure', async () => {
  const library = new Library({ 'a.txt': 'one', 'b.txt': 'two' })
  await library.sync()
  library.remove('b.txt')
  const runs = await Promise.all([1, 2, 3].map(() => library.sync('--prune', '--max-delete', '1')))
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
  expect(await library.paths()).toEqual(['notes/a.txt'])
})

test('--plan writes what --apply then does, unless the folder or the project has changed', async () => {
  const library = new Library({ 'a.txt': 'one', 'b.txt': 'two' })
  await library.sync()
  library.write('c.txt', 'three')
  library.remove('b.txt')
  const file = join(library.base, 'plan.json')
  const planned = await library.sync('--prune', '--plan', file)
  expect(planned).toMatchObject({ code: 0, stdout: 'new\tnotes/c.txt\t5\ngone\tnotes/b.txt\t\n' })
  expect(planned.stderr).toContain(`docsearch sync --apply ${file}`)
  expect(await library.paths()).toEqual(['notes/a.txt', 'notes/b.txt'])

  library.write('d.txt', 'four')
  const folderChanged = await library.cli('sync', '--apply', file)
  expect([folderChanged.code, folderChanged.stderr]).toMatchObject([2, expect.stringContaining('the folder has changed')])
  library.remove('d.txt')
  const [first] = await library.documents()
  await library.cli('documents', 'move', first!.id, 'notes/elsewhere.txt')
  const projectChanged = await library.cli('sync', '--apply', file)
  expect([projectChanged.code, projectChanged.stderr]).toMatchObject([2, expect.stringContaining('has changed')])
  await library.cli('documents', 'move', first!.id, first!.path)
  const edited = JSON.parse(readFileSync(file, 'utf8')) as { changes: unknown[] }
  const other = join(library.base, 'edited.json')
  writeFileSync(other, JSON.stringify({ ...edited, changes: edited.changes.slice(1) }))
  expect((await library.cli('sync', '--apply', other)).code).toBe(2)
  writeFileSync(other, JSON.stringify({ ...edited, surprise: true }))
  expect((await library.cli('sync', '--apply', other)).stderr).toContain('is not a plan of this version')
  expect(await library.paths()).toEqual(['notes/a.txt', 'notes/b.txt'])

  expect((await library.cli('sync', '--apply', file)).code).toBe(0)
  expect(await library.paths()).toEqual(['notes/a.txt', 'notes/c.txt'])
})

test.each([
  [['--apply', 'p.json', '--plan', 'q.json'], 'cannot be used'],
  [['--max-delete', '5'], '--max-delete has no effect without --prune'],
  [['--prune', '--max-delete', '120%'], 'such as 10%'],
  [['--project', ''], '--project is empty'],
])('refuses %j', async (args, message) => {
  const library = new Library({ 'a.txt': 'one' })
  const run = await library.sync(...args)
  expect([run.code, run.stdout]).toEqual([2, ''])
  expect(run.stderr).toContain(message)
})

test('refuses a file, a folder that is not there, and an instance that is not the one of the plan', async () => {
  const library = new Library({ 'a.txt': 'one' })
  const file = await library.cli('sync', join(library.folder, 'a.txt'), '--project', 'p')
  expect([file.code, file.stderr]).toMatchObject([2, expect.stringContaining('is not a folder')])
  expect((await library.cli('sync', join(library.folder, 'nowhere'), '--project', 'p')).code).toBe(2)
  const plan = join(library.base, 'plan.json')
  await library.sync('--plan', plan)
  const content = JSON.parse(readFileSync(plan, 'utf8')) as object
  writeFileSync(plan, JSON.stringify({ ...content, server: 'http://other.example' }))
  expect((await library.cli('sync', '--apply', plan)).stderr).toContain('http://other.example')
})

test('a key that may not read documents is refused before anything is sent', async () => {
  const library = new Library({ 'a.txt': 'one' })
  const reader = await app.backend.records.users.create({ name: 'Rita', email: null, role: 'member' })
  const key = await app.backend.apiKeys.create({ ownerId: reader.id, name: 'r', scopes: ['write:documents'], expiresAt: null })
  const env = { DOCSEARCH_SERVER: app.url, DOCSEARCH_TOKEN: key.key }
  const run = await runCommand(['sync', library.folder, '--json'], { env })
  expect(run.code).toBe(4)
  expect(JSON.parse(run.stderr)).toMatchObject({ code: errorCode('insufficient_scope') })
})

type Step = { kind: 'write' | 'remove' | 'rename' | 'copy'; from: number; to: number; text: number }
const PATHS = ['a.txt', 'b.txt', 'sub/a.txt', 'sub/c.txt', 'sub/deep/d.txt', 'other/e.md']
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('write', 'remove', 'rename', 'copy'),
  from: fc.nat(PATHS.length - 1),
  to: fc.nat(PATHS.length - 1),
  // Few texts, so that files are often equal.
  text: fc.nat(3),
})

/** Does to the folder what the steps say, as far as they are possible. */
function play(library: Library, files: Map<string, string>, steps: readonly Step[]): void {
  for (const { kind, from, to, text } of steps) {
    const [source, target] = [PATHS[from]!, PATHS[to]!]
    const content = kind === 'write' ? `Text number ${text} of the model.` : files.get(source)
    if (content === undefined) continue
    if (kind !== 'remove') {
      library.write(target, content)
      files.set(target, content)
    }
    if (kind === 'remove' || (kind === 'rename' && source !== target)) {
      library.remove(source)
      files.delete(source)
    }
  }
}

test('after any changes, sync with --prune makes the project equal to the folder, and without it nothing is lost', async () => {
  const rounds = fc.array(fc.record({ steps: fc.array(step, { maxLength: 8 }), prunes: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  })
  await fc.assert(
    fc.asyncProperty(rounds, async (played) => {
      const library = new Library()
      const files = new Map<string, string>()
      for (const { steps, prunes } of played) {
        const before = await library.documents()
        play(library, files, steps)
        const run = await library.sync(...(prunes ? ['--prune', '--max-delete', '100%'] : []))
        const after = await library.documents()
        const paths = after.map(({ path }) => path)
        expect(paths).toEqual(expect.arrayContaining([...files.keys()].map((path) => `notes/${path}`)))
        if (prunes && files.size > 0) {
          expect(run.code).toBe(0)
          expect(paths.toSorted()).toEqual([...files.keys()].map((path) => `notes/${path}`).toSorted())
        }
        // A replaced text is in the trash. Everything else is still in the project, perhaps at another path.
        if (!prunes) for (const { id } of before) expect(after.map((document) => document.id)).toContain(id)
      }
    }),
    { numRuns: 12 },
  )
}, 60_000)
