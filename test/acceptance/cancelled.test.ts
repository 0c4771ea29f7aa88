import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { BIN, cleanEnv } from '../support/daemon.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a cancelled upload ends with 130, also when Node deadlocks while it exits', async () => {
  const child = spawn(process.execPath, ['--import', EXIT_NEVER_RETURNS, BIN, 'upload', import.meta.filename], {
    env: cleanEnv(await tempFolder(), {
      DOCSEARCH_SERVER: await silentInstance(() => child.kill('SIGINT')),
      DOCSEARCH_TOKEN: 'dsk_x',
    }),
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  expect(await once(child, 'exit')).toEqual([130, null])
})

const EXIT_NEVER_RETURNS = new URL('../support/exit-never-returns.mjs', import.meta.url).href

/** Starts a server that never answers, and returns its address. */
async function silentInstance(onRequest: () => void): Promise<string> {
  const server = createServer(onRequest)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
