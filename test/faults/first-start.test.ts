import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type Instance, newInstance } from '../support/instance.ts'
import { killNow } from '../support/processes.ts'
import { expectSearchableOnce, expectTidy } from '../support/promises.ts'
import { until } from '../support/until.ts'
import { rareWord, textWith } from '../support/words.ts'

let instance: Instance
afterEach(() => instance?.remove())

test.each(['docsearch.db', 'incoming', 'daemon.json'])(
  'completes a first start that was killed when %s appeared, with one owner and one project',
  async (file) => {
    instance = await newInstance()
    let killed: Promise<void> | undefined
    const first = await instance
      .tryStart({
        onSpawn(pid) {
          killed = until(`${file} to appear`, () => existsSync(join(instance.dataDir, file))).then(() => killNow(pid))
        },
      })
      // The daemon may already have been listening when it was killed.
      .catch(() => null)
    await killed
    await first?.daemon.exited

    const next = await instance.start()
    const { projects } = (await next.call<{ projects: { name: string }[] }>('GET', '/api/v1/projects')).body
    expect(projects.map(({ name }) => name)).toEqual(['default'])
    const word = rareWord()
    await next.upload([{ name: 'note.txt', content: textWith(word) }], { wait: true })
    await expectSearchableOnce(next, { 'note.txt': word })
    await expectTidy(next, instance.dataDir)
  },
)
