import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Ask, type Fixture, makeFixture } from './fixture.ts'
import { errorCode } from '../../support/codes.ts'
import { visibleTo } from '../../support/visible.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await makeFixture()
  await fixture.add('lease.txt', [
    'The rent is due on the third working day of every month.',
    'The deposit is three months of rent; late fees are charged after the third\n working  day.',
    'Repairs of the heating are paid by the landlord. It is the landlord’s duty.',
  ])
  await fixture.add('Kündigung 2018.txt', ['Die Kündigung der Wohnung ist nur mit der Frist von drei Monaten möglich.'])
  await fixture.add('pumps.txt', [
    'Replace the pump AB-1234 (C++ firmware) with maxTokens 100 every year.',
    'A rental van is not insured.',
  ])
  await fixture.add('berlok.txt', ['A bérlők a kulcsokat visszaadják, ha a szerződés megszűnt, és nem felelősek a lakásokért.'])
  const { owner, project } = await fixture.makeOwner('Eve')
  await fixture.add('secret.txt', ['The xylophone is hidden under the staircase.'], { owner, project })
})
afterAll(() => fixture.cleanUp())

const texts = async (query: string, change: Ask = {}) =>
  (await fixture.ask(query, change)).hits.map((hit) => hit.text.slice(0, 12)).toSorted()

describe('spelling', () => {
  test.each([
    ['when is the rnet due', 'when is the rent due'],
    ['Depsoit?', 'Deposit?'],
    ['KUNDIGUNGG', 'KÜNDIGUNG'],
    ['(landlrod), heatign!', '(landlord), heating!'],
    ['rnet "working day" -heatin name:laese', 'rent "working day" -heatin name:laese'],
  ])('corrects %j to %j', async (query, corrected) => {
    expect((await fixture.ask(query)).correctedQuery).toBe(corrected)
  })

  test.each([
    ['when is the rent due'],
    ['rents rented'],
    ['rnet', { correct: false }],
    ['"rnet is" rent'],
    ['pump AB-1243 maxTokesn'],
    ['xylophonne staircasse'],
    ['ernt'],
    ['ren'],
    ['depzzit'],
    ['rest'],
    ['moth'],
    ['heaving'],
    ['repaid'],
    ['who pays Rentt'],
  ] as [string, Ask?][])('does not correct %j', async (query, change) => {
    expect((await fixture.ask(query, change)).correctedQuery).toBeNull()
  })

  test.each(['keyword', 'vector', 'hybrid'] as const)('searches for the corrected question in mode %s', async (mode) => {
    const [first] = (await fixture.ask('depsoit', { mode })).hits
    expect(first?.text).toContain('deposit')
    expect(first?.highlights.map(([from, to]) => first.text.slice(from, to))).toEqual(['deposit'])
  })

  test('finds a word of the documents whose language the question does not reveal, without a correction', async () => {
    const { hits, correctedQuery } = await fixture.ask('kulcsokat', { mode: 'keyword' })
    expect([hits[0]?.document.name, correctedQuery]).toEqual(['berlok.txt', null])
  })

  test('does not correct to a word whose last document was deleted', async () => {
    const gone = await fixture.add('gone.txt', ['Gatekeeper'])
    expect((await fixture.ask('gatekeepr')).correctedQuery).toBe('gatekeeper')
    await fixture.records.documents.delete(await visibleTo(fixture.records, fixture.owner.id), gone.id)
    await fixture.index.deleteDocuments([gone.id])
    expect((await fixture.ask('gatekeepr')).correctedQuery).toBeNull()
  })
})

describe.each(['keyword', 'vector', 'hybrid'] as const)('in mode %s', (mode) => {
  test.each<[string, string[]]>([
    ['"working day"', ['The deposit ', 'The rent is ']],
    ['"WORKING  DAY" deposit', ['The deposit ', 'The rent is ']],
    ['"landlord\'s duty"', ['Repairs of t']],
    ['"ent is due"', []],
    ['"rent" van', ['The deposit ', 'The rent is ']],
    ['"(C++ firmware)"', ['Replace the ']],
    ['"Frist von drei"', ['Die Kündigun']],
    ['"Ku\u0308ndigung der"', ['Die Kündigun']],
    ['rent -deposit name:lease', ['Repairs of t', 'The rent is ']],
    ['rent -"working day" name:LEASE', ['Repairs of t']],
    ['rent -rental name:pumps', ['Replace the ']],
    ['rent -rent name:pumps', ['A rental van', 'Replace the ']],
    ['frist name:"kündigung 2018"', ['Die Kündigun']],
    ['rent -name:lease -name:kündigung -name:berlok', ['A rental van', 'Replace the ']],
    ['rent name:secret', []],
  ])('%j', async (query, expected) => {
    const found = await texts(query, { mode, correct: false })
    // Vector mode finds every passage that passes the filters, the other modes perhaps fewer.
    if (mode === 'vector') expect(found).toEqual(expected)
    else for (const text of found) expect(expected).toContain(text)
    if (expected.length === 0) expect(found).toEqual([])
  })
})

describe('a quoted phrase that no passage has', () => {
  test('is searched by its words, and the answer says so', async () => {
    const { hits, relaxedPhrases } = await fixture.ask('"third day of work" rent')
    expect(hits[0]?.text).toContain('third')
    expect(relaxedPhrases).toEqual(['third day of work'])
  })

  test('keeps the other conditions', async () => {
    const { hits, relaxedPhrases } = await fixture.ask('"day of work" rent -deposit name:lease')
    expect(hits.map(({ text }) => text.slice(0, 12))).toContain('The rent is ')
    for (const { text, document } of hits) expect([text.includes('deposit'), document.name]).toEqual([false, 'lease.txt'])
    expect(relaxedPhrases).toEqual(['day of work'])
  })

  test.each<[string, string, Ask?]>([
    ['a passage has the phrase', '"working day" rent'],
    ['the query is to be taken as typed', '"day of work" rent', { correct: false }],
    ['no passage has the words', '"qwvx zzkj"', { mode: 'keyword' }],
  ])('is not relaxed when %s', async (_when, query, change) => {
    expect((await fixture.ask(query, change)).relaxedPhrases).toEqual([])
  })

  test('is relaxed on every result page alike', async () => {
    const query = '"day of work" rent'
    const all = (await fixture.ask(query)).hits.map(({ passage }) => passage.id)
    const second = await fixture.ask(query, { offset: 1, limit: 1 })
    expect([second.hits[0]?.passage.id, second.relaxedPhrases]).toEqual([all[1], ['day of work']])
    expect((await fixture.ask(query, { offset: 50 })).relaxedPhrases).toEqual(['day of work'])
  })
})

test('searches for the words of a phrase too', async () => {
  expect(await texts('"working day"', { mode: 'keyword' })).toEqual(['The deposit ', 'The rent is '])
})

test('refuses a query of exclusions only', async () => {
  await expect(fixture.ask('-rent name:lease')).rejects.toMatchObject({ code: errorCode('invalid_query') })
  await expect(fixture.ask('-rent', {}, { nothing: true })).rejects.toMatchObject({ code: errorCode('invalid_query') })
})
