import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Logger } from '../../src/core/logger.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { oauthFlow, pkce } from '../support/oauth-flow.ts'
import { storedBytes } from '../support/open-database.ts'

const logged: unknown[] = []
const write = (...line: unknown[]) => void logged.push(line.map((part) => (part instanceof Error ? part.stack : part)))
const log: Logger = { debug: write, info: write, warn: write, error: write, child: () => log }

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ log })
})
afterAll(() => app?.close())

test('no issued secret, code or token is in the database, its journal or the log', async () => {
  const flow = await oauthFlow(app)
  const rotated = await app.backend.oauth.applications.rotate(flow.user.id, flow.application.id)
  flow.secrets.add(rotated?.secret ?? '')

  const { verifier, query } = pkce()
  flow.secrets.add(verifier)
  const [used, unused] = [await flow.code(query), await flow.code()]
  const { body: first } = await flow.exchange(used, { code_verifier: verifier })
  const { body: second } = await flow.refresh(first.refresh_token)
  await flow.api(second.access_token)
  await flow.post('/api/oauth/introspect', { token: second.access_token })
  await flow.exchange(used, { code_verifier: verifier })
  await flow.exchange(unused, { client_secret: 'wrong' })
  await flow.refresh(first.refresh_token)
  await flow.post('/api/oauth/revoke', { token: second.refresh_token })

  const { body: device } = await flow.post('/api/oauth/device', {})
  await app.backend.oauth.device.decide(String(device['user_code']), flow.user, true)
  await flow.token({ grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: String(device['device_code']) })
  flow.secrets.add(String(device['user_code']).replace('-', ''))

  const stored = await storedBytes(app.database)
  // Shows that secrets would be found in this form.
  expect(stored.some((text) => text.includes(flow.application.id))).toBe(true)
  const kept = [...stored, JSON.stringify(logged)]
  expect(flow.secrets.size).toBeGreaterThanOrEqual(13)
  for (const secret of flow.secrets) for (const text of kept) expect(text.includes(secret), secret).toBe(false)
  expect(logged.length).toBeGreaterThan(10)
})
