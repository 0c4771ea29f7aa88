import { expect, test } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import { DamagedTexts, corrupt } from '../../../src/index/segments/failures.ts'
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

test('a suspicion counts only when the whole table is found to be damaged', async () => {
  const { watch, verified, heard } = newWatch([null, DAMAGE])
  watch.verify()
  await until('the table is verified', () => verified() === 1)
  expect([watch.damage, heard()]).toEqual([null, 0])
  watch.verify()
  await until('the damage is known', () => watch.damage === DAMAGE)
  watch.verify()
  expect([verified(), heard()]).toEqual([2, 1])
  await watch.stop()
})

test('a table with damaged texts can be read, and the watch names their rows', async () => {
  const { watch } = newWatch([null, new DamagedTexts([7n])])
  const rows: (readonly bigint[])[] = []
  watch.onReadable((damaged) => rows.push(damaged))
  for (const times of [1, 2]) {
    watch.verify()
    await until('the table is verified', () => rows.length === times)
  }
  expect([rows, watch.damage]).toEqual([[[], [7n]], null])
  await watch.stop()
})

test('a verification that fails for another reason is repeated', async () => {
  const { watch, verified, heard } = newWatch([new Error('too many open files'), DAMAGE])
  watch.verify()
  await until('the damage is known', () => watch.damage !== null)
  expect([verified(), heard()]).toEqual([2, 1])
  await watch.stop()
})
