import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Document } from '../../src/contract/documents.ts'
import { SCOPES } from '../../src/core/model.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { runCommand, testFolder } from '../support/cli.ts'
import { makePdf } from '../support/make-documents.ts'

let app: TestApp
let token: string
let projects = 0

beforeAll(async () => {
  app = await startTestApp()
  const owner = await app.backend.records.users.create({ name: 'Carol', email: null, role: 'member' })
  token = (await app.backend.apiKeys.create({ ownerId: owner.id, name: 'cli', scopes: SCOPES, expiresAt: null })).key
})
afterAll(() => app.close())

const cli = (...args: string[]) => runCommand(args, { env: { DOCSEARCH_SERVER: app.url, DOCSEARCH_TOKEN: token } })
const newProject = () => `project-${++projects}`

async function documentsOf(project: string): Promise<Document[]> {
  const { stdout } = await cli('documents', 'list', '--project', project, '--json')
  const { documents = [] } = JSON.parse(stdout || '{}') as { documents?: Document[] }
  return documents.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** Uploads texts, each under a path of its own, and waits for them. */
async function filled(files: Record<string, { text: string; tags?: string[]; title?: string }>): Promise<string> {
  const project = newProject()
  const folder = testFolder()
  for (const [path, { text, tags = [], title }] of Object.entries(files)) {
    writeFileSync(join(folder, 'file.txt'), text)
    const run = await cli(
      'upload',
      join(folder, 'file.txt'),
      '--project',
      project,
      '--wait',
      '--json',
      ...tags.flatMap((tag) => ['--tag', tag]),
    )
    const [document] = (JSON.parse(run.stdout) as { documents: Document[] }).documents
    expect((await cli('documents', 'move', document!.id, path)).code).toBe(0)
    if (title !== undefined) expect((await cli('documents', 'rename', document!.id, '--title', title)).code).toBe(0)
  }
  return project
}

function manifestOf(
  folder: string,
): { path: string; file: string; tags: string[]; sha256: string; given_title: string | null }[] {
  return readFileSync(join(folder, 'manifest.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

describe('export', () => {
  test('writes originals and a manifest, which an import brings to another project', async () => {
    const project = await filled({
      'a/one.txt': { text: 'The first text', tags: ['red', 'blue'] },
      'A/ONE.txt': { text: 'Differs only in letter case' },
      '../../outside?.txt': { text: 'Nowhere' },
    })
    const folder = join(testFolder(), 'export')
    const run = await cli('export', folder, '--project', project)
    expect(run).toMatchObject({ code: 0, stdout: '' })
    expect(run.stderr).toContain('3 documents in')
    const manifest = manifestOf(folder)
    expect(manifest.map(({ path }) => path)).toEqual(['../../outside?.txt', 'A/ONE.txt', 'a/one.txt'])
    for (const { file, sha256: hash } of manifest) expect(sha256(readFileSync(join(folder, 'files', file)))).toBe(hash)
    expect(new Set(manifest.map(({ file }) => file.toLowerCase())).size).toBe(3)
    expect(existsSync(join(dirname(folder), 'outside_.txt'))).toBe(false)

    const copy = newProject()
    const imported = await cli('import', folder, '--project', copy, '--wait')
    expect(imported.code, imported.stderr).toBe(0)
    const facts = (documents: Document[]) => documents.map(({ path, tags, sha256: hash }) => ({ path, tags, hash }))
    expect(facts(await documentsOf(copy))).toEqual(facts(await documentsOf(project)))
    expect((await cli('import', folder, '--project', copy)).stderr).toContain('0 new, 0 changed, 3 unchanged')
  })

  test('downloads only what is missing or damaged, and deletes files of gone documents only with --prune', async () => {
    const project = await filled({ 'a.txt': { text: 'one' }, 'b.txt': { text: 'two' }, 'c.txt': { text: 'three' } })
    const folder = join(testFolder(), 'export')
    await cli('export', folder, '--project', project)
    writeFileSync(join(folder, 'files/a.txt'), 'damaged')
    rmSync(join(folder, 'files/b.txt'))
    const c = (await documentsOf(project)).find(({ path }) => path === 'c.txt')!
    await cli('documents', 'move', c.id, 'moved.txt')
    const second = await cli('export', folder, '--project', project, '--json')
    expect(JSON.parse(second.stdout)).toMatchObject({ documents: 3, downloaded: 3, present: 0, deleted: 0, gone: 1 })
    expect(readFileSync(join(folder, 'files/a.txt'), 'utf8')).toBe('one')
    expect(existsSync(join(folder, 'files/c.txt'))).toBe(true)
    const pruned = await cli('export', folder, '--project', project, '--prune', '--json')
    expect(JSON.parse(pruned.stdout)).toMatchObject({ downloaded: 0, present: 3, deleted: 1, gone: 0 })
    expect(existsSync(join(folder, 'files/c.txt'))).toBe(false)
  })

  test('exports the other originals when one is missing, and says so', async () => {
    const project = await filled({ 'a.txt': { text: 'stays' }, 'b.txt': { text: 'its original gets lost' } })
    const lost = (await documentsOf(project)).find(({ path }) => path === 'b.txt')!
    await app.loseOriginal(lost.sha256)
    const folder = join(testFolder(), 'export')
    const run = await cli('export', folder, '--project', project)
    expect(run.code).toBe(3)
    expect(run.stderr).toContain('b.txt')
    expect(manifestOf(folder).map(({ path }) => path)).toEqual(['a.txt'])
    expect(JSON.parse(readFileSync(join(folder, 'export.json'), 'utf8'))).toMatchObject({ complete: false })
  })

  test('refuses a folder with other files, and one with an export of another project', async () => {
    const [one, two] = [await filled({ 'a.txt': { text: 'one' } }), await filled({ 'a.txt': { text: 'two' } })]
    const folder = testFolder()
    writeFileSync(join(folder, 'mine.txt'), 'mine')
    expect(await cli('export', folder, '--project', one)).toMatchObject({ code: 2 })
    const other = join(folder, 'export')
    await cli('export', other, '--project', one)
    expect(await cli('export', other, '--project', two)).toMatchObject({ code: 2 })
  })
})

describe('import', () => {
  test('refuses files that are damaged, missing or outside of the folder, and imports the others', async () => {
    const project = await filled({ 'a.txt': { text: 'one' }, 'b.txt': { text: 'two' } })
    const folder = join(testFolder(), 'export')
    await cli('export', folder, '--project', project)
    const secret = join(dirname(folder), 'secret.txt')
    writeFileSync(secret, 'secret')
    symlinkSync(secret, join(folder, 'files/link.txt'))
    const [entry] = manifestOf(folder)
    const lines = [
      ...manifestOf(folder),
      { ...entry, path: 'gone.txt', file: 'gone.txt' },
      { ...entry, path: 'up.txt', file: '../../secret.txt', sha256: sha256('secret') },
      { ...entry, path: 'link.txt', file: 'link.txt', sha256: sha256('secret') },
    ].map((line) => JSON.stringify(line))
    writeFileSync(join(folder, 'manifest.jsonl'), [...lines, '{"path": 1}', 'nonsense'].join('\n'))
    writeFileSync(join(folder, 'files/b.txt'), 'twO')
    const copy = newProject()
    const run = await cli('import', folder, '--project', copy, '--json')
    expect(run.code).toBe(3)
    const { rejected } = JSON.parse(run.stdout) as { rejected: { path: string; code: string }[] }
    expect(rejected.map(({ path, code }) => `${path} ${code}`).toSorted()).toEqual([
      'b.txt damaged',
      'gone.txt not_there',
      'link.txt outside',
      'manifest.jsonl:6 invalid_entry',
      'manifest.jsonl:7 invalid_entry',
      'up.txt outside',
    ])
    expect((await documentsOf(copy)).map(({ path }) => path)).toEqual(['a.txt'])
  })

  test('explains why a folder is not an export', async () => {
    const folder = testFolder()
    const none = await cli('import', folder, '--project', 'x')
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('docsearch upload')])
    writeFileSync(join(folder, 'manifest.json'), '[{"model": "documents.tag"')
    expect((await cli('import', folder, '--project', 'x')).stderr).toContain('is damaged')
    writeFileSync(join(folder, 'export.zip'), 'PK')
    expect((await cli('import', join(folder, 'export.zip'))).stderr).toContain('unpack it first')
  })
})

/** An export as Paperless-ngx writes it, with the fields that matter and some that don't. */
async function paperlessExport({ isSplit = false, hasPrefix = false } = {}): Promise<string> {
  const folder = testFolder()
  const named = (model: string, pk: number, name: string) => ({
    model: `documents.${model}`,
    pk,
    fields: { name, match: '', is_insensitive: true },
  })
  const records: object[] = [
    named('correspondent', 3, 'Müller, Söhne'),
    named('tag', 1, 'Inbox'),
    named('tag', 2, 'Tax "2025"'),
    named('documenttype', 7, 'Invoice'),
    named('storagepath', 5, 'By year'),
    { model: 'auth.user', pk: 2, fields: { username: 'ada', password: 'pbkdf2' } },
  ]
  const pdf = (text: string) => makePdf([[{ text }]])
  const write = (kind: string, name: string, bytes: string | Buffer): { name: string; bytes: string | Buffer } => {
    const path = hasPrefix ? `${kind}/${name}` : name
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
    return { name: path, bytes }
  }
  const documents: object[] = []
  const add = (
    pk: number,
    fields: object,
    files: { original?: ReturnType<typeof write>; archive?: ReturnType<typeof write> },
  ) => {
    const checksum = (file: typeof files.original, algorithm: string) =>
      file === undefined ? null : createHash(algorithm).update(file.bytes).digest('hex')
    documents.push({
      model: 'documents.document',
      pk,
      fields: {
        content: 'a long text with ] and } and \\" in it',
        created: '2025-02-03',
        checksum: checksum(files.original, 'md5'),
        archive_checksum: checksum(files.archive, 'sha256'),
        deleted_at: null,
        root_document: null,
        tags: [],
        correspondent: null,
        document_type: null,
        storage_path: null,
        ...fields,
      },
      ...(files.original !== undefined && { __exported_file_name__: files.original.name }),
      ...(files.archive !== undefined && { __exported_archive_name__: files.archive.name }),
      __exported_thumbnail_name__: 'thumb.webp',
    })
  }
  add(
    1,
    { title: 'Electricity bill', tags: [1, 2], correspondent: 3, document_type: 7, storage_path: 5 },
    {
      original: write('originals', '2025/2025-02-03 Müller bill.jpg', 'a picture'),
      archive: write('archive', '2025/2025-02-03 Müller bill-archive.pdf', await pdf('Electricity for February')),
    },
  )
  add(2, { title: 'Notes' }, { original: write('originals', 'Notes.txt', 'Call the plumber about the boiler.') })
  add(3, { title: 'A picture' }, { original: write('originals', 'holiday.png', 'a picture without text') })
  add(4, { title: 'Deleted', deleted_at: '2025-03-01T00:00:00Z' }, { original: write('originals', 'deleted.txt', 'gone') })
  add(5, { title: 'Without a file' }, {})
  add(6, { title: 'Contract', tags: [2] }, { original: write('originals', 'Contract.txt', 'The first version of the contract.') })
  add(
    7,
    { title: 'v2', root_document: 6, version_index: 2 },
    { original: write('originals', 'Contract v2.txt', 'The second version of the contract.') },
  )
  if (isSplit)
    for (const [i, document] of documents.entries()) {
      const path = join(folder, hasPrefix ? 'json' : '', `document ${i}-manifest.json`)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, JSON.stringify([document, { model: 'documents.note', pk: i, fields: { note: 'x' } }]))
    }
  const inManifest = isSplit ? records : [...records, ...documents]
  writeFileSync(join(folder, 'manifest.json'), `[${inManifest.map((record) => JSON.stringify(record, null, 2)).join(',\n')}\n]`)
  writeFileSync(join(folder, 'metadata.json'), JSON.stringify({ version: '2.20.0' }))
  return folder
}

describe('import from Paperless-ngx', () => {
  test.each([
    ['one manifest', {}],
    ['--split-manifest', { isSplit: true }],
    ['--split-manifest and --use-folder-prefix', { isSplit: true, hasPrefix: true }],
  ])('takes files, titles and tags with %s', async (_layout, options) => {
    const folder = await paperlessExport(options)
    const project = newProject()
    const run = await cli('import', folder, '--project', project, '--wait')
    expect(run.code, run.stderr).toBe(3)
    expect(run.stderr).toContain('Paperless-ngx with 5 documents')
    expect(run.stderr).toMatch(/Skipped 1 file without text.*\.png/)
    expect(run.stderr).toContain('the export has no file for the document')
    const shown = (await documentsOf(project)).map(({ path, title, tags, media_type: type, status }) => ({
      path,
      title,
      tags,
      type,
      status,
    }))
    expect(shown).toEqual([
      {
        path: '2025/2025-02-03 Müller bill.pdf',
        title: 'Electricity bill',
        type: 'application/pdf',
        status: 'ready',
        tags: ['Inbox', 'Tax "2025"', 'correspondent:Müller Söhne', 'type:Invoice', 'storage-path:By year'],
      },
      { path: 'Contract v2.txt', title: 'Contract', type: 'text/plain', status: 'ready', tags: ['Tax "2025"'] },
      { path: 'Notes.txt', title: 'Notes', type: 'text/plain', status: 'ready', tags: [] },
    ])
    const again = await cli('import', folder, '--project', project)
    expect(again.stderr).toContain('0 new, 0 changed, 3 unchanged')
  })

  test('compares files with the checksums of the export', async () => {
    const folder = await paperlessExport()
    writeFileSync(join(folder, 'Notes.txt'), 'Call the plumber about the boiler!')
    const run = await cli('import', folder, '--project', newProject(), '--dry-run')
    expect(run.stderr).toContain('Notes.txt')
    expect(run.stderr).toContain('differs from its hash in the export')
  })

  test('--originals takes the original, so that a picture with an archive version is skipped', async () => {
    const run = await cli('import', await paperlessExport(), '--project', newProject(), '--originals', '--dry-run')
    expect(run.stderr).toMatch(/Skipped 2 files without text/)
  })
})
