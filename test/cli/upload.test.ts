import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
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

async function upload(args: string[], script: Script = {}, options: CliOptions = {}) {
  const instance = await scriptedInstance({ 'POST /api/v1/upload': takesAll, ...script })
  const run = await runCommand(['upload', ...args, '--server', instance.url], {
    ...options,
    env: { DOCSEARCH_TOKEN: 'dsk_x', ...options.env },
  })
  return { ...run, instance }
}

function library(): string {
  const folder = testFolder()
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
  expect(paths).toEqual(['a.txt', 'b.txt'])
  expect([form.get('project'), form.get('tags'), form.get('on_conflict')]).toEqual(['p', 'x,y,z', 'keep'])
  expect(run.code).toBe(0)
  expect(run.stdout).toBe('doc_a.txt\tcreated\tqueued\ta.txt\ndoc_b.txt\tcreated\tqueued\tb.txt\n')
  expect(run.stderr).toContain('Skipped 1 subfolder. To include subfolders, add --recursive.')
})

test('--recursive includes subfolders, and globs are expanded', async () => {
  const folder = library()
  const recursive = await upload([folder, '-r'])
  expect((await partsOf(recursive.instance.requests[0]!)).paths).toEqual(['a.txt', 'b.txt', 'inner/c.txt'])
  const glob = await upload([join(folder, '*.txt')])
  expect((await partsOf(glob.instance.requests[0]!)).paths).toEqual([join(folder, 'a.txt'), join(folder, 'b.txt')])
})

test('uploads standard input under the given name', async () => {
  const { instance, code } = await upload(['-', '--name', 'notes.txt'], {}, { stdin: 'from a pipe' })
  expect((await partsOf(instance.requests[0]!)).files).toEqual([{ name: 'notes.txt', text: 'from a pipe' }])
  expect(code).toBe(0)
})

test('sends many files in requests of at most 20', async () => {
  const folder = testFolder()
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
  const rejected = [{ name: 'b.txt', code: errorCode('unsupported_type'), message: 'This is \u001b[2Ja picture.' }]
  const run = await upload([library()], { 'POST /api/v1/upload': { documents: [uploaded('doc_a', 'a.txt')], rejected } })
  expect(run.code).toBe(3)
  expect(run.stdout).toBe('doc_a\tcreated\tqueued\ta.txt\n')
  expect(run.stderr).toContain('b.txt\tunsupported_type\tThis is \ufffd[2Ja picture.')
  expect(run.stderr).toContain('1 of 2 files failed.')
})

test('prints the same list when every file is refused', async () => {
  const rejected = ['a.txt', 'b.txt'].map((name) => ({ name, code: errorCode('empty_file'), message: 'It has no bytes.' }))
  const refuse = (_: Received, response: ServerResponse) =>
    problem(response, 422, errorCode('empty_file'), 'Nothing was taken.', { documents: [], rejected })
  const run = await upload([library(), '--json'], { 'POST /api/v1/upload': refuse })
  expect(run.code).toBe(3)
  expect(JSON.parse(run.stdout)).toMatchObject({
    documents: [],
    rejected: [{ path: 'a.txt', code: errorCode('empty_file') }, { path: 'b.txt' }],
  })
  expect(JSON.parse(run.stderr)).toMatchObject({ code: errorCode('partial_failure'), exit_code: 3 })
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
  expect(run.stderr).toMatch(/line break\.txt\tinvalid_name\t.*rename the file/)
  expect(run.stderr).toContain('1 of 3 files failed.')
})

test('refuses an invalid path alone, and ends the upload for an error of the whole request', async () => {
  const invalid = (path: string) => async (request: Received, response: ServerResponse) => {
    const { paths } = await partsOf(request)
    if (path === 'project' || paths.includes('b.txt'))
      return problem(response, 400, errorCode('invalid_request'), `${path} is odd.`, { errors: [{ path, message: 'is odd' }] })
    return takesAll(request, response)
  }
  const one = await upload([library()], { 'POST /api/v1/upload': invalid('path.1') })
  expect(one).toMatchObject({ code: 3, stdout: 'doc_a.txt\tcreated\tqueued\ta.txt\n' })
  expect(one.stderr).toContain('b.txt\tinvalid_request\tpath.1 is odd.')
  const all = await upload([library()], { 'POST /api/v1/upload': invalid('project') })
  expect(all).toMatchObject({ code: 2, stdout: '' })
  expect(all.instance.requests).toHaveLength(1)
})

test('starts no new request after a final failure, but counts the requests under way', async () => {
  const folder = testFolder()
  for (let i = 0; i < 45; i++) writeFileSync(join(folder, `${100 + i}.txt`), `${i}`)
  const [allBegun, failed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let begun = 0
  const run = await upload([folder], {
    'POST /api/v1/upload': async (request: Received, response: ServerResponse) => {
      if (++begun === 3) allBegun.resolve()
      if ((await partsOf(request)).paths.includes('100.txt')) {
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
  const folder = testFolder()
  for (let i = 0; i < 70; i++) writeFileSync(join(folder, `${100 + i}.txt`), `${i}`)
  const first = Promise.withResolvers<void>()
  let calls = 0
  const run = await upload([folder], {
    'POST /api/v1/upload': async (request: Received, response: ServerResponse) => {
      calls++
      const { paths } = await partsOf(request)
      if (paths.includes('100.txt')) {
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

test('refuses two files that would become one document before it sends anything', async () => {
  const run = await upload([library(), library()])
  expect(run.code).toBe(2)
  expect(run.instance.requests).toEqual([])
})

test('--dry-run shows what would be sent without a request', async () => {
  const run = await upload([library(), '--dry-run', '--json'])
  expect(JSON.parse(run.stdout)).toMatchObject({
    dry_run: true,
    files: [{ path: 'a.txt', size_bytes: 13 }, { path: 'b.txt' }],
    total_bytes: 26,
  })
  expect(run.instance.requests).toEqual([])
})

test('a dry run lists standard input too, and no question reads from it', async () => {
  const dry = await upload(['-', '--name', 'notes.txt', '--dry-run'], {}, { stdin: 'from a pipe' })
  expect(dry).toMatchObject({ code: 0, stdout: 'notes.txt\t11\n' })
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
  expect(run).toMatchObject({ code: 3, stdout: 'a.txt\t13\nb.txt\t13\n' })
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
  expect(shown).toMatch(/^a\.txt +[█░]{20} +\d+ %$/m)
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
  expect((await upload(args, script, { terminal: 80 })).stderr).toMatch(/encrypted +\S+a\.txt\n {4}It has a \ufffd\[2Jpassword\n/)
  expect((await upload(args, script)).stderr).toMatch(/a\.txt\tencrypted\tIt has a \ufffd\[2Jpassword\n/)
})

test('Ctrl-C waits for the answer to a request that is fully sent, starts no other and exits with 130', async () => {
  const controller = new AbortController()
  const folder = testFolder()
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
  const folder = testFolder()
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
  expect(run.stderr).toContain('20 of 100 files are stored and will be processed. The rest was not acknowledged.')
})
