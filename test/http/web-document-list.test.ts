import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { readHtml } from '../support/read-html.ts'
import { loggedIn, type WebClient } from '../support/web-client.ts'

let app: TestApp
let alice: WebClient
beforeAll(async () => {
  app = await startTestApp()
  alice = await loggedIn(app, 'alice@example.org')
  for (let n = 0; n < 52; n++) await app.alice.ready(`note-${n}.txt`, `Note number ${n}.`, { project: 'Notes' })
  await app.alice.ready('terms.txt', 'The terms.', { project: 'Terms', path: 'law/terms.txt' })
})
afterAll(() => app?.close())

const namesIn = (html: string) =>
  readHtml(html)
    .filter(({ tag, attributes }) => tag === 'a' && attributes['href']?.startsWith('/documents/doc_') === true)
    .map(({ text }) => text)
const idsIn = (html: string) =>
  readHtml(html)
    .filter(({ attributes }) => attributes['type'] === 'checkbox')
    .map(({ attributes }) => attributes['value']!)

test('lists every document once over its pages, newest first, and filters them', async () => {
  const first = await alice.get('/documents')
  expect(namesIn(first.html)).toHaveLength(50)
  expect(namesIn(first.html)[0]).toBe('law/terms.txt')
  const next = first.links.find((link) => link.includes('cursor='))!
  const second = await alice.get(next)
  const all = [...namesIn(first.html), ...namesIn(second.html)]
  expect([all.length, new Set(all).size]).toEqual([53, 53])
  expect(namesIn((await alice.get('/documents?name=NOTE-51&project=Notes')).html)).toEqual(['note-51.txt'])
  expect(namesIn((await alice.get('/documents?path=law/')).html)).toEqual(['law/terms.txt'])
  expect((await alice.get('/documents?tab=failed')).text).toContain('No documents here')
  expect((await alice.get('/documents?cursor=wrong&path=law/')).location).toBe('/documents?path=law%2F')
  expect((await alice.get('/documents?project=Trems')).status).toBe(404)
})

test('sorts by a column, in both orders, and keeps the order on the next page and when filtered', async () => {
  const linkOf = ({ html }: { html: string }, label: string) =>
    readHtml(html).find(({ tag, text }) => tag === 'a' && text === label)!.attributes['href']!
  const sortedBy = ({ html }: { html: string }) =>
    readHtml(html).flatMap(({ tag, text, attributes }) =>
      tag === 'th' && attributes['aria-sort'] !== undefined ? [[text, attributes['aria-sort']]] : [],
    )
  const newest = await alice.get('/documents')
  expect(sortedBy(newest)).toEqual([['Added', 'descending']])
  const byName = await alice.get(linkOf(newest, 'Name'))
  expect(sortedBy(byName)).toEqual([['Name', 'ascending']])
  const next = await alice.get(byName.links.find((link) => link.includes('cursor='))!)
  const names = [...namesIn(byName.html), ...namesIn(next.html)].map((path) => path.replace(/.*\//, ''))
  expect(names).toEqual(names.toSorted())
  expect(names).toHaveLength(53)
  const reversed = await alice.get(linkOf(byName, 'Name'))
  expect(sortedBy(reversed)).toEqual([['Name', 'descending']])
  expect(reversed.field('sort')).toBe('name')
  expect(linkOf(await alice.get(linkOf(reversed, 'Name')), 'Name')).toBe(linkOf(byName, 'Name'))
  expect(sortedBy(await alice.get(linkOf(byName, 'Size')))).toEqual([['Size', 'descending']])
  expect(sortedBy(await alice.get('/documents?tab=trash&sort=size'))).toEqual([])
  expect((await alice.get('/documents?sort=colour&order=up')).status).toBe(200)
})

test('shows documents that wait in "In progress" only, and failed ones in "Failed"', async () => {
  const broken = await startTestApp()
  try {
    await broken.alice.upload([{ name: 'broken.pdf', content: '%PDF-1.4\nnothing' }])
    await broken.alice.ready('good.txt', 'A lantern.')
    const browser = await loggedIn(broken, 'alice@example.org')
    expect(namesIn((await browser.get('/documents?tab=progress')).html)).not.toContain('good.txt')
    expect(namesIn((await browser.get('/documents?tab=failed')).html)).not.toContain('good.txt')
    expect(namesIn((await browser.get('/documents')).html)).toContain('good.txt')
  } finally {
    await broken.close()
  }
})

test('moves selected documents to the trash, undoes that, and deletes for good only after a confirmation', async () => {
  const list = await alice.get('/documents?name=note-1&project=Notes')
  const [one, two] = idsIn(list.html) as [string, string]
  const back = (page: { location: string | null }) => expect(page.location).toBe('/documents?name=note-1&project=Notes')
  const deleted = await alice.submit(list, '/documents/batch', { ids: [one, two] }, 'Delete')
  back(deleted)
  const after = await alice.follow(deleted)
  expect(after.text).toContain('The documents are in the trash.')
  expect(idsIn(after.html)).not.toContain(one)
  const trash = await alice.get('/documents?tab=trash')
  expect(idsIn(trash.html).toSorted()).toEqual([one, two].toSorted())

  // The notice has the button that undoes the deletion. It is the first form to this address.
  const undone = await alice.submit(after, '/documents/batch')
  expect((await alice.follow(undone)).text).toContain('The documents were restored.')
  expect(idsIn((await alice.get('/documents?name=note-1&project=Notes')).html)).toContain(one)

  await alice.submit(await alice.get('/documents'), '/documents/batch', { ids: [one] }, 'Delete')
  await alice.get('/documents')
  const asked = await alice.submit(
    await alice.get('/documents?tab=trash'),
    '/documents/batch',
    { ids: [one] },
    'Delete permanently',
  )
  expect([asked.status, asked.text]).toEqual([200, expect.stringContaining('Delete this document permanently?')])
  expect(idsIn((await alice.get('/documents?tab=trash')).html)).toEqual([one])
  await alice.submit(asked, '/documents/batch')
  expect(idsIn((await alice.get('/documents?tab=trash')).html)).toEqual([])
})

test('tags, moves and reads again, and says when a document was refused or none was selected', async () => {
  const list = await alice.get('/documents?name=note-2&project=Notes')
  const [id] = idsIn(list.html) as [string]
  const say = async (values: Record<string, string | string[]>, button: string) =>
    (await alice.follow(await alice.submit(list, '/documents/batch', values, button))).text
  const tagsOf = async () => (await app.alice.get<{ tags: string[] }>(`/api/v1/documents/${id}`)).body.tags
  expect(await say({ ids: [id], tags: 'law, rent' }, 'Add tags')).toContain('The tags were added to the documents.')
  expect(await say({ ids: [id], tags: 'signed' }, 'Add tags')).toContain('The tags were added to the documents.')
  expect(await say({ ids: [id], tags: 'rent, unknown' }, 'Remove tags')).toContain('The tags were removed from the documents.')
  expect(await tagsOf()).toEqual(['law', 'signed'])
  expect(await say({ ids: [id], tags: ' , ' }, 'Remove tags')).toContain('Nothing was changed. Name one to 100 tags')
  expect(await tagsOf()).toEqual(['law', 'signed'])
  const terms = (
    await app.alice.get<{ project: { id: string } }>(
      `/api/v1/documents/${idsIn((await alice.get('/documents?path=law/')).html)[0]!}`,
    )
  ).body
  expect(await say({ ids: [id], project: terms.project.id }, 'Move')).toContain('The documents were moved.')
  expect(await say({ ids: [id] }, 'Read again')).toContain('docsearch reads the documents again.')
  expect(await say({ ids: [id, 'doc_unknown'] }, 'Read again')).toContain('Some of the documents were not changed')
  expect(await say({}, 'Read again')).toContain('Select documents first.')
  const elsewhere = await alice.submit(list, '/documents/batch', { ids: [id], back: '//evil.example' }, 'Read again')
  expect(elsewhere.location).toBe('/documents')
})
