import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { readHtml } from '../support/read-html.ts'
import { loggedIn, PASSWORD, webClient, type WebClient } from '../support/web-client.ts'

let app: TestApp
let alice: WebClient
let terms: string
beforeAll(async () => {
  app = await startTestApp()
  alice = await loggedIn(app, 'alice@example.org')
  terms = await app.alice.ready('refunds.txt', 'Refunds & returns\n\nRefunds are paid within <b>fourteen</b> days.\n', {
    project: 'Terms',
    tags: 'legal',
  })
  await app.alice.ready('gardens.txt', 'Roses want sun and a little lime in the ground.\n')
  for (let n = 0; n < 12; n++) await app.alice.ready(`herons-${n}.txt`, `Heron number ${n} stands in the reeds of lake ${n * 7}.`)
})
afterAll(() => app?.close())

const address = (fields: Record<string, string>) => `/?${new URLSearchParams(fields)}`
const names = (html: string) => {
  const elements = readHtml(html)
  return elements.filter(({ tag, text }) => tag === 'h2' && text.endsWith('.txt')).map(({ text }) => text)
}

test('shows what the API finds, with highlights and a link that opens the passage', async () => {
  const query = 'when are refunds paid'
  const page = await alice.get(address({ q: query }))
  expect(page.status).toBe(200)
  const { body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query })
  expect(names(page.html)).toEqual(body.results.map(({ document }) => document.name))
  expect(page.html).toContain('<mark>Refunds</mark> are <mark>paid</mark> within &lt;b>fourteen&lt;/b> days.')
  expect(page.field('q')).toBe(query)
  expect(page.text).toContain('Terms')
  const link = readHtml(page.html).find(({ tag, text }) => tag === 'a' && text === 'refunds.txt')!.attributes['href']!
  const url = new URL(body.results[0]!.url)
  expect(link).toBe(`${url.pathname}${url.search}&q=when+are+refunds+paid#passage`)
})

test.each([
  [{ project: 'Terms' }, ['refunds.txt']],
  [{ tags: ' shop, legal ' }, ['refunds.txt']],
  [{ type: 'pdf' }, []],
])('filters results by %j', async (fields, expected) => {
  const page = await alice.get(address({ q: 'refunds roses', ...fields }))
  expect([page.status, names(page.html)]).toEqual([200, expected])
  if (expected.length === 0) expect(page.text).toMatch(/Nothing found.*Search in all your documents/s)
})

test('shows one card for each document, with further hits, and unfolds its passages', async () => {
  const parts = ['north', 'south', 'east', 'west', 'inner'].map(
    (side) => `# ${side}\n\n${`The ${side} pier has a kestrel. `.repeat(60)}`,
  )
  const id = await app.alice.ready('guide.md', parts.join('\n\n'), { path: 'harbour/2026/guide.md', project: 'Harbour' })
  const page = await alice.get(address({ q: 'kestrel', project: 'Harbour' }))
  expect(names(page.html)).toEqual([])
  const elements = readHtml(page.html)
  expect(elements.filter(({ tag }) => tag === 'h2').map(({ text }) => text)).toContain('harbour/2026/guide.md')
  expect(elements.filter(({ attributes }) => attributes['class'] === 'excerpt')).toHaveLength(3)
  // Readers don't count Markdown in pages.
  expect(page.text).not.toMatch(/page 1\b/)
  const unfold = elements.find(({ tag, text }) => tag === 'a' && /^\d+ passages$/.test(text))!.attributes['href']!
  const passages = await alice.get(unfold)
  expect(readHtml(passages.html).filter(({ attributes }) => attributes['class'] === 'result').length).toBeGreaterThan(1)
  expect(passages.text).toContain('guide.md')
  expect((await alice.get(address({ q: 'kestrel', document: id }))).status).toBe(200)
})

test('says when no passage has all words, and when a result has none', async () => {
  expect((await alice.get(address({ q: 'refunds fourteen', project: 'Terms' }))).text).not.toContain(
    'no passage here contains all words',
  )
  expect((await alice.get(address({ q: 'refunds lime' }))).text).toContain('no passage here contains all words')
})

test('offers facets with counts, the order, days and a folder as links and fields that keep the query', async () => {
  const page = await alice.get(address({ q: 'refunds roses', sort: 'name', path: 'r', after: '2020-01-01' }))
  expect(names(page.html)).toEqual(['refunds.txt'])
  expect([page.field('path'), page.field('after')]).toEqual(['r', '2020-01-01'])
  const all = await alice.get(address({ q: 'refunds roses' }))
  const links = readHtml(all.html).filter(({ tag }) => tag === 'a')
  const terms = links.find(({ text }) => /^Terms 1$/.test(text))!
  expect(names((await alice.get(terms.attributes['href']!)).html)).toEqual(['refunds.txt'])
  const byName = links.find(({ text }) => text === 'Name')!
  expect(names((await alice.get(byName.attributes['href']!)).html)).toEqual(['gardens.txt', 'refunds.txt'])
  expect(all.text).toContain("docsearch search 'refunds roses' --group")
})

test('the start view links to what can be searched, to what failed, and to new documents', async () => {
  const page = await alice.get('/')
  expect(page.text).toMatch(/\d+ searchable/)
  expect(page.links).toContain('/documents')
  expect(page.text).toContain('Recently added')
  expect(page.links.some((link) => link.startsWith('/documents/doc_'))).toBe(true)
})

test('corrects a misspelled query, and links to a search for the words as typed', async () => {
  const page = await alice.get(address({ q: 'refnuds', project: 'Terms' }))
  expect(page.text).toContain('Showing results for refunds. Search instead for refnuds.')
  const typedLink = readHtml(page.html).find(({ tag, text }) => tag === 'a' && text === 'refnuds')!.attributes['href']!
  const typed = await alice.get(typedLink)
  expect(typed.text).not.toContain('Showing results for')
  expect(typed.form('/').fields).toContainEqual(['project', expect.stringMatching(/^prj_/)])
})

test('shows each result once over several result pages, with links back', async () => {
  const first = await alice.get(address({ q: 'heron' }))
  const link = (html: string, rel: string) =>
    readHtml(html).find(({ attributes }) => attributes['rel'] === rel)?.attributes['href']
  expect(link(first.html, 'prev')).toBeUndefined()
  const second = await alice.get(link(first.html, 'next')!)
  expect([...names(first.html), ...names(second.html)].filter((name) => name.startsWith('heron'))).toHaveLength(12)
  expect(new Set([...names(first.html), ...names(second.html)]).size).toBe(names(first.html).length + names(second.html).length)
  expect(link(second.html, 'prev')).toBe('/?q=heron')
  expect((await alice.get(address({ q: 'heron', offset: '900' }))).text).toContain('No more results')
})

test.each([
  [{ q: '   ' }, 400, 'Type a question first.'],
  [{ q: '' }, 400, 'Type a question first.'],
  [{ q: 'x'.repeat(4001) }, 400, 'The question has 4001 characters; the limit is 4000.'],
  [{ q: '😀'.repeat(4001) }, 400, 'The question has 4001 characters; the limit is 4000.'],
  [{ q: '-rent' }, 400, 'Add a word to look for'],
  [{ q: 'rent', project: 'Trems' }, 404, 'You have no such project.'],
  [{ q: 'rent', offset: '1001' }, 400, 'The number of results to skip is 1001; the limit is 1000.'],
  [{ q: 'rent', offset: 'many' }, 400, 'The number of results to skip must be a number, not "many".'],
  [{ q: 'rent', group: 'colour' }, 400, 'The grouping must be one of chunk, document, not "colour".'],
  [{ q: 'rent', sort: 'colour' }, 400, 'The order must be one of relevance, newest, name, not "colour".'],
  [{ q: 'rent', after: 'soon' }, 400, 'Enter a day such as 2026-03-31.'],
  [{ q: 'rent', tags: 'x'.repeat(201) }, 400, 'has 201 characters; the limit is 200.'],
] as const)('explains why it refuses %j, and keeps the values of the form', async (fields, status, sentence) => {
  const page = await alice.get(address(fields))
  expect([page.status, page.text]).toEqual([status, expect.stringContaining(sentence)])
  expect(page.field('q')).toBe(fields.q)
  if ('project' in fields) expect(page.form('/').fields).toContainEqual(['project', fields.project])
})

test('leads back to the query after the login', async () => {
  const bob = webClient(app)
  const user = (await app.backend.records.users.findByEmail('bob@example.org'))!
  await app.backend.accounts.setPassword(user.id, PASSWORD)
  const login = await bob.follow(await bob.get('/?q=notice+%26+period'))
  const page = await bob.submit(login, '/login', { email: 'bob@example.org', password: PASSWORD })
  expect(page.location).toBe('/?q=notice+%26+period')
  const answer = await bob.follow(page)
  expect(answer.field('q')).toBe('notice & period')
  // Bob has no documents yet, so the page says how to begin, with the address of this instance.
  expect(answer.text).toContain(`docsearch login ${app.url}`)
})

test('accepts a query of the maximum length in any script in the address', async () => {
  const path = address({ q: '賃貸契約の期間。'.repeat(500) })
  expect((await alice.get(path)).status).toBe(200)
  expect((await webClient(app).get(path)).location).toBe('/login')
})

test('shows markup in a query, a name, a text and a project as text', async () => {
  const evil = `"><script>alert(1)</script><b>x</b>`
  await app.alice.ready(`${evil.replaceAll('/', '')}.txt`, `${evil} wombat`, { project: evil, tags: 'a"><i>b</i>' })
  for (const fields of [
    { q: `wombat ${evil}` },
    { q: 'wombat', project: evil },
    { q: 'wombat', tags: evil, type: evil, group: evil, offset: evil },
  ]) {
    const page = await alice.get(address(fields))
    expect(page.html).not.toMatch(/<script>|<b>|<i>/)
  }
})

test('says what a search could not do: no meaning, no reranking, pending documents', async () => {
  const broken = await startTestApp({
    change: ({ search, records }) => ({
      search: {
        search: async (query) => ({
          ...(await search.search(query)),
          mode: 'keyword',
          modeReason: 'Searched by keywords only: the embedder x cannot be reached.',
          rerank: { applied: false, model: 'x', tookMs: 1, reason: 'The reranker failed: this is the fused order.' },
          pendingDocuments: 2,
        }),
      },
      records,
    }),
  })
  try {
    await broken.alice.ready('a.txt', 'A lantern.')
    const { text } = await (await loggedIn(broken, 'alice@example.org')).get('/?q=lantern')
    expect(text).toContain('Searched by keywords only: the embedder x cannot be reached.')
    expect(text).toContain('The results may not be in the best order. The reranker failed: this is the fused order.')
    expect(text).toContain('2 documents are still being read and may be missing from the results.')
  } finally {
    await broken.close()
  }
})

test('limits the requests of a browser as it limits the requests of a key', async () => {
  const limited = await startTestApp({ http: { rateLimit: 2 } })
  try {
    const browser = await loggedIn(limited, 'alice@example.org')
    expect([(await browser.get('/?q=a')).status, (await browser.get('/?q=a')).status]).toEqual([200, 200])
    const page = await browser.get('/?q=a')
    expect([page.status, Number(page.headers.get('retry-after')) > 0]).toEqual([429, true])
    // The link to try again keeps the question.
    expect(page.links).toContain('/?q=a')
    expect(page.text).not.toContain('Retry-After')
    expect((await browser.get('/settings/profile')).status).toBe(429)
  } finally {
    await limited.close()
  }
})

test('does not send any part of a query to other sites as Referer', async () => {
  const page = await alice.get(address({ q: 'refunds' }))
  expect(page.headers.get('referrer-policy')).toBe('strict-origin')
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(terms).toMatch(/^doc_/)
})
