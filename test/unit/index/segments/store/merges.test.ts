import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silentLogger } from '../../../../../src/core/logger.ts'
import { Merges } from '../../../../../src/index/segments/store/merges.ts'
import type { ProjectSegments, SharedSegment } from '../../../../../src/index/segments/store/project-segments.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Merges of two projects with many small segments. Merging `broken` fails as long as it is `isBroken`. */
function newMerges() {
  const state = { isBroken: true, onFailure: () => {} }
  const small = { passages: 1, deleted: 0 } as SharedSegment
  const projects = new Map(
    ['broken', 'whole'].map((projectId) => [
      projectId,
      { projectId, segments: Array.from({ length: 20 }, () => small) } as unknown as ProjectSegments,
    ]),
  )
  const merge = vi.fn<(project: ProjectSegments, sources: readonly SharedSegment[]) => Promise<void>>(
    async ({ projectId }, sources) => {
      if (projectId === 'broken' && state.isBroken) {
        state.onFailure()
        throw new Error('disk full')
      }
      const { segments, ...project } = projects.get(projectId)!
      const merged = { passages: 100 * sources.length, deleted: 0 } as SharedSegment
      projects.set(projectId, { ...project, segments: [...segments.slice(sources.length), merged] })
      merges.changed(projectId)
    },
  )
  const log = { ...silentLogger, warn: vi.fn<() => void>() }
  const merges = new Merges({ segmentsOf: (projectId) => projects.get(projectId), merge, log })
  const mergesOf = (projectId: string) => merge.mock.calls.filter(([project]) => project.projectId === projectId).length
  return { merges, mergesOf, state, projects, log }
}

test('a failed merge is repeated after growing pauses without another change, and holds up no other project', async () => {
  const { merges, mergesOf, state } = newMerges()
  merges.changed('broken')
  merges.changed('whole')
  await merges.idle()
  expect([mergesOf('broken'), mergesOf('whole')]).toEqual([1, 2])
  for (let second = 0; second < 600; second++) {
    merges.changed('broken')
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(mergesOf('broken')).toBeGreaterThan(5)
  expect(mergesOf('broken')).toBeLessThan(15)
  state.isBroken = false
  const before = mergesOf('broken')
  await vi.advanceTimersByTimeAsync(600_000)
  expect(mergesOf('broken')).toBe(before + 2)
})

test('stopping cancels merges that wait after a failure', async () => {
  const { merges, mergesOf } = newMerges()
  merges.changed('broken')
  await merges.idle()
  await merges.stop()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(mergesOf('broken')).toBe(1)
})

test('a merge whose project is deleted meanwhile is neither reported nor repeated', async () => {
  const { merges, mergesOf, state, projects, log } = newMerges()
  state.onFailure = () => projects.delete('broken')
  merges.changed('broken')
  await merges.idle()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(mergesOf('broken')).toBe(1)
  expect(log.warn).not.toHaveBeenCalled()
})
