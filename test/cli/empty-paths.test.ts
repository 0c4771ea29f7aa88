import { expect, test } from 'vitest'
import { runCommand } from '../support/cli.ts'

// An unset variable in a script gives an empty name. Without a check, it would name the current folder or the default data folder.

test.each([
  'serve --print-config --data',
  'serve --print-config --config',
  'reindex --data',
  'doctor --data',
  'status --data',
  'users list --data',
  'users add a@example.org --data',
  'clients list --data',
  'audit --data',
  'backup x.tar --data',
  'restore x.tar --data',
  'documents get x --output',
  'sync . --plan',
  'sync . --apply',
  'eval x --baseline',
])('%s refuses an empty name', async (command) => {
  const { code, stdout, stderr } = await runCommand([...command.split(' '), ''])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/argument '' is invalid\. It must not be empty\.$/m)
})

test.each(['backup', 'backup verify', 'restore', 'export', 'import', 'eval', 'upload', 'sync', 'synonyms import'])(
  '%s refuses an empty name as its argument',
  async (command) => {
    const { code, stdout, stderr } = await runCommand([...command.split(' '), ''])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/The argument .* is empty\. Name a file or a folder\.$/m)
  },
)

test('an empty --cacert is refused', async () => {
  const { code, stderr } = await runCommand(['--cacert', '', 'search', 'x'], {
    env: { DOCSEARCH_SERVER: 'http://127.0.0.1:9', DOCSEARCH_TOKEN: 'dsk_x' },
  })
  expect(code).toBe(2)
  expect(stderr).toContain('--cacert is empty')
})

test.each(['serve --print-config', 'reindex', 'doctor', 'status', 'users list', 'clients list', 'audit', 'backup x.tar', 'mcp'])(
  '%s refuses an empty DOCSEARCH_DATA',
  async (command) => {
    const { code, stdout, stderr } = await runCommand(command.split(' '), { env: { DOCSEARCH_DATA: '' } })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('DOCSEARCH_DATA is empty. Name the data folder, or leave DOCSEARCH_DATA out.')
  },
)

test('a command that names an instance does not need the data folder', async () => {
  const { stderr } = await runCommand(['users', 'list'], {
    env: { DOCSEARCH_DATA: '', DOCSEARCH_SERVER: 'http://127.0.0.1:9', DOCSEARCH_TOKEN: 'dsk_x' },
  })
  expect(stderr).not.toContain('DOCSEARCH_DATA')
})
