import { expect, test } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import { corrupt } from '../../../src/index/failures.ts'
import { TableWatch } from '../../../src/index/table-watch.ts'
import { until } from '../../support/until.ts'

const DAMAGE = corrupt('cut off')

/** A watch of a table whose verifications end like this, one after another. */
function newWatch(outcomes: (Error | null)[]) {
  let verified = 0
  const watch = new TableWatch(
    {
      async verify() {
        const outcome = outcomes[verified++]
        if (outcome instanceof Error) throw outcome
      },
    },
    silentLogger,
  )
  let heard = 0
  watch.onDamage(() => heard++)
  return { watch, verified: () => verified, heard: () => heard }
}

const read = (watch: TableWatch, error: Error) => watch.reading(() => Promise.reject(error)).catch((thrown: unknown) => thrown)

test('a read that finds damage counts only when the whole table is found to be damaged', async () => {
  const { watch, verified, heard } = newWatch([null, DAMAGE])
  expect(await read(watch, new Error('closed'))).toMatchObject({ message: 'closed' })
  expect(verified()).toBe(0)
  expect(await read(watch, DAMAGE)).toBe(DAMAGE)
  await until('the table is verified', () => verified() === 1)
  expect([watch.damage, heard()]).toEqual([null, 0])
  await read(watch, DAMAGE)
  await until('the damage is known', () => watch.damage === DAMAGE)
  await read(watch, DAMAGE)
  expect([verified(), heard()]).toEqual([2, 1])
  await watch.stop()
})

test('a verification that fails for another reason is repeated', async () => {
  const { watch, verified, heard } = newWatch([new Error('too many open files'), DAMAGE])
  watch.verify()
  await until('the damage is known', () => watch.damage !== null)
  expect([verified(), heard()]).toEqual([2, 1])
  await watch.stop()
})
