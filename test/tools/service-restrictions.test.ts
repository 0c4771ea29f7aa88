import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { missingForSandbox, runInSandbox } from '../support/service-sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'

const SAMPLES = fileURLToPath(new URL('../../samples/', import.meta.url))
const missing = missingForSandbox()

async function ended(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const [[code], stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout!), text(child.stderr!)])
  return { code: code as number | null, stdout, stderr }
}

test.skipIf(missing !== null)(`works with the restrictions of its unit (${missing ?? 'bubblewrap and seccomp'})`, async () => {
  const folder = await tempFolder()
  const daemon = runInSandbox(folder, ['--json', 'serve', '--port', '0'])
  const exit = ended(daemon)
  onTestFinished(async () => {
    daemon.kill('SIGKILL')
    await exit
    await rm(folder, { recursive: true, force: true })
  })
  const first = await Promise.race([once(createInterface({ input: daemon.stdout! }), 'line'), exit])
  expect(first, JSON.stringify(first)).toBeInstanceOf(Array)
  const { url } = JSON.parse((first as [string])[0]) as { url: string }

  // Parsers, the index, the database, page images and the local socket all work.
  const upload = await ended(runInSandbox(folder, ['--server', url, '--json', 'upload', SAMPLES, '--wait']))
  expect(upload, upload.stderr).toMatchObject({ code: 0 })
  const search = await ended(runInSandbox(folder, ['--server', url, '--json', 'search', 'notice before moving out']))
  expect(search, search.stderr).toMatchObject({ code: 0 })
  const { results } = JSON.parse(search.stdout) as { results: { document: { name: string } }[] }
  expect(results[0]?.document.name).toBe('lease.pdf')
})
