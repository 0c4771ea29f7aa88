import { expect, onTestFinished, test } from 'vitest'
import { startRealDaemon } from '../support/daemon.ts'
import { hasTmux, onTerminal } from '../support/tmux.ts'
import { until } from '../support/until.ts'

test.skipIf(!hasTmux)('status --watch fits the terminal, and Ctrl-C restores its content', async () => {
  const daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin', DOCSEARCH_PARSE_WORKERS: '1' } })
  onTestFinished(() => daemon.dispose())
  const terminal = await onTerminal(['status', '--watch', '--every', '1'], daemon.env)
  await until('the first look', async () => (await terminal.shown()).includes('documents'))
  expect((await terminal.shown()).split('\n')[2]).toBe('ok')
  await terminal.press('C-c')
  await until('the end', async () => (await terminal.shown()).includes('exit 130'))
  expect((await terminal.shown()).replace('^C', '').trim()).toBe('exit 130')
})
