import { readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openBlobs } from '../../src/blobs/files.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { testClock } from '../support/test-clock.ts'
import { blobsConformance } from './blobs.ts'

describe('blobs as files', () => {
  blobsConformance(async (clock) => openBlobs({ folder: await tempFolder(), clock }))

  test('keeps private files in private folders', async () => {
    const blobs = await openBlobs({ folder: await tempFolder(), clock: testClock() })
    const sha256 = 'ab'.repeat(32)
    await writeFile(join(blobs.incoming, 'x'), 'x', { mode: 0o644 })
    await blobs.put(join(blobs.incoming, 'x'), sha256)
    const path = await blobs.withFile(sha256, async (file) => file)
    expect(path.endsWith(join('blobs', 'ab', sha256.slice(2)))).toBe(true)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    for (const folder of [blobs.incoming, dirname(path), dirname(dirname(path))])
      expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  test('deletes unfinished uploads at the next start and keeps originals', async () => {
    const folder = await tempFolder()
    const before = await openBlobs({ folder, clock: testClock() })
    await writeFile(join(before.incoming, 'x'), 'x')
    await before.put(join(before.incoming, 'x'), 'ab'.repeat(32))
    await writeFile(join(before.incoming, 'half'), 'half')
    const after = await openBlobs({ folder, clock: testClock() })
    expect(await readdir(after.incoming)).toEqual([])
    expect(await after.size('ab'.repeat(32))).toBe(1)
  })
})
