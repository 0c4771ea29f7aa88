import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { runCommand } from '../support/cli.ts'
import { problem, scriptedInstance } from '../support/scripted-instance.ts'
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
