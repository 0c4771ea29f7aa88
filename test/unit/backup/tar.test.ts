import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { CHECK_ONLY } from '../../../src/backup/content.ts'
import { compareWithManifest, type Fault } from '../../../src/backup/manifest.ts'
import { readTar } from '../../../src/backup/read-tar.ts'
import { errorCode } from '../../support/codes.ts'
import { makeBackup, makeTar, sha256 } from '../../support/make-backup.ts'

async function faultsOf(tar: Buffer): Promise<Fault[]> {
  // In uneven parts, so that blocks lie across them.
  const parts = Array.from({ length: Math.ceil(tar.length / 700) }, (_, i) => tar.subarray(i * 700, (i + 1) * 700))
  const { manifest, seen } = await readTar(Readable.from(parts), CHECK_ONLY)
  return compareWithManifest(manifest, seen)
}

const refusal = (tar: Buffer) =>
  faultsOf(tar).then(
    (faults) => (faults.length === 0 ? 'accepted' : 'faults'),
    (error: Error & { code?: string }) => error.code ?? error.message,
  )

test('an intact backup has no faults', async () => {
  expect(await faultsOf(await makeBackup())).toEqual([])
  expect(await faultsOf(await makeBackup({ originals: ['', 'x'.repeat(512), 'y'.repeat(100_000)] }))).toEqual([])
})

test('any flipped bit is found', async () => {
  const tar = await makeBackup({ originals: ['one', 'z'.repeat(600)] })
  const accepted: number[] = []
  for (let at = 0; at < tar.length; at += 5) {
    tar[at]! ^= 1 << (at % 8)
    if ((await refusal(tar)) === 'accepted') accepted.push(at)
    tar[at]! ^= 1 << (at % 8)
  }
  expect(accepted).toEqual([])
  expect(await refusal(tar)).toBe('accepted')
})

test('a backup that was cut off anywhere is incomplete', async () => {
  const tar = await makeBackup()
  for (let length = 0; length < tar.length; length += 128)
    expect([length, await refusal(tar.subarray(0, length))]).toEqual([length, errorCode('backup_incomplete')])
})

test('lists originals that are missing at the source, and continues', async () => {
  const { manifest, seen } = await readTar(Readable.from([await makeBackup({ missing: ['lost'] })]), CHECK_ONLY)
  expect(manifest.failed).toEqual([{ sha256: sha256('lost'), reason: 'missing' }])
  expect(compareWithManifest(manifest, seen)).toEqual([])
})

describe('hostile archives are refused', () => {
  const file = (name: string, more: object = {}) => ({ header: { name, ...more }, content: 'x' })
  const cases: Record<string, Parameters<typeof makeTar>[0]> = {
    'a path out of the folder': [file('../evil')],
    'a path out of blobs': [file('blobs/../../evil')],
    'an absolute path': [file('/etc/passwd')],
    'another file': [file('daemon.json')],
    'an original whose name is no hash': [file(`blobs/zz/${'0'.repeat(62)}`)],
    'a symbolic link': [{ header: { name: 'docsearch.db', type: 'symlink', linkname: '/etc/passwd' } }],
    'a hard link': [{ header: { name: 'docsearch.db', type: 'link', linkname: '/etc/passwd' } }],
    'a folder': [{ header: { name: 'blobs', type: 'directory' } }],
    'a device': [{ header: { name: 'docsearch.db', type: 'character-device' } }],
    'an extended header': [file('docsearch.db', { pax: { comment: 'x'.repeat(1000) } })],
    'a file twice': [file('docsearch.db'), file('docsearch.db')],
    'a manifest that is no JSON': [file('manifest.json')],
  }
  for (const [name, entries] of Object.entries(cases))
    test(name, async () => expect(await refusal(await makeTar(entries))).toBe(errorCode('backup_damaged')))

  test('a file after the manifest', async () => {
    const backup = await makeBackup()
    const more = await makeTar([file('config.json')])
    const end = backup.length - 1024
    expect(await refusal(Buffer.concat([backup.subarray(0, end), more]))).toBe(errorCode('backup_damaged'))
    expect(await refusal(Buffer.concat([backup, more]))).toBe(errorCode('backup_damaged'))
  })

  test('a size that no file has', async () => {
    const tar = await makeTar([file('docsearch.db')])
    tar.fill(0xff, 124, 136)
    expect(await refusal(tar)).toBe(errorCode('backup_damaged'))
  })

  test('a format of a later version', async () => {
    const newer = JSON.stringify({ format: 'docsearch-backup', format_version: 2 })
    expect(await refusal(await makeTar([{ header: { name: 'manifest.json' }, content: newer }]))).toBe(errorCode('backup_newer'))
  })
})
