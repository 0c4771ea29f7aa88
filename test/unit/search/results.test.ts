import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ask, type Fixture, makeFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await makeFixture()
  await fixture.add('returns.txt', [
    'Customers may return goods within thirty days for a refund.',
    'The shop opens at nine.',
    'A refund takes a week.',
  ])
  await fixture.add('garden.txt', ['Tulips flower in spring.', 'Roses need pruning in winter.'])
  await fixture.add('contract.txt', ['The lease ends in December.'], { tags: ['legal'] })
})
afterAll(() => fixture.cleanUp())

test('the passage with the answer comes first, with document, place, highlights and stages', async () => {
  const { hits, mode, modeReason, embeddingModel, pendingDocuments } = await fixture.ask('refund for returned goods')
  expect({ mode, modeReason, embeddingModel, pendingDocuments }).toEqual({
    mode: 'hybrid',
    modeReason: null,
    embeddingModel: 'builtin',
    pendingDocuments: 0,
  })
  const [best] = hits
  expect(best).toMatchObject({
    rank: 1,
    document: { name: 'returns.txt', projectName: 'default' },
    passage: { index: 0, pageStart: 1, pageEnd: 1, heading: 'Part', charStart: 0 },
    text: 'Customers may return goods within thirty days for a refund.',
    stages: { keyword: { rank: 1 }, vector: { rank: 1 }, fused: { rank: 1 }, rerank: null },
  })
  expect(best!.highlights.map(([start, end]) => best!.text.slice(start, end))).toEqual(['return', 'goods', 'refund'])
  expect(hits.map((hit) => hit.rank)).toEqual(hits.map((_, i) => i + 1))
})

test.each(['hybrid', 'vector', 'keyword'] as const)('%s finds the answer, with scores from 0 to 1', async (mode) => {
  const { hits, ...outcome } = await fixture.ask('pruning roses', { mode })
  expect(outcome).toMatchObject({ mode, modeReason: null, embeddingModel: mode === 'keyword' ? null : 'builtin' })
  expect(hits[0]!.text).toBe('Roses need pruning in winter.')
  expect(hits.every((hit) => hit.score >= 0 && hit.score <= 1)).toBe(true)
  expect(hits[0]!.stages.keyword === null).toBe(mode === 'vector')
  expect(hits[0]!.stages.vector === null).toBe(mode === 'keyword')
})

test('filters by tags, path, projects and media types', async () => {
  const names = async (filter: NonNullable<Ask['filter']>) =>
    (await fixture.ask('lease refund tulips', { mode: 'keyword', filter })).hits.map((hit) => hit.document.name)
  expect(new Set(await names({}))).toEqual(new Set(['returns.txt', 'garden.txt', 'contract.txt']))
  expect(await names({ tags: ['legal'] })).toEqual(['contract.txt'])
  expect(await names({ pathPrefix: 'gar' })).toEqual(['garden.txt'])
  expect(await names({ mediaTypes: ['application/pdf'] })).toEqual([])
  expect((await fixture.ask('lease refund tulips', { projectIds: [] })).hits).toEqual([])
})

test('grouped by document, each appears once with its best passage and the number of its passages', async () => {
  const { hits } = await fixture.ask('refund', { groupBy: 'document', mode: 'keyword' })
  expect(hits.map((hit) => [hit.document.name, hit.text, hit.matchingPassages])).toEqual([
    ['returns.txt', 'A refund takes a week.', 2],
  ])
})

test.each(['???', '   …', '🙂', "' OR 1=1 --", '"', '\\', 'a'.repeat(4000), 'refund '.repeat(500)])(
  'answers the question %j without an error',
  async (query) => {
    for (const mode of ['hybrid', 'vector', 'keyword'] as const)
      expect(await fixture.ask(query, { mode })).toMatchObject({ mode })
  },
)

test('never finds passages of another project', async () => {
  const { owner, project } = await fixture.makeOwner('Bob')
  await fixture.add('secret.txt', ['Refund codes are in the drawer.'], { owner, project })
  const mine = await fixture.ask('refund codes drawer', { limit: 100 })
  expect(mine.hits.map((hit) => hit.document.name)).not.toContain('secret.txt')
  const { hits } = await fixture.ask('refund codes drawer', { projectIds: [project.id], limit: 100 })
  expect(hits.map((hit) => hit.document.name)).toEqual(['secret.txt'])
})

test('counts documents that are not searchable yet', async () => {
  const { owner, project } = await fixture.makeOwner('Cleo')
  const upload = {
    uploaderId: owner.id,
    projectId: project.id,
    name: 'new.txt',
    path: 'new.txt',
    mediaType: 'text/plain',
    sizeBytes: 1,
    sha256: 'f'.repeat(64),
    tags: [],
  }
  await fixture.records.documents.register(upload, 'replace')
  expect(await fixture.ask('anything', { projectIds: [project.id] })).toMatchObject({ hits: [], pendingDocuments: 1 })
})

test.each(['xyzzyplugh', '???', 'qwertzuiop blorf'])(
  'finds nothing for a question about nothing in the documents: %s',
  async (question) => {
    expect((await fixture.ask(question)).hits).toEqual([])
  },
)

test('finds a misspelled word by its character pieces', async () => {
  expect((await fixture.ask('prunning')).hits[0]?.text).toBe('Roses need pruning in winter.')
})
