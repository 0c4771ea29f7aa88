import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { oauthFlow, REDIRECT_URI } from '../support/oauth-flow.ts'
import { errorCode } from '../support/codes.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.close())

/** Starts another process with an authorization server on the same database. */
async function startServer(): Promise<string> {
  const script = join(import.meta.dirname, '../support/oauth-server.ts')
  const child = spawn(process.execPath, [script, app.database], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill()
    await ended
  })
  const line = await Promise.race([once(child.stdout, 'data'), ended.then(() => null)])
  if (line === null) throw new Error('the server has ended before it listened')
  return String(line[0]).trim()
}

test('one of 50 requests that redeem a code at the same time gets tokens, and the others end them', async () => {
  const flow = await oauthFlow(app)
  const code = await flow.code()
  const answers = await Promise.all(Array.from({ length: 50 }, () => flow.exchange(code)))
  const [winner, ...others] = answers.toSorted((a, b) => a.status - b.status)
  expect(winner?.status).toBe(200)
  expect(others.every(({ status, body }) => status === 400 && body.error === errorCode('invalid_grant'))).toBe(true)
  expect((await flow.api(winner?.body.access_token ?? '')).status).toBe(401)
})

test('of 50 requests to two server processes, one gets tokens for a code, and all get the same pair for a refresh token', async () => {
  const flow = await oauthFlow(app)
  const servers = await Promise.all([startServer(), startServer()])
  const redeemAll = async (fields: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: flow.application.id, client_secret: flow.secret ?? '', ...fields })
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const response = await fetch(`${servers[i % 2]}/api/oauth/token`, { method: 'POST', body })
        return { status: response.status, body: (await response.json()) as { error?: string; refresh_token?: string } }
      }),
    )
    if (fields['refresh_token'] !== undefined) {
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
      return
    }
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const refusals = answers.filter(({ status }) => status !== 200)
    expect(new Set(refusals.map(({ status, body }) => `${status} ${body.error}`))).toEqual(new Set(['400 invalid_grant']))
  }
  for (let round = 0; round < 3; round++) {
    await redeemAll({ grant_type: 'authorization_code', code: await flow.code(), redirect_uri: REDIRECT_URI })
    const { refresh_token } = await flow.tokens()
    await redeemAll({ grant_type: 'refresh_token', refresh_token })
  }
})
