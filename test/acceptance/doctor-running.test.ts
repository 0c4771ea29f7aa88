import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXIT } from '../../src/cli/exit.ts'
import { errorCode } from '../support/codes.ts'
import { runCli } from '../support/daemon.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { textWith } from '../support/words.ts'

let instance: Instance
let running: Running
beforeAll(async () => {
  instance = await newInstance()
  running = await instance.start()
  await running.upload([{ name: 'note.txt', content: textWith('gate') }], { wait: true })
})
afterAll(() => instance?.remove())

async function examine(): Promise<{ status: number; retryAfter: string | null; text: string }> {
  const response = await fetch(`${running.url}/api/v1/doctor`, {
    method: 'POST',
    headers: { authorization: `Bearer ${running.token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() }
}

test('a second examination at the same time is refused with a code of its own, over the API and on the command line', async () => {
  const [first, second] = await Promise.all([examine(), examine()])
  const [done, refused] = first.status === 200 ? [first, second] : [second, first]
  expect(done.status).toBe(200)
  expect(done.text.trim().split('\n').at(-1)).toContain('"status":"ok"')
  expect(refused).toMatchObject({ status: 409, retryAfter: '60' })
  expect(JSON.parse(refused.text)).toMatchObject({ code: errorCode('doctor_running'), status: 409 })

  const results = await Promise.all([runCli(['doctor'], running.daemon.env), runCli(['doctor', '--fix'], running.daemon.env)])
  // The commands may also run one after the other.
  for (const { code, stderr } of results) {
    expect([EXIT.done, EXIT.busy], stderr).toContain(code)
    if (code === EXIT.busy) expect(stderr).toContain('Another examination is running')
  }
})

test('an examination leaves no temporary folder', async () => {
  const before = readdirSync(join(instance.dataDir, 'tmp'))
  for (let i = 0; i < 3; i++) expect((await examine()).status).toBe(200)
  expect(readdirSync(join(instance.dataDir, 'tmp'))).toEqual(before)
})
