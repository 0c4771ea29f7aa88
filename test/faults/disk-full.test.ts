import { mkdirSync, rmSync, statfsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { incoming } from '../support/data-folder.ts'
import { type Mount, mountTmpfs } from '../support/mount.ts'
import { expectSearchableOnce, expectTidy, found } from '../support/promises.ts'
import { until } from '../support/until.ts'
import { rareWord, textWith } from '../support/words.ts'
import { errorCode } from '../support/codes.ts'

/** A daemon whose data folder is a file system of 48 MB. A file next to its data fills and empties it. */
let instance: Instance
let running: Running
let mount: Mount | null = null
const words: Record<string, string> = { 'kept.txt': rareWord() }

beforeAll(async () => {
  instance = await newInstance()
  mkdirSync(instance.dataDir)
  mount = mountTmpfs(instance.dataDir, '48m')
  if (mount === null) return
  running = await instance.start()
  await running.upload([{ name: 'kept.txt', content: textWith(words['kept.txt']!) }], { wait: true })
})
afterAll(async () => {
  await running?.daemon.kill()
  mount?.unmount()
  await instance?.remove()
})

const ballast = (): string => join(instance.dataDir, 'ballast')
const free = (): number => {
  const { bavail, bsize } = statfsSync(instance.dataDir)
  return bavail * bsize
}

/** Fills the disk until only about `bytes` are free. */
async function leaveFree(bytes: number): Promise<void> {
  rmSync(ballast(), { force: true })
  const file = await open(ballast(), 'w')
  const block = Buffer.alloc(1 << 20)
  try {
    for (;;) {
      const size = Math.min(block.length, free() - bytes)
      if (size < 4096) return
      await file.write(block, 0, size)
    }
  } finally {
    await file.close()
  }
}

describe('disk full', () => {
  test.beforeEach(({ skip }) => skip(mount === null, 'this machine does not allow mounting a small file system'))

  test('while a body arrives: answers 507, leaves no row and no temporary file, and still searches', async () => {
    await leaveFree(2_000_000)
    // With Content-Length, and without it.
    const content = 'far too much for this disk\n'.repeat(400_000)
    const announced = await running.upload([{ name: 'big.txt', content }])
    expect(announced).toMatchObject({ status: 507, body: { code: errorCode('disk_full'), status: 507 } })
    const streamed = await running.call('POST', '/api/v1/upload?name=big.txt', new Blob([content]).stream())
    expect(streamed).toMatchObject({ status: 507, body: { code: errorCode('disk_full'), status: 507 } })
    expect(await incoming(instance.dataDir)).toEqual([])
    expect((await running.documents()).map(({ name }) => name)).toEqual(['kept.txt'])
    expect(await found(running, words['kept.txt']!)).toEqual(['kept.txt'])
    rmSync(ballast())
  })

  test('at any step: finishes acknowledged documents when there is room, and leaves nothing of refused ones', async () => {
    // From less than one block up to enough for the original, the commit and a part of the index.
    const refused: string[] = []
    for (const [i, room] of [0, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128].entries()) {
      const name = `doc-${i}.txt`
      const word = rareWord()
      await leaveFree(room * 1024)
      const answer = await running.upload([{ name, content: textWith(word) }])
      if (answer.status === 202) words[name] = word
      else {
        expect(answer).toMatchObject({ status: 507, body: { code: errorCode('disk_full') } })
        refused.push(word)
      }
      expect(await incoming(instance.dataDir)).toEqual([])
      expect(await found(running, words['kept.txt']!)).toEqual(['kept.txt'])
    }
    expect(refused.length).toBeGreaterThan(0)
    await leaveFree(0)
    expect((await running.health()).checks?.disk?.status).toBe('degraded')

    rmSync(ballast())
    await expectSearchableOnce(running, words)
    for (const word of refused) expect(await found(running, word)).toEqual([])
    expect((await running.documents()).length).toBe(Object.keys(words).length)
  })

  test('in the middle of a request: says for each file whether it is stored', async () => {
    // How much room a commit takes depends on the state of the database, so this tries one amount after the other.
    let partial = 0
    for (let round = 0; round < 60 && partial === 0; round++) {
      const files = Array.from({ length: 12 }, (_, i) => ({ name: `part-${round}-${i}.txt`, word: rareWord() }))
      await leaveFree((64 + 8 * round) * 1024)
      const answer = await running.upload(files.map(({ name, word }) => ({ name, content: textWith(word) })))
      rmSync(ballast())
      const stored = new Set(answer.body.documents?.map(({ name }) => name))
      const isRejected = (name: string) =>
        answer.body.rejected?.some((one) => one.name === name && one.code === errorCode('disk_full'))
      expect(answer.status).toBe(stored.size > 0 ? 202 : 507)
      if (answer.body.documents === undefined) continue
      for (const { name, word } of files) {
        expect([name, stored.has(name)]).toEqual([name, !isRejected(name)])
        if (stored.has(name)) words[name] = word
      }
      expect(answer.body.documents.length + answer.body.rejected.length).toBe(files.length)
      if (stored.size > 0 && stored.size < files.length) partial++
    }
    expect(partial).toBe(1)
    await expectSearchableOnce(running, words)
    expect((await running.documents()).length).toBe(Object.keys(words).length)
  })

  test('while the index is written: waits, reports it in health, and continues by itself', async () => {
    // The uploads arrive while there is room. The disk fills up before all of them are in the index.
    const files = Array.from({ length: 20 }, (_, i) => ({ name: `late-${i}.txt`, word: rareWord() }))
    const answers = await Promise.all(
      files.map(({ name, word }) => running.upload([{ name, content: textWith(word) + 'filling line\n'.repeat(20_000) }])),
    )
    await leaveFree(0)
    for (const [i, { status }] of answers.entries()) if (status === 202) words[files[i]!.name] = files[i]!.word
    expect(await found(running, words['kept.txt']!)).toEqual(['kept.txt'])
    const stuck = (await running.documents()).filter(({ status }) => status !== 'ready')
    expect(stuck.filter(({ status }) => status === 'failed')).toEqual([])
    rmSync(ballast())
    await expectSearchableOnce(running, words)
  })

  test('killed with a full disk: starts when there is room, with all documents', async () => {
    const word = rareWord()
    await running.upload([{ name: 'last.txt', content: textWith(word) }])
    words['last.txt'] = word
    await leaveFree(0)
    await running.daemon.kill()
    const onFull = await instance.tryStart()
    if (onFull) {
      expect(await found(onFull, words['kept.txt']!)).toEqual(['kept.txt'])
      await onFull.daemon.stop()
    }
    rmSync(ballast())
    running = await instance.start()
    await expectSearchableOnce(running, words)
    await until('documents settled', () => running.settled())
    await expectTidy(running, instance.dataDir)
  })
})
