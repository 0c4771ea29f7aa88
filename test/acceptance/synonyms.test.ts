import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli, startRealDaemon, type RealDaemon } from '../support/daemon.ts'

test('the binary imports synonyms, which searches use at once and after a restart', async () => {
  const home = await mkdtemp(join(tmpdir(), 'docsearch-synonyms-'))
  const start = () => startRealDaemon({ home, env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  let daemon: RealDaemon = await start()
  onTestFinished(() => daemon.dispose())
  const cli = (args: string[], input?: string) => runCli(args, daemon.env, input)
  const find = () => cli(['search', 'wherewithal', '--mode', 'keyword', '-l'])

  expect((await cli(['upload', '-', '--name', 'money.txt', '--wait'], 'The money is in the blue box.\n')).code).toBe(0)
  expect((await find()).code).toBe(1)
  const imported = await cli(['synonyms', 'import', '-'], '# one way\nwherewithal => money\n')
  expect(imported).toMatchObject({ code: 0, stdout: 'Imported 1 rule into project default: 1 added, 0 unchanged\n' })
  expect(await find()).toMatchObject({ code: 0, stdout: 'money.txt\n' })

  expect(await daemon.stop()).toBe(0)
  daemon = await start()
  expect((await cli(['synonyms'])).stdout).toBe('wherewithal => money\n')
  expect(await find()).toMatchObject({ code: 0, stdout: 'money.txt\n' })
  expect((await cli(['synonyms', 'remove', 'wherewithal', '--yes'])).code).toBe(0)
  expect((await find()).code).toBe(1)
})
