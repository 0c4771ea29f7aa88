import { createHash } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand, testFolder } from '../support/cli.ts'
import type { CliOptions } from '../support/cli.ts'
import { json, problem, scriptedInstance, uploaded } from '../support/scripted-instance.ts'
import type { Received, Script } from '../support/scripted-instance.ts'
import { until } from '../support/until.ts'
import { errorCode } from '../support/codes.ts'

/** Reads the parts of a multipart request. */
async function partsOf(request: Received) {
  const form = await new Response(new Uint8Array(request.body), {
    headers: { 'Content-Type': request.headers['content-type']! },
  }).formData()
  const files = await Promise.all(
    (form.getAll('file') as File[]).map(async (file) => ({ name: file.name, text: await file.text() })),
  )
  return { form, files, paths: form.getAll('path') as string[] }
}

async function takesAll(request: Received, response: ServerResponse): Promise<void> {
  const { paths } = await partsOf(request)
  json(response, 202, { documents: paths.map((path) => uploaded(`doc_${path}`, path)), rejected: [] })
}

/** Says that the project has none of the files. */
function hasNone(request: Received, response: ServerResponse): void {
  const { files } = JSON.parse(request.body.toString()) as { files: { path: string }[] }
  json(response, 200, {
    files: files.map(({ path }) => ({ path, state: 'new', is_needed: true, error: null, document: null })),
  })
}

async function upload(args: string[], script: Script = {}, options: CliOptions = {}) {
  const scripted = await scriptedInstance({ 'POST /api/v1/upload': takesAll, 'POST /api/v1/upload/plan': hasNone, ...script })
  const run = await runCommand(['upload', ...args, '--server', scripted.url], {
    ...options,
    env: { DOCSEARCH_TOKEN: 'dsk_x', ...options.env },
  })
  const isPlan = ({ path }: Received) => path === '/api/v1/upload/plan'
  const plans = scripted.requests
    .filter(isPlan)
    .map(({ body }) => JSON.parse(body.toString()) as { files: { path: string; sha256: string }[] })
  return { ...run, plans, instance: { url: scripted.url, requests: scripted.requests.filter((request) => !isPlan(request)) } }
}

/** Returns an empty folder named `library`. */
function emptyLibrary(): string {
  const folder = join(testFolder(), 'library')
  mkdirSync(folder)
  return folder
}

function library(): string {
  const folder = emptyLibrary()
  mkdirSync(join(folder, 'inner'))
  for (const name of ['b.txt', 'a.txt', '.hidden.txt', 'inner/c.txt']) writeFileSync(join(folder, name), `text of ${name}`)
  return folder
}

test('uploads the files of a folder by their path in it, without hidden files and subfolders', async () => {
  const { instance, ...run } = await upload([library(), '--project', 'p', '--tag', 'x', '--tag', 'y,z', '--on-conflict', 'keep'])
  const { form, files, paths } = await partsOf(instance.requests[0]!)
  expect(files).toEqual([
    { name: 'a.txt', text: 'text of a.txt' },
    { name: 'b.txt', text: 'text of b.txt' },
  ])
  expect(paths).toEqual(['library/a.txt', 'library/b.txt'])
  expect([form.get('project'), form.get('tags'), form.get('on_conflict')]).toEqual(['p', 'x,y,z', 'keep'])
  expect(run.code).toBe(0)
  expect(run.stdout).toBe(
    'doc_library/a.txt\tcreated\tqueued\tlibrary/a.txt\ndoc_library/b.txt\tcreated\tqueued\tlibrary/b.txt\n',
  )
  expect(run.stderr).toContain('Skipped 1 subfolder. To include subfolders, add --recursive.')
})

test('--recursive includes subfolders, and globs are expanded', async () => {
  const folder = library()
  const recursive = await upload([folder, '-r'])
  expect((await partsOf(recursive.instance.requests[0]!)).paths).toEqual([
    'library/a.txt',
    'library/b.txt',
    'library/inner/c.txt',
  ])
  const glob = await upload([join(folder, '*.txt')])
  expect((await partsOf(glob.instance.requests[0]!)).paths).toEqual(['a.txt', 'b.txt'])
})

test('uploads standard input under the given name', async () => {
  const { instance, code } = await upload(['-', '--name', 'notes.txt'], {}, { stdin: 'from a pipe' })
  expect((await partsOf(instance.requests[0]!)).files).toEqual([{ name: 'notes.txt', text: 'from a pipe' }])
  expect(code).toBe(0)
})

test('sends many files in requests of at most 20', async () => {
  const folder = emptyLibrary()
  for (let i = 0; i < 45; i++) writeFileSync(join(folder, `${i}.txt`), `${i}`)
  const { instance, stdout } = await upload([folder])
  const sizes = await Promise.all(instance.requests.map(async (request) => (await partsOf(request)).files.length))
  expect(sizes.sort((a, b) => a - b)).toEqual([5, 20, 20])
  expect(stdout.trimEnd().split('\n')).toHaveLength(45)
})

test('waits as long as a busy instance asks', async () => {
  let calls = 0
  const { code, instance } = await upload([library()], {
    'POST /api/v1/upload': (request: Received, response: ServerResponse) =>
      ++calls === 1
        ? problem(response, 429, errorCode('rate_limited'), 'Too many requests.', {}, { 'Retry-After': '0' })
        : takesAll(request, response),
  })
  expect(code).toBe(0)
  expect(instance.requests).toHaveLength(2)
})

test('lists refused files with their reasons, uploads the rest and exits with 3', async () => {
  const rejected = [{ name: 'b.txt', code: errorCode('encrypted'), message: 'This needs \u001b[2Ja password.' }]
  const run = await upload([library()], { 'POST /api/v1/upload': { documents: [uploaded('doc_a', 'library/a.txt')], rejected } })
  expect(run.code).toBe(3)
  expect(run.stdout).toBe('doc_a\tcreated\tqueued\tlibrary/a.txt\n')
  expect(run.stderr).toContain('b.txt\tencrypted\tThis needs \ufffd[2Ja password.')
  expect(run.stderr).toContain('1 of 2 files failed.')
})

test('prints the same list when every file is refused', async () => {
  const rejected = ['a.txt', 'b.txt'].map((name) => ({ name, code: errorCode('encrypted'), message: 'It needs a password.' }))
  const refuse = (_: Received, response: ServerResponse) =>
    problem(response, 422, errorCode('encrypted'), 'Nothing was taken.', { documents: [], rejected })
  const run = await upload([library(), '--json'], { 'POST /api/v1/upload': refuse })
  expect(run.code).toBe(3)
  expect(JSON.parse(run.stdout)).toMatchObject({
    documents: [],
    rejected: [{ path: 'library/a.txt', code: errorCode('encrypted') }, { path: 'library/b.txt' }],
  })
  expect(JSON.parse(run.stderr)).toMatchObject({ code: errorCode('partial_failure'), exit_code: 3 })
})

test('skips files without text in a folder, and refuses them when they are named', async () => {
  const folder = emptyLibrary()
  for (const name of ['a.txt', 'b.txt', 'photo.JPG', 'clip.mp4']) writeFileSync(join(folder, name), `text of ${name}`)
  writeFileSync(join(folder, 'empty.txt'), '')
  const rejected = [{ name: 'b.txt', code: errorCode('unsupported_type'), message: 'This is a program.' }]
  const script = { 'POST /api/v1/upload': { documents: [uploaded('doc_a', 'library/a.txt')], rejected } }
  const run = await upload([folder], script)
  expect(run).toMatchObject({ code: 0, stdout: 'doc_a\tcreated\tqueued\tlibrary/a.txt\n' })
  expect(run.stderr).toContain('Skipped 4 files without text that docsearch reads: ')
  expect((await partsOf(run.instance.requests[0]!)).paths).toEqual(['library/a.txt', 'library/b.txt'])
  const asJson = JSON.parse((await upload([folder, '--json'], script)).stdout) as { skipped: { path: string; code: string }[] }
  expect(asJson.skipped.map(({ path, code }) => `${path} ${code}`)).toEqual([
    'library/clip.mp4 unsupported_type',
    'library/empty.txt empty_file',
    'library/photo.JPG unsupported_type',
    'library/b.txt unsupported_type',
  ])
  const named = await upload([`${folder}/a.txt`, `${folder}/b.txt`], script)
  expect(named.code).toBe(3)
  expect(named.stderr).toContain('b.txt\tunsupported_type\tThis is a program.')
})

test('names files in a format that can be converted apart from files without text', async () => {
  const folder = emptyLibrary()
  for (const name of ['a.txt', 'old.doc', 'older.DOC', 'notes.pages', 'photo.jpg']) writeFileSync(join(folder, name), name)
  const rejected = ['old.doc', 'older.DOC', 'notes.pages'].map((name) => ({
    name,
    code: errorCode('unsupported_type'),
    message: 'Save it as .docx.',
    convertible: true,
  }))
  const script = { 'POST /api/v1/upload': { documents: [uploaded('doc_a', 'library/a.txt')], rejected } }
  const run = await upload([folder], script)
  expect(run.code).toBe(0)
  expect(run.stderr).toContain('Skipped 1 file without text that docsearch reads: 1 .jpg.')
  expect(run.stderr).toContain(
    "Skipped 3 files in a format that docsearch can't read: 2 .doc, 1 .pages. To make these files searchable",
  )
})

test('skips generated files in a folder, unless a rule takes them back', async () => {
  const folder = emptyLibrary()
  const generated = [
    'node_modules/a/index.js',
    '__pycache__/a.txt',
    'lib/site-packages/a.py',
    'app.min.js',
    'app.js.map',
    'go.sum',
  ]
  const others = ['build/plan.txt', 'dist/notes.txt', 'vendor/lease.txt', 'app.js', 'city.map', 'package.json']
  for (const name of [...generated, ...others]) {
    mkdirSync(join(folder, dirname(name)), { recursive: true })
    writeFileSync(join(folder, name), `text of ${name}`)
  }
  const planned = async () => {
    const run = await upload([folder, '--recursive', '--dry-run', '--json'], {})
    return (JSON.parse(run.stdout) as { files: { path: string }[] }).files
      .map(({ path }) => path.replace('library/', ''))
      .toSorted()
  }
  expect(await planned()).toEqual(others.toSorted())
  writeFileSync(join(folder, '.docsearchignore'), '!go.sum\n!__pycache__/\n')
  expect(await planned()).toEqual([...others, 'go.sum', '__pycache__/a.txt'].toSorted())
})

test('sends smaller requests to an instance with smaller limits', async () => {
  const run = await upload([library()], {
    'POST /api/v1/upload': async (request: Received, response: ServerResponse) =>
      (await partsOf(request)).files.length > 1
        ? problem(response, 413, errorCode('too_many_files'), 'One file a request.')
        : takesAll(request, response),
  })
  expect(run.code).toBe(0)
  expect(run.stdout.trimEnd().split('\n')).toHaveLength(2)
})

test('lists an unreadable file, uploads the rest and exits with 3', async () => {
  const folder = library()
  symlinkSync('/no/such/target', join(folder, 'broken.txt'))
  const run = await upload([folder, '/no/such/file.txt'])
  expect(run.code).toBe(3)
  expect(run.stdout.trimEnd().split('\n')).toHaveLength(2)
  expect(run.stderr).toContain('broken.txt\tunreadable')
  expect(run.stderr).toContain('/no/such/file.txt\tnot_there')
})

test('refuses an invalid name alone, uploads the rest and exits with 3', async () => {
  const folder = library()
  writeFileSync(join(folder, 'line\nbreak.txt'), 'x')
  const run = await upload([folder])
  expect(run.code).toBe(3)
  expect(run.stdout.trimEnd().split('\n')).toHaveLength(2)
  expect(run.stderr).toMatch(/line break\.txt\tinvalid_name\t.*rename it/)
  expect(run.stderr).toContain('1 of 3 files failed.')
})

test('refuses an invalid path alone, and ends the upload for an error of the whole request', async () => {
  const invalid = (path: string) => async (request: Received, response: ServerResponse) => {
    const { paths } = await partsOf(request)
    if (path === 'project' || paths.includes('library/b.txt'))
      return problem(response, 400, errorCode('invalid_request'), `${path} is odd.`, { errors: [{ path, message: 'is odd' }] })
    return takesAll(request, response)
  }
  const one = await upload([library()], { 'POST /api/v1/upload': invalid('path.1') })
  expect(one).toMatchObject({ code: 3, stdout: 'doc_library/a.txt\tcreated\tqueued\tlibrary/a.txt\n' })
  expect(one.stderr).toContain('b.txt\tinvalid_request\tpath.1 is odd.')
  const all = await upload([library()], { 'POST /api/v1/upload': invalid('project') })
  expect(all).toMatchObject({ code: 2, stdout: '' })
  expect(all.instance.requests).toHaveLength(1)
})

test('starts no new request after a final failure, but counts the requests under way', async () => {
  const folder = emptyLibrary()
  for (let i = 0; i < 45; i++) writeFileSync(join(folder, `${100 + i}.txt`), `${i}`)
  const [allBegun, failed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let begun = 0
  const run = await upload([folder], {
    'POST /api/v1/upload': async (request: Received, response: ServerResponse) => {
      if (++begun === 3) allBegun.resolve()
      if ((await partsOf(request)).paths.includes('library/100.txt')) {
        await allBegun.promise
        response.once('close', failed.resolve)
        return problem(response, 500, errorCode('internal_error'), 'It broke.')
      }
      await failed.promise
      return takesAll(request, response)
    },
  })
  expect(run.code).toBe(7)
  expect(run.stdout.trimEnd().split('\n')).toHaveLength(25)
  expect(run.stderr).toContain('25 of 45 files are stored')
})

test.each([
  ['in the middle of a request', 1],
  ['before a request', 0],
])('when the disk fills up %s: lists what is not stored, sends no more and exits with 3', async (_when, storedOfSecond) => {
  const folder = emptyLibrary()
  for (let i = 0; i < 70; i++) writeFileSync(join(folder, `${100 + i}.txt`), `${i}`)
  const first = Promise.withResolvers<void>()
  let calls = 0
  const run = await upload([folder], {
    'POST /api/v1/upload': async (request: Received, response: ServerResponse) => {
      calls++
      const { paths } = await partsOf(request)
      if (paths.includes('library/100.txt')) {
        response.once('close', first.resolve)
        return takesAll(request, response)
      }
      await first.promise
      const rejected = paths.slice(storedOfSecond).map((name) => ({ name, code: errorCode('disk_full'), message: 'Full.' }))
      const documents = paths.slice(0, storedOfSecond).map((path) => uploaded(`doc_${path}`, path))
      if (documents.length > 0) return json(response, 202, { documents, rejected })
      return problem(response, 507, errorCode('disk_full'), 'Full.', { documents, rejected })
    },
  })
  const stored = run.stdout.trimEnd().split('\n').length
  expect(run.code).toBe(3)
  expect(stored).toBe(storedOfSecond === 0 ? 20 : 20 + 3)
  expect(run.stderr.match(/\tdisk_full\tFull\./g)).toHaveLength(70 - stored)
  expect(run.stderr).toContain(`${70 - stored} of 70 files failed.`)
  expect(calls).toBe(4)
})

test('exits with 7 when the disk is full and no file is stored', async () => {
  const run = await upload([library()], {
    'POST /api/v1/upload': (_: Received, response: ServerResponse) => problem(response, 507, errorCode('disk_full'), 'Full.'),
  })
  expect([run.code, run.stdout]).toEqual([7, ''])
  expect(run.stderr).toContain('Full.')
})

/** Makes these files below a new folder and returns it. Each file contains its path. */
function filesIn(...paths: string[]): string {
  const folder = testFolder()
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), path)
  }
  return folder
}

test('the path of a document starts with the name of the folder, however the folder is named', async () => {
  const base = filesIn('alice/contract.txt', 'bob/contract.txt', 'bob/deep/note.txt')
  symlinkSync(join(base, 'alice'), join(base, 'linked'))
  const pathsOf = async (...args: string[]) => (await upload([...args, '-r'])).plans[0]?.files.map(({ path }) => path)
  const both = ['alice/contract.txt', 'bob/contract.txt', 'bob/deep/note.txt']
  expect(await pathsOf(join(base, 'alice'), join(base, 'bob'))).toEqual(both)
  expect(await pathsOf(join(base, '*'))).toEqual([...both, 'linked/contract.txt'])
  for (const given of ['alice/', 'alice//', 'alice/.', 'alice/./', 'bob/../alice', 'bob/deep/../../alice/', 'linked/.'])
    expect(await pathsOf(`${base}/${given}`), given).toEqual(['alice/contract.txt'])
  expect(await pathsOf(`${base}/linked`)).toEqual(['linked/contract.txt'])
  expect(await pathsOf(`${base}/bob/deep/..`)).toEqual(['bob/contract.txt', 'bob/deep/note.txt'])
})

test('a file that is named has its name as its path, also from a glob', async () => {
  const base = filesIn('alice/contract.txt', 'alice/other.txt')
  const { plans } = await upload([`${base}/alice/contract.txt`])
  expect(plans[0]?.files.map(({ path }) => path)).toEqual(['contract.txt'])
  const glob = await upload([`${base}/alice/*.txt`])
  expect(glob.plans[0]?.files.map(({ path }) => path)).toEqual(['contract.txt', 'other.txt'])
})

test('a file that is named twice is uploaded once', async () => {
  const base = filesIn('alice/contract.txt')
  const { plans, code } = await upload([`${base}/alice`, `${base}/alice/contract.txt`, `${base}/alice/../alice`])
  expect([code, plans[0]?.files.map(({ path }) => path)]).toEqual([0, ['alice/contract.txt']])
})

test('refuses two files of one command that would get the same path, before it reads or sends anything', async () => {
  const base = filesIn('alice/contract.txt', 'bob/contract.txt', 'in/alice/contract.txt')
  for (const [one, other, path] of [
    ['alice/contract.txt', 'bob/contract.txt', 'contract.txt'],
    ['alice', 'in/alice', 'alice/contract.txt'],
  ] as const) {
    const run = await upload([`${base}/${one}`, `${base}/${other}`, '--json'])
    expect([run.code, run.stdout, run.instance.requests, run.plans]).toEqual([2, '', [], []])
    for (const named of [one, other]) expect(run.stderr).toContain(`${base}/${named}`)
    expect(run.stderr).toContain(`(${path})`)
  }
  const piped = await upload(['-', '--name', 'contract.txt', `${base}/alice/contract.txt`], {}, { stdin: 'x' })
  expect([piped.code, piped.instance.requests]).toEqual([2, []])
  expect(piped.stderr).toContain('standard input and ')
})

/** Answers a plan by the path of each file; a file without a state is new. */
const plans = (states: Record<string, object>) => (request: Received, response: ServerResponse) => {
  const { files } = JSON.parse(request.body.toString()) as { files: { path: string }[] }
  const isNew = { state: 'new', is_needed: true, error: null, document: null }
  json(response, 200, { files: files.map(({ path }) => ({ ...isNew, ...states[path], path })) })
}
const changed = { state: 'changed' }
const unchanged = (path: string, more: object = {}) => ({
  state: 'unchanged',
  is_needed: false,
  document: uploaded(`doc_${path}`, path, { status: 'ready', outcome: undefined, ...more }),
})

test('counts new, changed and unchanged files before it sends, and leaves out unchanged files', async () => {
  const base = filesIn('f/new.txt', 'f/changed.txt', 'f/same.txt', 'f/again.txt')
  const script = {
    'POST /api/v1/upload/plan': plans({
      'f/changed.txt': changed,
      'f/same.txt': unchanged('f/same.txt'),
      'f/again.txt': { ...unchanged('f/again.txt'), is_needed: true },
    }),
  }
  const run = await upload([`${base}/f`], script)
  expect((await partsOf(run.instance.requests[0]!)).paths).toEqual(['f/again.txt', 'f/changed.txt', 'f/new.txt'])
  expect(run.instance.requests).toHaveLength(1)
  expect(run.stderr).toContain('1 new, 1 changed, 2 unchanged\n')
  expect(run.stderr).toContain(
    '1 unchanged file will be sent again, because its document failed, its original is damaged, or its tags change.',
  )
  expect(run.stdout).toContain('doc_f/same.txt\tunchanged\tready\tf/same.txt\n')
  const hash = createHash('sha256').update('f/new.txt').digest('hex')
  expect(run.plans[0]?.files.find(({ path }) => path === 'f/new.txt')).toEqual({ path: 'f/new.txt', sha256: hash, size_bytes: 9 })
  const asJson = await upload([`${base}/f`, '--json'], script)
  expect([asJson.stderr, JSON.parse(asJson.stdout)]).toMatchObject(['', { new: 1, changed: 1, unchanged: 2, rejected: [] }])
  const terminal = await upload([`${base}/f`, '--project', 'p'], script, { terminal: 80 })
  expect(terminal.stdout).not.toContain('f/same.txt')
})

test('sends nothing when every file is unchanged', async () => {
  const base = filesIn('f/a.txt', 'f/b.txt')
  const states = { 'f/a.txt': unchanged('f/a.txt'), 'f/b.txt': unchanged('f/b.txt') }
  const run = await upload([`${base}/f`, '--project', 'p'], { 'POST /api/v1/upload/plan': plans(states) }, { terminal: 80 })
  expect([run.code, run.stdout, run.instance.requests]).toEqual([0, '', []])
  expect(run.stderr.split('\r\u001b[K').at(-1)).toBe('0 new, 0 changed, 2 unchanged\n')
})

test('lists files that the instance would refuse without sending them, and exits with 3', async () => {
  const base = filesIn('f/a.txt', 'f/b.txt')
  const error = { code: errorCode('document_exists'), message: 'It exists.' }
  const script = { 'POST /api/v1/upload/plan': plans({ 'f/a.txt': { ...changed, is_needed: false, error } }) }
  const run = await upload([`${base}/f`, '--on-conflict', 'error'], script)
  expect([run.code, run.stdout]).toEqual([3, 'doc_f/b.txt\tcreated\tqueued\tf/b.txt\n'])
  expect(run.stderr).toContain('1 new, 1 changed, 0 unchanged\n')
  expect(run.stderr).toContain('f/a.txt\tdocument_exists\tIt exists.\n')
  expect((await partsOf(run.instance.requests[0]!)).paths).toEqual(['f/b.txt'])
})

test('asks about thousands of files in few requests', async () => {
  const folder = emptyLibrary()
  for (let i = 0; i < 2500; i++) writeFileSync(join(folder, `${i}.txt`), `${i}`)
  const states = Object.fromEntries(Array.from({ length: 2499 }, (_, i) => [`library/${i}.txt`, unchanged(`library/${i}.txt`)]))
  const run = await upload([folder], { 'POST /api/v1/upload/plan': plans(states) })
  expect(run.plans.map(({ files }) => files.length)).toEqual([1000, 1000, 500])
  expect(run.instance.requests).toHaveLength(1)
  expect(run.stderr).toContain('1 new, 0 changed, 2499 unchanged\n')
})

test('sends everything to an instance of an earlier version, which cannot say what it has', async () => {
  const none = (_: Received, response: ServerResponse) => problem(response, 404, errorCode('not_found'), 'Nothing here.')
  const run = await upload([library()], { 'POST /api/v1/upload/plan': none })
  expect([run.code, run.stdout.trimEnd().split('\n').length]).toEqual([0, 2])
  expect(run.stderr).toContain('earlier version')
  expect(run.stderr).not.toContain('0 unchanged')
})

test('says when the same files are in the project under the paths of an earlier version', async () => {
  const base = filesIn('alice/contract.txt', 'alice/new.txt')
  const script = { 'POST /api/v1/upload/plan': plans({ 'contract.txt': unchanged('contract.txt') }) }
  const run = await upload([`${base}/alice`], script)
  expect(run.code).toBe(0)
  expect(run.stderr).toContain('The project default already has 1 file of this upload')
  expect(run.stderr).toContain('contract.txt is now alice/contract.txt')
  expect(run.plans.map(({ files }) => files.map(({ path }) => path))).toEqual([
    ['alice/contract.txt', 'alice/new.txt'],
    ['contract.txt', 'new.txt'],
  ])
})

test('--dry-run lists what would be sent with its state', async () => {
  const base = filesIn('f/new.txt', 'f/changed.txt', 'f/same.txt')
  const states = { 'f/changed.txt': changed, 'f/same.txt': unchanged('f/same.txt') }
  const run = await upload([`${base}/f`, '--dry-run'], { 'POST /api/v1/upload/plan': plans(states) })
  expect(run).toMatchObject({ code: 0, stdout: 'f/changed.txt\t13\tchanged\nf/new.txt\t9\tnew\n' })
  expect(run.stderr).toBe('1 new, 1 changed, 1 unchanged\n2 files to upload, 22 B. Nothing was uploaded.\n')
  expect(run.instance.requests).toEqual([])
})

test.each([
  [['*.log'], ['a.txt', 'drafts/b.txt', 'drafts/old/c.txt', 'packages/d.txt']],
  [
    ['packages', '*.log', 'old/'],
    ['a.txt', 'drafts/b.txt'],
  ],
  [['drafts/*.txt'], ['a.log', 'a.txt', 'drafts/old/c.txt', 'packages/d.txt']],
  [['f/drafts'], ['a.log', 'a.txt', 'packages/d.txt']],
  [
    ['drafts/**', '*.{log,tmp}'],
    ['a.txt', 'packages/d.txt'],
  ],
  [
    ['a.txt/', './drafts', '/packages'],
    ['a.log', 'a.txt'],
  ],
  [
    ['f', ''],
    ['a.log', 'a.txt', 'drafts/b.txt', 'drafts/old/c.txt', 'packages/d.txt'],
  ],
])('--exclude %j skips files and folders at any depth', async (globs, left) => {
  const base = filesIn(...['a.txt', 'a.log', 'drafts/b.txt', 'drafts/old/c.txt', 'packages/d.txt'].map((path) => `f/${path}`))
  const run = await upload([`${base}/f`, '-r', ...globs.flatMap((glob) => ['--exclude', glob])])
  expect(run.plans[0]?.files.map(({ path }) => path)).toEqual(left.map((path) => `f/${path}`))
})

test('--exclude and --max-size say what they skip, also of named files', async () => {
  const base = filesIn('f/large.txt', 'f/small.txt', 'f/skip.txt')
  writeFileSync(join(base, 'f/large.txt'), 'x'.repeat(2001))
  const run = await upload([
    `${base}/f/large.txt`,
    `${base}/f/small.txt`,
    `${base}/f/skip.txt`,
    '-x',
    'skip*',
    '--max-size',
    '2kB',
  ])
  expect([run.code, run.plans[0]?.files.map(({ path }) => path)]).toEqual([0, ['small.txt']])
  expect(run.stderr).toContain('Skipped 1 entry that matches --exclude.\n')
  expect(run.stderr).toContain('Skipped 1 file larger than 2.0 kB: large.txt.\n')
  const none = await upload([`${base}/f/large.txt`, '--max-size', '2000'])
  expect([none.code, none.instance.requests]).toEqual([1, []])
  expect((await upload([`${base}/f`, '--max-size', 'huge'])).code).toBe(2)
  const piped = await upload(['-', '--name', 'n.txt', '--max-size', '3'], {}, { stdin: 'four' })
  expect([piped.code, piped.instance.requests]).toEqual([2, []])
})

test('shows a bar while it compares files on a terminal, and Ctrl-C then sends nothing', async () => {
  const controller = new AbortController()
  let shown = ''
  const onStderr = (text: string) => {
    shown += text
    if (shown.includes('Comparing')) controller.abort()
  }
  const folder = emptyLibrary()
  for (let i = 0; i < 50; i++) writeFileSync(join(folder, `${i}.txt`), 'x'.repeat(10_000))
  const run = await upload([folder, '--project', 'p'], {}, { terminal: 80, onStderr, signal: controller.signal })
  expect(shown).toMatch(/[█░]{30} +\d+ % {2}.* of 500 kB {2}Comparing/)
  expect([run.code, run.plans, run.instance.requests]).toEqual([130, [], []])
  expect(run.stderr).toContain('Cancelled. Nothing was uploaded.')
})

test('refuses two folders of the same name before it sends anything', async () => {
  const run = await upload([library(), library()])
  expect(run.code).toBe(2)
  expect(run.instance.requests).toEqual([])
})

test('--dry-run shows what would be sent, and sends nothing', async () => {
  const run = await upload([library(), '--dry-run', '--json'])
  expect(JSON.parse(run.stdout)).toMatchObject({
    dry_run: true,
    new: 2,
    changed: 0,
    unchanged: 0,
    files: [{ path: 'library/a.txt', size_bytes: 13, state: 'new' }, { path: 'library/b.txt' }],
    total_bytes: 26,
  })
  expect(run.instance.requests).toEqual([])
})

test('a dry run lists standard input too, and no question reads from it', async () => {
  const dry = await upload(['-', '--name', 'notes.txt', '--dry-run'], {}, { stdin: 'from a pipe' })
  expect(dry).toMatchObject({ code: 0, stdout: 'notes.txt\t11\tnew\n' })
  expect(dry.instance.requests).toEqual([])
  const projects = { projects: [{ name: 'default' }, { name: 'other' }], next_cursor: null }
  const asked = await upload(['-', '--name', 'n.txt'], { 'GET /api/v1/projects': projects }, { stdin: 'typed', terminal: 80 })
  expect(asked.code).toBe(0)
  expect((await partsOf(asked.instance.requests[0]!)).files).toEqual([{ name: 'n.txt', text: 'typed' }])
})

test('exits with 2 for an empty --project', async () => {
  expect((await upload([library(), '--project', ''])).code).toBe(2)
})

test('--dry-run lists files that cannot be sent, and exits with 3', async () => {
  const folder = library()
  symlinkSync('/no/such/target', join(folder, 'broken.txt'))
  const run = await upload([folder, '--dry-run'])
  expect(run).toMatchObject({ code: 3, stdout: 'library/a.txt\t13\tnew\nlibrary/b.txt\t13\tnew\n' })
  expect(run.stderr).toContain('broken.txt\tunreadable\tbroken symbolic link')
  expect(run.stderr).toContain('1 file cannot be uploaded.')
})

test('exits with 1 for an empty folder', async () => {
  expect((await upload([testFolder()])).code).toBe(1)
})

test('asks on a terminal when there are several projects', async () => {
  const projects = ['default', 'contracts'].map((name) => ({ id: `prj_${name}`, name }))
  const script = { 'GET /api/v1/projects': { projects, next_cursor: null } }
  const { instance } = await upload([library()], script, {
    terminal: 80,
    prompts: { select: async ({ choices }) => choices[1]!.value },
  })
  expect((await partsOf(instance.requests[1]!)).form.get('project')).toBe('contracts')
})

test('shows a bar for each file and in total on a terminal, and none on a pipe', async () => {
  let shown = ''
  const script = {
    'POST /api/v1/upload': async (request: Received, response: ServerResponse) => {
      await until('the bars', () => shown.includes('sent'))
      await takesAll(request, response)
    },
  }
  const run = await upload([library(), '--project', 'p'], script, { terminal: 80, onStderr: (text) => (shown += text) })
  expect(run.stdout).toContain('a.txt')
  expect(shown).toMatch(/^library\/a\.txt +[█░]{20} +\d+ %$/m)
  expect(shown).toMatch(/0 of \d+ sent, .*[█░]{20} +\d+ %/)
  const piped = await upload([library()])
  expect(piped.stderr).not.toMatch(/[\u001b█░]/)
})

test('prints problems below each path on a terminal, and in columns on a pipe', async () => {
  const script = {
    'POST /api/v1/upload': (_: Received, response: ServerResponse) =>
      json(response, 202, {
        documents: [],
        rejected: [{ name: 'a.txt', code: errorCode('encrypted'), message: 'It has a \u001b[2Jpassword' }],
      }),
  }
  const args = [join(library(), 'a.txt'), '--project', 'p']
  expect((await upload(args, script, { terminal: 80 })).stderr).toMatch(/encrypted +a\.txt\n {4}It has a \ufffd\[2Jpassword\n/)
  expect((await upload(args, script)).stderr).toMatch(/a\.txt\tencrypted\tIt has a \ufffd\[2Jpassword\n/)
})

test('Ctrl-C waits for the answer to a request that is fully sent, starts no other and exits with 130', async () => {
  const controller = new AbortController()
  const folder = emptyLibrary()
  for (let i = 0; i < 100; i++) writeFileSync(join(folder, `${i}.txt`), `${i}`)
  let calls = 0
  const allBegun = Promise.withResolvers<void>()
  const run = await upload(
    [folder],
    {
      'POST /api/v1/upload': async (request: Received, response: ServerResponse) => {
        if (++calls === 3) {
          controller.abort()
          allBegun.resolve()
        }
        await allBegun.promise
        await takesAll(request, response)
      },
    },
    { signal: controller.signal },
  )
  expect(run.code).toBe(130)
  expect(run.instance.requests).toHaveLength(3)
  expect(run.stderr).toContain('60 of 100 files are stored')
})

test('Ctrl-C says what the instance has acknowledged, and exits with 130', async () => {
  const controller = new AbortController()
  const folder = emptyLibrary()
  for (let i = 0; i < 100; i++) writeFileSync(join(folder, `${i}.txt`), `${i}`)
  let calls = 0
  const run = await upload(
    [folder],
    {
      // Three requests run at a time. The fourth starts when the first is answered and read; the others never end.
      'POST /api/v1/upload': async (request: Received, response: ServerResponse) => {
        calls++
        if (calls === 1) await takesAll(request, response)
        if (calls === 4) controller.abort()
      },
    },
    { signal: controller.signal },
  )
  expect(run.code).toBe(130)
  expect(run.stdout.trimEnd().split('\n')).toHaveLength(20)
  expect(run.stderr).toContain(
    '20 of 100 files are stored and will be processed. The instance has not confirmed the other files.',
  )
})
