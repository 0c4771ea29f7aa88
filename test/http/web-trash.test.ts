import { expect, onTestFinished, test } from 'vitest'
import { startTestApp, type TestApp, type TestAppOptions } from '../support/app.ts'
import { loggedIn, type WebClient } from '../support/web-client.ts'

async function start(options: TestAppOptions = {}): Promise<{ app: TestApp; alice: WebClient; bob: WebClient; id: string }> {
  const app = await startTestApp(options)
  onTestFinished(() => app.close())
  const id = await app.alice.ready('lease.txt', 'The lease of the mill.', { project: 'Leases' })
  await app.alice.call('PUT', '/api/v1/projects/Leases/members/bob@example.org', { json: { role: 'reader' } })
  return { app, id, alice: await loggedIn(app, 'alice@example.org'), bob: await loggedIn(app, 'bob@example.org') }
}

test('a document is deleted, and the notice has a button that undoes it', async () => {
  const { alice, bob, id } = await start()
  const path = `/documents/${id}`
  expect((await bob.get(path)).forms.map(({ action }) => action)).not.toContain(`${path}/delete`)

  const deleted = await alice.submit(await alice.get(path), `${path}/delete`)
  expect(deleted.location).toMatch(/^\/projects\/prj_/)
  const notice = await alice.follow(deleted)
  expect(notice.text).toMatch(/The document is in the trash\.\s+Undo/)
  expect((await bob.get(path)).status).toBe(404)
  const back = await alice.follow(await alice.submit(notice, `${path}/restore`))
  expect(back.text).toContain('The document was restored.')
  expect((await bob.get(path)).status).toBe(200)
})

test('the page of a document in the trash says until when, and restores or deletes it', async () => {
  const { app, alice, bob, id } = await start()
  const path = `/documents/${id}`
  await app.alice.call('DELETE', `/api/v1${path}`)
  const [trashed] = (await app.alice.get<{ documents: { trashed_at: string }[] }>('/api/v1/documents?trashed=true')).body
    .documents
  const ends = new Date(Date.parse(trashed!.trashed_at) + 30 * 86_400_000).toISOString()
  const page = await alice.get(path)
  expect(page.text).toMatch(/In the trash since \d+ \w+ \d{4}\. It will be deleted for good on \d+ \w+ \d{4}\./)
  expect(page.html).toContain(`datetime="${trashed!.trashed_at}"`)
  expect(page.html).toContain(`datetime="${ends}"`)
  expect([(await bob.get(path)).status, (await bob.get(`${path}/delete`)).status]).toEqual([404, 404])

  // Another document takes the path, and its place is given back.
  const second = await app.alice.ready('lease.txt', 'Another lease.', { project: 'Leases' })
  const restored = await alice.follow(await alice.submit(page, `${path}/restore`))
  expect(restored.text).toMatch(/The document that had its path is in the trash\.\s+Undo/)
  expect((await alice.get(`/documents/${second}`)).text).toContain('In the trash since')
  await alice.submit(restored, `/documents/${second}/restore`)

  const question = await alice.get(`${path}/delete`)
  expect(question.text).toMatch(/Delete this document permanently\?[^]*lease\.txt[^]*This cannot be undone/)
  // Somebody restores the document before the answer. The answer was about a document in the trash.
  await app.alice.call('POST', `/api/v1${path}/restore`)
  expect((await alice.submit(question, `${path}/delete`)).location).toBe(path)
  expect((await alice.get(path)).text).not.toContain('In the trash')
  await app.alice.call('DELETE', `/api/v1${path}`)
  const gone = await alice.follow(await alice.submit(question, `${path}/delete`))
  expect(gone.text).toContain('The document was deleted for good.')
  expect((await alice.get(path)).status).toBe(404)
})

test('without a trash, a deletion asks first', async () => {
  const { alice, id } = await start({ trashDays: 0 })
  const path = `/documents/${id}`
  const page = await alice.get(path)
  expect([page.links.includes(`${path}/delete`), page.forms.some(({ action }) => action === `${path}/delete`)]).toEqual([
    true,
    false,
  ])
  const question = await alice.get(`${path}/delete`)
  expect(question.text).toContain('Delete this document permanently?')
  expect((await alice.follow(await alice.submit(question, `${path}/delete`))).text).toContain('deleted for good')
  expect((await alice.get(path)).status).toBe(404)
})
