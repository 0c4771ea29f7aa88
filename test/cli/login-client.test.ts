import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { runCommand, testFolder } from '../support/cli.ts'
import type { CliOptions } from '../support/cli.ts'
import { json } from '../support/scripted-instance.ts'
import type { Received } from '../support/scripted-instance.ts'
import { comeBack, oauthError, scriptedOAuth, TOKENS } from '../support/scripted-oauth.ts'
import { errorCode } from '../support/codes.ts'

const SECRET = `dss_${'s'.repeat(43)}`

/** An instance that requires this application and its secret. */
async function demanding() {
  return scriptedOAuth({
    'POST /api/oauth/token': ({ body }: Received, response: ServerResponse) => {
      const form = new URLSearchParams(body.toString())
      if (form.get('client_id') === 'app_1' && form.get('client_secret') === SECRET) json(response, 200, TOKENS)
      else oauthError(response, 401, errorCode('invalid_client'))
    },
  })
}

test.each<[string, CliOptions]>([
  ['from DOCSEARCH_CLIENT_SECRET', { env: { DOCSEARCH_CLIENT_SECRET: SECRET } }],
  ['from standard input', { stdin: `${SECRET}\n` }],
  ['asked for on a terminal', { terminal: 80, prompts: { password: async () => SECRET } }],
])('--client-id reads the secret %s', async (_, options) => {
  const instance = await demanding()
  const env = { DISPLAY: ':0', XDG_CONFIG_HOME: testFolder(), ...options.env }
  const run = await runCommand(['login', instance.url, '--client-id', 'app_1'], {
    ...options,
    env,
    browser: comeBack(instance.url),
  })
  expect(run.code).toBe(0)
  expect(run.stdout + run.stderr + run.opened.join()).not.toContain(SECRET)
  expect(new URL(run.opened[0]!).searchParams.get('client_id')).toBe('app_1')
  // Logging out sends the secret again.
  expect((await runCommand(['logout', '--server', instance.url], { env: { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME } })).code).toBe(0)
  expect(instance.forms('/api/oauth/revoke')).toMatchObject([{ client_id: 'app_1', client_secret: SECRET }])
})

test.each([
  ['no client of its own', []],
  ['the wrong secret', ['--client-id', 'app_1']],
])('exits with 4 and says what to do with %s', async (_, args) => {
  const instance = await demanding()
  const run = await runCommand(['login', instance.url, ...args], {
    env: { DISPLAY: ':0' },
    stdin: 'dss_wrong\n',
    browser: comeBack(instance.url),
  })
  expect(run.code).toBe(4)
  expect(run.stderr).toContain('DOCSEARCH_CLIENT_SECRET')
  expect(run.stderr).not.toContain('dss_wrong')
})
