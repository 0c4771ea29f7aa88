import { expect, test as anyTest } from 'vitest'
import type { PostgresServer } from '../../src/records/sql/postgres/server.ts'
import { run } from '../support/empty-postgres.ts'
import { postgresOfFile } from '../support/postgres-of-file.ts'
import { hasPostgres } from '../support/postgres-server.ts'
import { postgresForTests } from '../support/postgres-records.ts'
import { testClock } from '../support/test-clock.ts'

// PostgreSQL chooses its plan by estimates. A plan that reads all words takes seconds in a large instance, but goes unnoticed in small tests.

const WORDS = 30_000
const PROJECTS = 60

let statements: [sql: string, parameters: readonly unknown[]][] = []
const test = anyTest.skipIf(!hasPostgres)
const openServer = postgresOfFile()
const postgres = postgresForTests(async () => noteStatements(await openServer()))

function noteStatements(server: PostgresServer): PostgresServer {
  return {
    ...server,
    async connect() {
      const client = await server.connect()
      return {
        ...client,
        query(sql, parameters) {
          statements.push([sql, parameters])
          return client.query(sql, parameters)
        },
      }
    },
  }
}

/** Returns how PostgreSQL reads the words, for each statement of `work` that reads them. */
async function plansOf(work: () => Promise<unknown>, explain = 'explain'): Promise<string[]> {
  statements = []
  await work()
  const client = await (await openServer()).connect()
  try {
    const plans: string[] = []
    for (const [sql, parameters] of statements.filter(([text]) => text.includes('vocabulary_words'))) {
      const { rows } = await client.query(`${explain} ${sql}`, parameters)
      plans.push(rows.map((row) => String((row as Record<string, unknown>)['QUERY PLAN'])).join('\n'))
    }
    return plans
  } finally {
    client.release(false)
  }
}

test.each(['before', 'after'])('looks words up by the primary key, %s PostgreSQL has statistics', async (when) => {
  const records = await postgres.openEmpty(testClock())
  const server = await openServer()
  const { id: ownerId } = await records.users.create({ name: 'A', email: null, role: 'owner' })
  const { id } = await records.projects.create({ ownerId, name: 'default', description: '' })
  await run(server, `insert into vocabularies (project_id, words) values ('${id}', ${WORDS})`)
  await run(
    server,
    `insert into vocabulary_words select vocabularies.id, md5(n::text), 'term', 1 from vocabularies, generate_series(1, ${WORDS}) as n`,
  )
  if (when === 'after') await run(server, 'analyze vocabulary_words')
  const { words } = await records.vocabulary.wordsFrom(new Set([id]), 'c', '')
  expect(words.length).toBeGreaterThan(1_000)
  const plans = await plansOf(async () => {
    await records.vocabulary.wordsFrom(new Set([id]), 'c', '')
    expect(await records.vocabulary.entries(new Set([id]), [words[5]!, 'missing'])).toHaveLength(1)
  })
  expect(plans).toHaveLength(2)
  for (const plan of plans) {
    expect(plan).toMatch(/Index (Only )?Scan using vocabulary_words_key/)
    expect(plan).not.toContain('Seq Scan on vocabulary_words')
  }
})

test.each(['before', 'after'])('reads only the next words of many projects, %s PostgreSQL has statistics', async (when) => {
  const records = await postgres.openEmpty(testClock())
  const server = await openServer()
  const { id: ownerId } = await records.users.create({ name: 'A', email: null, role: 'owner' })
  const ids: string[] = []
  for (let n = 0; n < PROJECTS; n++) ids.push((await records.projects.create({ ownerId, name: `p${n}`, description: '' })).id)
  await run(server, 'insert into vocabularies (project_id, words) select id, 0 from projects')
  await run(
    server,
    `insert into vocabulary_words select vocabularies.id, 'c' || md5(n::text), 'term', 1 from vocabularies, generate_series(1, 1000) as n`,
  )
  if (when === 'after') await run(server, 'analyze vocabulary_words')
  const [plan] = await plansOf(() => records.vocabulary.wordsFrom(new Set(ids), 'c', ''), 'explain (analyze)')
  const [, loops] = /(?:using|on) vocabulary_words_key .* loops=(\d+)/.exec(plan!)!
  expect(Number(loops)).toBeLessThan(10)
})
