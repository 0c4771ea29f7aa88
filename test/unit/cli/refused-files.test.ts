import { expect, test } from 'vitest'
import { RefusedFiles } from '../../../src/cli/commands/sync/watch.ts'
import type { SyncPlan } from '../../../src/cli/commands/sync/plan.ts'

const HOUR_MS = 3600_000

function planOf(files: Record<string, string>): SyncPlan {
  const changed = Object.entries(files).map(([path, sha256]) => ({
    file: `/${path}`,
    path,
    earlierPath: path,
    name: path,
    isNamed: false,
    size: 1,
    sha256,
  }))
  return { new: [], changed, renamed: [], gone: [], unchanged: [] }
}

test('a file that was refused for its content is sent again only after it has changed, or after a day', () => {
  let now = 0
  const files = new RefusedFiles(() => now)
  const sent = (content: Record<string, string>) => {
    const plan = planOf(content)
    const refusals = files.takeFrom(plan)
    return { sent: plan.changed.map(({ path }) => path), refused: refusals.map(({ path, code }) => `${path}: ${code}`) }
  }
  const content = { 'locked.pdf': 'a', 'data.bin': 'b', 'full.txt': 'c', 'good.txt': 'd' }
  const refusal = (path: string, code: string) => ({ path, name: path, code, message: 'no' })
  files.remember(planOf(content), {
    refused: [refusal('locked.pdf', 'encrypted'), refusal('full.txt', 'quota_exceeded'), refusal('elsewhere.pdf', 'encrypted')],
    skipped: [refusal('data.bin', 'unsupported_type')],
  })
  // A full quota can have space again at any time, and a file that was only skipped is no failure.
  expect(sent(content)).toEqual({ sent: ['full.txt', 'good.txt'], refused: ['locked.pdf: encrypted'] })
  now = 23 * HOUR_MS
  expect(sent({ 'data.bin': 'b', 'locked.pdf': 'another' })).toEqual({ sent: ['locked.pdf'], refused: [] })
  now = 24 * HOUR_MS
  expect(sent({ 'data.bin': 'b' })).toEqual({ sent: ['data.bin'], refused: [] })
})
