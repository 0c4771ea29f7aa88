import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { hasNginx } from '../support/nginx.ts'

/** Acceptance tests that ask an instance at the address that its users have. The others are about the local address and its files. */
const FILES = [
  'test/acceptance/mcp-stdio.test.ts',
  'test/acceptance/secrets.test.ts',
  'test/acceptance/sync.test.ts',
  'test/acceptance/synonyms.test.ts',
  'test/acceptance/upload-folder.test.ts',
  'test/tools/upload-on-terminal.test.ts',
  'test/cli/clients.test.ts',
  'test/tools/login-daemon.test.ts',
  'test/tools/tables.test.ts',
  'test/web/first-owner.test.ts',
  'test/web/invited-user.test.ts',
]

test.skipIf(!hasNginx)(`behind nginx, below a path (${hasNginx ? 'nginx' : 'skipped: there is no nginx'})`, async () => {
  const env = { ...process.env, DOCSEARCH_TEST_NGINX: 'true' }
  const child = spawn('npx', ['vitest', 'run', '--project', 'main', '--project', 'all', ...FILES], { env, stdio: 'inherit' })
  expect(await once(child, 'exit')).toEqual([0, null])
})
