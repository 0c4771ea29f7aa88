import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { runCommand } from '../support/cli.ts'
import type { DocumentBatch, DocumentBatchAnswer } from '../../src/contract/documents.ts'
import { json, problem, type Received, scriptedInstance, uploaded } from '../support/scripted-instance.ts'
import { errorCode } from '../support/codes.ts'

const [first, gone, last] = ['1', '2', '3'].map((digit) => `doc_${digit.repeat(26)}`) as [string, string, string]

test('lists what was done before the instance failed, and exits with the code of the failure', async () => {
  const instance = await scriptedInstance({
    [`DELETE /api/v1/documents/${first}`]: (_: unknown, response: ServerResponse) => void response.writeHead(204).end(),
    [`DELETE /api/v1/documents/${gone}`]: (_: unknown, response: ServerResponse) =>
      problem(response, 404, errorCode('document_not_found'), 'There is none.'),
    [`DELETE /api/v1/documents/${last}`]: (_: unknown, response: ServerResponse) =>
      problem(response, 503, 'unavailable', 'Try again shortly.'),
  })
  const env = { DOCSEARCH_SERVER: instance.url, DOCSEARCH_TOKEN: 'dsk_x' }
  const args = ['documents', 'delete', first, gone, last, '--yes']
  const json = await runCommand([...args, '--json'], { env })
  expect(json.code).toBe(6)
  expect(JSON.parse(json.stdout)).toMatchObject({
    deleted: [first],
    failed: [{ id: gone, code: errorCode('document_not_found') }],
  })
  expect(JSON.parse(json.stderr)).toMatchObject({ code: errorCode('unavailable'), exit_code: 6 })
  const plain = await runCommand(args, { env })
  expect(plain.stdout).toBe(`${first}\tdeleted\n`)
  expect(plain.stderr).toContain(`${gone}\tThere is none.\n`)
  expect(plain.stderr).toContain('docsearch: Try again shortly.')
})

test('exits with the code of the failure when nothing could be done, as for a single document', async () => {
  const missing = (_: unknown, response: ServerResponse) =>
    problem(response, 404, errorCode('document_not_found'), 'There is none.')
  const instance = await scriptedInstance({
    [`DELETE /api/v1/documents/${first}`]: missing,
    [`DELETE /api/v1/documents/${gone}`]: missing,
  })
  const env = { DOCSEARCH_SERVER: instance.url, DOCSEARCH_TOKEN: 'dsk_x' }
  const run = await runCommand(['documents', 'delete', first, gone, '--yes'], { env })
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(run.stderr).toContain(`${gone}\tThere is none.\n`)
  expect(run.stderr).toContain('All 2 documents failed.')
})

test('restores many documents with few requests, and sends single requests only for refused documents', async () => {
  const [replacing, former] = [`doc_${'4'.repeat(26)}`, `doc_${'5'.repeat(26)}`]
  const others = Array.from({ length: 2_400 }, (_, i) => `doc_${String(i).padStart(26, '0')}`)
  const instance = await scriptedInstance({
    'POST /api/v1/documents/batch': ({ body }: Received, response: ServerResponse) => {
      const { action, ids } = JSON.parse(body.toString()) as DocumentBatch
      expect([action, ids.length <= 1_000]).toEqual(['restore', true])
      const results = ids.map((id) => ({
        id,
        status: id === gone ? 404 : 202,
        ...(id === replacing && { replaced_id: former }),
      }))
      json(response, 200, { results } satisfies DocumentBatchAnswer)
    },
    [`POST /api/v1/documents/${gone}/restore`]: (_: unknown, response: ServerResponse) =>
      problem(response, 404, errorCode('document_not_found'), 'There is none.'),
    [`GET /api/v1/documents/${replacing}`]: (_: unknown, response: ServerResponse) =>
      json(response, 200, uploaded(replacing, 'contracts/lease.pdf')),
  })
  const env = { DOCSEARCH_SERVER: instance.url, DOCSEARCH_TOKEN: 'dsk_x' }
  const args = ['documents', 'restore', gone, ...others, replacing]
  const plain = await runCommand(args, { env })
  expect(plain.stdout).toBe([...others, replacing].map((id) => `${id}\trestored\n`).join(''))
  expect(plain.stderr).toContain(`${gone}\tThere is none.\n`)
  expect(plain.stderr).toContain(
    `The document that was at contracts/lease.pdf is in the trash now. To undo this, run \`docsearch documents restore ${former}\`.`,
  )
  expect(instance.requests.filter(({ method }) => method === 'POST')).toHaveLength(4)
  const { stdout, code } = await runCommand([...args, '--json'], { env })
  expect([code, JSON.parse(stdout)]).toEqual([
    3,
    {
      restored: [...others, replacing],
      failed: [{ id: gone, code: errorCode('document_not_found'), message: 'There is none.' }],
      replaced: [{ id: former, by: replacing, undo: `docsearch documents restore ${former}` }],
    },
  ])
})

test.each([
  { args: ['tag', '--add', 'signed'], action: { action: 'update', add_tags: ['signed'], remove_tags: [] }, done: 'tagged' },
  { args: ['reprocess'], action: { action: 'reprocess' }, done: 'queued' },
])('documents $args.0 needs two requests for 1,500 documents', async ({ args: [verb, ...options], action, done }) => {
  const ids = Array.from({ length: 1_500 }, (_, i) => `doc_${String(i).padStart(26, '0')}`)
  const sent: DocumentBatch[] = []
  const instance = await scriptedInstance({
    'POST /api/v1/documents/batch': ({ body }: Received, response: ServerResponse) => {
      const batch = JSON.parse(body.toString()) as DocumentBatch
      sent.push(batch)
      json(response, 200, { results: batch.ids.map((id) => ({ id, status: 202 })) } satisfies DocumentBatchAnswer)
    },
  })
  const env = { DOCSEARCH_SERVER: instance.url, DOCSEARCH_TOKEN: 'dsk_x' }
  const { stdout, code } = await runCommand(['documents', verb!, ...ids, ...options], { env })
  expect([code, stdout]).toEqual([0, ids.map((id) => `${id}\t${done}\n`).join('')])
  expect(instance.requests.filter(({ method }) => method !== 'GET')).toHaveLength(2)
  expect(sent).toEqual([ids.slice(0, 1_000), ids.slice(1_000)].map((part) => ({ ...action, ids: part })))
})
