import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { folderSize } from '../../../test/support/folder-size.ts'
import { timed } from '../../measure.ts'
import { type BuildRival, wordsOf } from './rival.ts'

/** Debian installs the module for its own Python. */
const PYTHONS = ['/usr/bin/python3', 'python3']

/** Xapian (the package python3-xapian) in a process of its own, over pipes: any of the words, ordered by BM25. */
export const buildXapian: BuildRival = async ({ folder, passages }) => {
  const python = PYTHONS.find((one) => spawnSync(one, ['-c', 'import xapian']).status === 0)
  if (python === undefined) return 'python3-xapian is not installed'
  const child = spawn(python, [fileURLToPath(new URL('search-xapian.py', import.meta.url)), join(folder, 'xapian')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const send = async (value: unknown): Promise<void> => {
    if (!child.stdin.write(`${JSON.stringify(value)}\n`)) await once(child.stdin, 'drain')
  }
  const answer = async (): Promise<unknown> => {
    const { value, done } = await answers.next()
    if (done) throw new Error(`Xapian ended with ${child.exitCode}`)
    return JSON.parse(value) as unknown
  }
  const { ms } = await timed(async () => {
    for await (const batch of passages()) await send(batch.map(({ text }) => text))
    await send('built')
    await answer()
  })
  return {
    name: 'Xapian',
    buildMs: ms,
    bytes: folderSize(join(folder, 'xapian')),
    async search(question: string) {
      await send(wordsOf(question).join(' '))
      return (await answer()) as string[]
    },
    async close() {
      child.kill()
    },
  }
}
