import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Session } from '@lancedb/lancedb'
import { expect, test, vi } from 'vitest'
import { systemClock } from '../../../../src/core/clock.ts'
import { silentLogger } from '../../../../src/core/logger.ts'
import { openPassageTable } from '../../../../src/index/passages/open.ts'
import { cacheSizes } from '../../../../src/index/passages/store.ts'
import { DIMENSIONS } from '../../../conformance/passage-index.ts'
import { stored } from '../../../support/passage-table.ts'

const MB = 2 ** 20
const { sessions } = vi.hoisted(() => ({ sessions: [] as Session[] }))
vi.mock('@lancedb/lancedb', async (original) => {
  const lancedb = await original<typeof import('@lancedb/lancedb')>()
  return {
    ...lancedb,
    Session: class extends lancedb.Session {
      constructor(...sizes: ConstructorParameters<typeof Session>) {
        super(...sizes)
        sessions.push(this)
      }
    },
  }
})

test('LanceDB stays within its memory limit, however many commits there are', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-memory-'))
  const limits = { cacheBytes: 0, metadataBytes: MB / 2 }
  const layout = { dimensions: DIMENSIONS, denseDimensions: DIMENSIONS }
  const table = await openPassageTable({ folder, id: 'idx_1', layout, clock: systemClock, log: silentLogger, ...limits })
  const sizes: number[] = []
  for (let i = 0; i < 100; i++) {
    const rows = await table.add([stored(`doc_${i}`, 0), stored(`doc_${i}`, 1)])
    expect((await table.read(rows)).size).toBe(2)
    await table.remove(rows.slice(1))
    sizes.push(Number(sessions[0]!.sizeBytes()))
  }
  await table.close()
  await rm(folder, { recursive: true })
  // Index caches have 1 MB of their own, and stay empty.
  expect(Math.max(...sizes)).toBeLessThan(limits.metadataBytes * 1.1)
  // Without a limit, they would need several times as much.
  expect(Math.max(...sizes)).toBeGreaterThan(limits.metadataBytes * 0.9)
})

test('an instance with little memory has small caches, and one with much memory has no larger ones than it needs', () => {
  expect(cacheSizes(2 ** 40)).toEqual({ cacheBytes: 32 * MB, metadataBytes: 64 * MB })
  expect(cacheSizes(512 * MB)).toEqual({ cacheBytes: 32 * MB, metadataBytes: 64 * MB })
  expect(cacheSizes(64 * MB)).toEqual({ cacheBytes: 4 * MB, metadataBytes: 8 * MB })
  expect(cacheSizes(MB)).toEqual({ cacheBytes: MB / 16, metadataBytes: 4 * MB })
})
