import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand, testFolder } from '../support/cli.ts'
import { json, scriptedInstance, uploaded } from '../support/scripted-instance.ts'
import type { Received } from '../support/scripted-instance.ts'
import { until } from '../support/until.ts'
import { errorCode } from '../support/codes.ts'

function event(id: number, type: string, documentId: string, data: object, at = '2026-01-01T00:00:01.000Z'): string {
  const value = { id, type, document_id: documentId, project_id: 'prj_1', created_at: at, data }
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(value)}\n\n`
}

test('--wait ends when every document is ready or failed, and exits with 3 for a failure', async () => {
  const folder = testFolder()
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(folder, name), name)
  const { promise: sent, resolve } = Promise.withResolvers<void>()
  const resumedAfter: (string | undefined)[] = []
  const instance = await scriptedInstance({
    // A small document may be ready before the upload is answered.
    'POST /api/v1/upload': async (_: Received, response: ServerResponse) => {
      await sent
      json(response, 202, { documents: [uploaded('doc_a', 'a.txt'), uploaded('doc_b', 'b.txt')], rejected: [] })
    },
    'GET /api/v1/documents/doc_a': uploaded('doc_a', 'a.txt'),
    'GET /api/v1/documents/doc_b': uploaded('doc_b', 'b.txt'),
    'GET /api/v1/events': (request: Received, response: ServerResponse) => {
      resumedAfter.push(request.headers['last-event-id'] as string | undefined)
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      if (resumedAfter.length === 1) {
        response.write(': hello\n\n' + event(7, 'document.ready', 'doc_a', { status: 'ready' }))
        // An event of an earlier version of the document does not count.
        response.write(event(8, 'document.ready', 'doc_b', { status: 'ready' }, '2025-12-31T00:00:00.000Z'))
        response.end(() => resolve())
      } else {
        response.write(
          event(9, 'document.failed', 'doc_b', {
            status: 'failed',
            error: { code: errorCode('encrypted'), message: 'It has a password.' },
          }),
        )
      }
    },
  })
  const run = await runCommand(['upload', folder, '--wait', '--server', instance.url], { env: { DOCSEARCH_TOKEN: 'dsk_x' } })
  expect(run.code).toBe(3)
  expect(run.stdout).toBe('doc_a\tcreated\tready\ta.txt\ndoc_b\tcreated\tfailed\tb.txt\n')
  expect(run.stderr).toContain('b.txt\tencrypted\tIt has a password.')
  expect(resumedAfter).toEqual([undefined, '8'])
})

test('--wait asks for every document when events were missed', async () => {
  const folder = testFolder()
  const names = Array.from({ length: 25 }, (_, i) => `${i}.txt`)
  for (const name of names) writeFileSync(join(folder, name), name)
  const { promise: polled, resolve } = Promise.withResolvers<void>()
  let isReady = false
  const documents = Object.fromEntries(
    names.map((name, i) => [
      `GET /api/v1/documents/doc_${i}`,
      (_: Received, response: ServerResponse) => {
        resolve()
        json(response, 200, { ...uploaded(`doc_${i}`, name), ...(isReady && { status: 'ready' }) })
      },
    ]),
  )
  let uploads = 0
  const instance = await scriptedInstance({
    ...documents,
    'POST /api/v1/upload': (request: Received, response: ServerResponse) => {
      uploads += 1
      const sent = names.filter((name) => request.body.includes(`filename="${name}"`))
      json(response, 202, { documents: sent.map((name) => uploaded(`doc_${names.indexOf(name)}`, name)), rejected: [] })
    },
    'GET /api/v1/events': async (_: Received, response: ServerResponse) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write('id: 3\n: listening\n\n')
      await until('every upload to be answered', () => uploads === 2)
      isReady = true
      response.write('id: 5\nevent: events.missed\ndata: {"id":5,"type":"events.missed","message":"gone"}\n\n')
      await polled
    },
  })
  const run = await runCommand(['upload', folder, '--wait', '--server', instance.url], { env: { DOCSEARCH_TOKEN: 'dsk_x' } })
  expect([run.code, run.stdout.match(/\tready\t/g)?.length]).toEqual([0, 25])
})

test('--wait shows the progress of each document and in total on a terminal', async () => {
  const folder = testFolder()
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(folder, name), name)
  let shown = ''
  const instance = await scriptedInstance({
    'POST /api/v1/upload': {
      documents: [uploaded('doc_a', 'a.txt'), uploaded('doc_b', 'b.txt')],
      rejected: [],
    },
    'GET /api/v1/documents/doc_a': uploaded('doc_a', 'a.txt'),
    'GET /api/v1/documents/doc_b': uploaded('doc_b', 'b.txt'),
    'GET /api/v1/events': async (_: Received, response: ServerResponse) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write(event(1, 'document.ready', 'doc_a', { status: 'ready' }) + event(2, 'document.processing', 'doc_b', {}))
      await until('one of two', () => /\/b\.txt +processing$/m.test(shown) && shown.includes('1 of 2 processed'))
      response.write(event(3, 'document.ready', 'doc_b', { status: 'ready' }))
    },
  })
  const run = await runCommand(['upload', folder, '--project', 'p', '--wait', '--server', instance.url], {
    env: { DOCSEARCH_TOKEN: 'dsk_x' },
    terminal: 80,
    onStderr: (text) => (shown += text),
  })
  expect([run.code, run.stderr.includes('2 documents, 2 created, 2 ready.')]).toEqual([0, true])
})
