import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../../src/core/model.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { Library, type Operation } from './sharing/library.ts'
import { Observer } from './sharing/observer.ts'

/*
 * Random operations by users with random memberships and limited keys, compared with a model that only knows the rules. After every
 * operation, each credential looks at everything. It must see what the model says, no trace of anything else, and the very same answers
 * as before, down to the scores, if the operation changed nothing that it may see.
 *
 * To repeat a failure, pass the `seed` and `path` that it prints to fc.assert.
 */

/** Fixed, because a time limit ends no run at all on a slow machine. Raise it to look for faults. */
const RUNS = 5

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ limits: { apiKeys: 1e6 } })
})
afterAll(() => app?.close())

const OPERATIONS: Record<Operation['kind'], number> = {
  createProject: 3,
  renameProject: 2,
  deleteProject: 1,
  setMember: 6,
  removeMember: 4,
  upload: 8,
  replace: 2,
  rename: 2,
  move: 2,
  delete: 2,
  addSynonym: 2,
  limitKey: 3,
}

const operation: fc.Arbitrary<Operation> = fc.record({
  kind: fc.oneof(
    ...Object.entries(OPERATIONS).map(([kind, weight]) => ({
      weight,
      arbitrary: fc.constant(kind as Operation['kind']),
    })),
  ),
  by: fc.nat({ max: 20 }),
  on: fc.nat({ max: 20 }),
  with: fc.nat({ max: 1000 }),
})

/** Ada shares the first of her two projects with Ben, who manages it. Cem reads Ben's project. Ada has a key for her first project. */
const START = [
  ['createProject', 0, 0, 0],
  ['createProject', 0, 0, 1],
  ['createProject', 1, 0, 0],
  ['upload', 0, 0, 0],
  ['upload', 0, 1, 1],
  ['upload', 1, 2, 4],
  ['setMember', 0, 0, 5],
  ['setMember', 1, 2, 6],
  ['limitKey', 0, 0, 0],
] as const

let runs = 0
async function begin(): Promise<Library> {
  const { records, apiKeys } = app.backend
  const library = new Library(app)
  runs += 1
  for (const name of ['Ada', 'Ben', 'Cem']) {
    const user = await records.users.create({ name, email: `${name}${runs}@example.org`, role: 'member' })
    const { key } = await apiKeys.create({ ownerId: user.id, name: 'k', scopes: SCOPES, expiresAt: null })
    library.addUser({ id: user.id, name }, key)
  }
  for (const [kind, by, on, at] of START) await library.apply({ kind, by, on, with: at })
  return library
}

test(
  'whatever users do, nobody sees a passage, name, count, facet, correction or score of a project that is not shared with them',
  { timeout: 600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 10, maxLength: 25 }), async (operations) => {
        const library = await begin()
        try {
          const observer = new Observer(library)
          await observer.look()
          for (const one of operations) {
            await library.apply(one)
            await observer.look()
          }
        } catch (error) {
          throw new Error(`${(error as Error).message}\nafter:\n  ${library.history.join('\n  ')}`, { cause: error })
        } finally {
          await library.deleteAll()
        }
      }),
      { numRuns: RUNS },
    )
    expect(runs).toBe(RUNS)
  },
)
