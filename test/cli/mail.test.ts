import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Document } from '../../src/contract/documents.ts'
import { SCOPES } from '../../src/core/model.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { runCommand, testFolder } from '../support/cli.ts'
import { errorCode, warningCode } from '../support/codes.ts'
import { makeMail, type MailPart } from '../support/make-mail.ts'

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
const newProject = () => `mail-${++projects}`
const text = (name: string, body: string): MailPart => ({ type: 'text/plain', name, body })

/** Returns a folder named `mail` with files that are old enough for sync to keep their hashes. */
function mailFolder(files: Record<string, Buffer | string>): string {
  const folder = join(testFolder(), 'mail')
  mkdirSync(folder)
  for (const [name, content] of Object.entries(files)) put(folder, name, content)
  return folder
}

function put(folder: string, name: string, content: Buffer | string): void {
  writeFileSync(join(folder, name), content)
  utimesSync(join(folder, name), 1000, 1000)
}

async function listed(project: string): Promise<Document[]> {
  const run = await cli('documents', 'list', '--project', project, '--sort', 'name', '--json')
  return (JSON.parse(run.stdout) as { documents: Document[] }).documents
}

const pathsOf = async (project: string) => (await listed(project)).map(({ path }) => path).toSorted()

test('upload --wait waits for attachments, and exits with 3 if one fails', async () => {
  const attachments = [text('fine.txt', 'The timetable.'), text('broken.pdf', '%PDF-1.7\nnothing')]
  const folder = mailFolder({ 'trip.eml': makeMail({ attachments }) })
  const project = newProject()
  const run = await cli('upload', join(folder, 'trip.eml'), '--project', project, '--wait')
  expect(run.code).toBe(3)
  expect(run.stdout).toMatch(/^doc_\w+\tcreated\tready\ttrip\.eml\n$/)
  expect(run.stderr).toContain('1 document, 1 created, 1 ready.')
  expect(run.stderr).toContain(`trip.eml/broken.pdf\t${errorCode('corrupt')}\t`)
  expect(run.stderr).toContain('1 attachment failed.')
  const json = await cli('upload', join(folder, 'trip.eml'), '--project', project, '--wait', '--json')
  const { documents, attachments: read } = JSON.parse(json.stdout) as { documents: Document[]; attachments: Document[] }
  expect(documents).toMatchObject([{ path: 'trip.eml', outcome: 'unchanged' }])
  expect(read.map(({ path, status }) => `${path} ${status}`).toSorted()).toEqual([
    'trip.eml/broken.pdf failed',
    'trip.eml/fine.txt ready',
  ])
})

test('upload --wait names attachments that a search cannot find, as a warning', async () => {
  const inner = (depth: number): Buffer =>
    makeMail({
      id: `${depth}@example.org`,
      attachments: depth === 0 ? [] : [{ type: 'message/rfc822', name: `${depth}.eml`, body: inner(depth - 1).toString() }],
    })
  const run = await cli('upload', join(mailFolder({ 'deep.eml': inner(8) }), 'deep.eml'), '--project', newProject(), '--wait')
  expect(run.code).toBe(0)
  expect(run.stderr).toContain(`deep.eml/8.eml/7.eml/6.eml/5.eml/4.eml\t${warningCode('attachments_skipped')}\t`)
})

test('sync sends, replaces, renames and deletes messages, and their attachments follow', async () => {
  const mail = makeMail({ attachments: [text('times.txt', 'The timetable.')] })
  const folder = mailFolder({ 'a.eml': mail, 'b.eml': makeMail({ id: 'b', attachments: [text('fares.txt', 'The fares.')] }) })
  const project = newProject()
  const sync = (...args: string[]) => cli('sync', folder, '--project', project, '--wait', ...args)
  expect((await sync()).code).toBe(0)
  const before = await listed(project)
  expect(before.map(({ path }) => path).toSorted()).toEqual([
    'mail/a.eml',
    'mail/a.eml/times.txt',
    'mail/b.eml',
    'mail/b.eml/fares.txt',
  ])
  // Attachments have no files, and sync must not delete them for that reason.
  expect(JSON.parse((await sync('--prune', '--json')).stdout)).toMatchObject({ new: 0, changed: 0, gone: 0, unchanged: 2 })
  expect(await pathsOf(project)).toHaveLength(4)

  put(folder, 'c.eml', readFileSync(join(folder, 'a.eml')))
  rmSync(join(folder, 'a.eml'))
  expect((await sync('--prune')).code).toBe(0)
  const moved = await listed(project)
  expect(moved.map(({ path }) => path).toSorted()).toContain('mail/c.eml/times.txt')
  const idOf = (documents: Document[], path: string) => documents.find((one) => one.path === path)?.id
  expect(idOf(moved, 'mail/c.eml/times.txt')).toBe(idOf(before, 'mail/a.eml/times.txt'))

  rmSync(join(folder, 'b.eml'))
  expect((await sync('--prune')).code).toBe(0)
  expect(await pathsOf(project)).toEqual(['mail/c.eml', 'mail/c.eml/times.txt'])
})

test.each([[[]], [['--permanent']]])('deletes attachments with their message in one command %j', async (options) => {
  const mail = makeMail({ attachments: [text('times.txt', 'The timetable.'), text('fares.txt', 'The fares.')] })
  const project = newProject()
  await cli('upload', join(mailFolder({ 'trip.eml': mail, 'a.txt': 'A' }), ''), '--project', project, '--wait')
  const found = await listed(project)
  const id = (path: string) => found.find((one) => one.path === `mail/${path}`)!.id
  const [message, times, other] = [id('trip.eml'), id('trip.eml/times.txt'), id('a.txt')]
  const alone = await cli('documents', 'delete', times, other, '--yes', ...options)
  expect(alone).toMatchObject({ code: 3, stdout: `${other}\tdeleted\n` })
  expect(alone.stderr).toContain(`${times}\tThis document is an attachment`)
  const all = await cli(
    'documents',
    'delete',
    times,
    'trip.eml',
    id('trip.eml/fares.txt'),
    message,
    '-p',
    project,
    '--yes',
    ...options,
  )
  expect(all).toMatchObject({
    code: 0,
    stdout: [times, 'trip.eml', id('trip.eml/fares.txt')].map((one) => `${one}\tdeleted\n`).join(''),
    stderr: options.length === 0 ? `To undo this, run \`docsearch documents restore ${message}\`.\n` : '',
  })
  expect(await listed(project)).toEqual([])
})

test('export writes messages without copies of their attachments, and import brings both back', async () => {
  const folder = mailFolder({ 'a.eml': makeMail({ attachments: [text('times.txt', 'The timetable.')] }), 'note.txt': 'A note.' })
  const [project, copy] = [newProject(), newProject()]
  await cli('upload', folder, '--project', project, '--wait')
  const out = join(testFolder(), 'out')
  const exported = await cli('export', out, '--project', project, '--json')
  expect(exported.code).toBe(0)
  expect(JSON.parse(exported.stdout)).toMatchObject({ documents: 2 })
  expect((await cli('import', out, '--project', copy, '--wait')).code).toBe(0)
  expect(await pathsOf(copy)).toEqual(await pathsOf(project))
  const [message, attachment] = (await listed(copy)).toSorted((a, b) => a.path.localeCompare(b.path))
  expect(attachment!.parent_id).toBe(message!.id)
})

test('search filters by the header, and shows a message and its attachment with their places', async () => {
  const mails = {
    'a.eml': makeMail({ text: 'The ferry leaves at nine.', attachments: [text('times.txt', 'The timetable of the ferry.')] }),
    'b.eml': makeMail({
      id: 'b',
      from: 'Bob <bob@example.org>',
      subject: 'Fares',
      date: 'Sat, 1 Jun 2024 10:00:00 +0000',
      text: 'The ferry is dear.',
    }),
  }
  const project = newProject()
  await cli('upload', mailFolder(mails), '--project', project, '--wait')
  const find = async (...args: string[]) =>
    (await cli('search', 'ferry', '--project', project, '-l', ...args)).stdout.split('\n').filter(Boolean).toSorted()
  expect(await find('--from', 'ada')).toEqual(['mail/a.eml', 'mail/a.eml/times.txt'])
  expect(await find('--subject', 'FARES')).toEqual(['mail/b.eml'])
  expect(await find('--sent-after', '2024-06-01')).toEqual(['mail/b.eml'])
  expect(await find('--sent-before', '2024-06-01')).toEqual(['mail/a.eml', 'mail/a.eml/times.txt'])
  expect(await find('--to', 'carol')).toEqual([])
  const shown = await runCommand(['search', 'ferry dear', '--project', project, '-n', '1'], {
    terminal: 80,
    env: { DOCSEARCH_SERVER: app.url, DOCSEARCH_TOKEN: token },
  })
  expect(shown.stdout).toContain('message of 1 June 2024 from Bob')
})
