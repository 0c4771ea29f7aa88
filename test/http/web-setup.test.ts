import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LinkPurpose } from '../../src/core/model.ts'
import type { Logger } from '../../src/core/logger.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { loggedIn, PASSWORD, webClient } from '../support/web-client.ts'

const lines: unknown[] = []
const write = (...line: unknown[]) => void lines.push(line)
const log: Logger = { debug: write, info: write, warn: write, error: write, child: () => log }

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ log })
})
afterAll(() => app?.close())

async function linkFor(email: string | null, purpose: LinkPurpose, name = 'New here'): Promise<string> {
  const { records, accounts } = app.backend
  const known = email === null ? null : await records.users.findByEmail(email)
  const user = known ?? (await records.users.create({ name, email, role: 'member' }))
  return (await accounts.issueLink(user.id, purpose)).token
}

const passwords = { password: PASSWORD, password_again: PASSWORD }

test('setup completes the account with name, email and password, and logs the user in', async () => {
  const token = await linkFor(null, 'setup')
  const browser = webClient(app)
  const form = await browser.get(`/setup?token=${token}`)
  expect([form.status, form.text]).toEqual([200, expect.stringContaining('Set up your instance')])
  const page = await browser.submit(form, '/setup', { ...passwords, name: 'Olga', email: 'olga@example.org' })
  expect([page.status, page.location]).toEqual([303, '/'])
  expect((await browser.get('/settings/profile')).field('name')).toBe('Olga')
  expect((await webClient(app).logIn('olga@example.org', PASSWORD)).status).toBe(303)
})

test('an invitation keeps its address, even when the form sends another', async () => {
  const token = await linkFor('ivan@example.org', 'invitation')
  const browser = webClient(app)
  const form = await browser.get(`/setup?token=${token}`)
  expect([form.field('email'), form.field('name')]).toEqual(['ivan@example.org', 'New here'])
  await browser.submit(form, '/setup', { ...passwords, name: 'Ivan', email: 'alice@example.org' })
  const profile = await browser.get('/settings/profile')
  expect([profile.field('email'), profile.field('name')]).toEqual(['ivan@example.org', 'Ivan'])
})

test('a reset changes only the password, and ends all sessions', async () => {
  const before = await loggedIn(app, 'bob@example.org')
  const token = await linkFor('bob@example.org', 'reset')
  const browser = webClient(app)
  const form = await browser.get(`/setup?token=${token}`)
  expect(form.text).toContain('Choose a new password')
  const page = await browser.submit(form, '/setup', { password: 'another good phrase', password_again: 'another good phrase' })
  expect(page.status).toBe(303)
  expect((await before.get('/settings/profile')).location).toMatch(/^\/login/)
  expect((await webClient(app).logIn('bob@example.org', PASSWORD)).status).toBe(422)
  expect((await browser.get('/settings/profile')).field('name')).toBe('Bob')
})

test('using a link logs out the user who was logged in before', async () => {
  const browser = await loggedIn(app, 'alice@example.org')
  const token = await linkFor('dora@example.org', 'invitation')
  await browser.submit(await browser.get(`/setup?token=${token}`), '/setup', { ...passwords, name: 'Dora' })
  expect((await browser.get('/settings/profile')).field('email')).toBe('dora@example.org')
})

test.each([
  ['a short password', { password: 'short', password_again: 'short' }],
  ['two different passwords', { password: PASSWORD, password_again: `${PASSWORD}!` }],
  ['a common password', { password: 'password123', password_again: 'password123' }],
  ['a missing name', { ...passwords, name: ' ' }],
  ['an invalid address', { ...passwords, email: 'nowhere' }],
  ['a taken address', { ...passwords, email: 'Alice@example.org' }],
])('after %s the form keeps the name and address, and the link still works', async (_what, wrong) => {
  const token = await linkFor(null, 'setup')
  const browser = webClient(app)
  const typed = { name: 'Egon', email: `egon${token.slice(0, 6).toLowerCase()}@example.org` }
  const page = await browser.submit(await browser.get(`/setup?token=${token}`), '/setup', { ...typed, ...wrong })
  expect(page.status).toBe(422)
  expect(page.field('password')).toBe('')
  expect({ name: page.field('name'), email: page.field('email') }).toEqual({ ...typed, ...nameAndEmail(wrong) })
  expect((await browser.submit(page, '/setup', { ...passwords, ...typed })).status).toBe(303)
})

test('a form with several faults names all of them at once', async () => {
  const token = await linkFor(null, 'setup')
  const browser = webClient(app)
  const wrong = { name: ' ', email: 'nowhere', password: 'short', password_again: 'other' }
  const page = await browser.submit(await browser.get(`/setup?token=${token}`), '/setup', wrong)
  expect(page.status).toBe(422)
  for (const fault of [
    'Enter a name.',
    'This is not an email address',
    'at least 10 characters',
    'The two passwords are not the same.',
  ])
    expect(page.text).toContain(fault)
})

function nameAndEmail(wrong: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(wrong).filter(([name]) => name === 'name' || name === 'email'))
}

test('opening a link leaves it usable, and one of two uses at the same time succeeds', async () => {
  const token = await linkFor('fred@example.org', 'invitation')
  const [one, two] = [webClient(app), webClient(app)]
  const forms = [await one.get(`/setup?token=${token}`), await two.get(`/setup?token=${token}`)]
  expect((await one.send('HEAD', `/setup?token=${token}`, null, {})).status).toBe(200)
  const answers = await Promise.all([
    one.submit(forms[0]!, '/setup', { ...passwords, name: 'One' }),
    two.submit(forms[1]!, '/setup', { ...passwords, name: 'Two' }),
  ])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 404])
  const late = await webClient(app).get(`/setup?token=${token}`)
  expect([late.status, late.text]).toEqual([404, expect.stringContaining('This link is no longer valid')])
})

test.each(['/setup', '/setup?token=', '/setup?token=unknown', '/setup?token=a&token=b'])(
  '%s says that the link is no longer valid',
  async (path) => {
    const page = await webClient(app).get(path)
    expect([page.status, page.text]).toEqual([404, expect.stringContaining('This link is no longer valid')])
  },
)

test('the token is in no log, and no browser sends it to other sites', async () => {
  const token = await linkFor('gina@example.org', 'invitation')
  const browser = webClient(app)
  const form = await browser.get(`/setup?token=${token}`)
  // No Referer has a path or a query (Referrer Policy, section 3.4).
  expect(form.headers.get('referrer-policy')).toBe('strict-origin')
  await browser.submit(form, '/setup', { ...passwords, name: 'Gina' })
  await browser.get(`/setup?token=${token}`)
  await browser.get(`/setup/${token}`)
  expect(lines.length).toBeGreaterThan(0)
  const logged = JSON.stringify(lines.filter((line) => !JSON.stringify(line).includes(`/setup/${token}`)))
  expect(logged).not.toContain(token)
  expect(logged).toContain('"/setup"')
})
