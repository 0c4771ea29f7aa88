import { expect, test } from 'vitest'
import { Changes } from '../../../src/lifecycle/lifecycle.ts'

const never = new AbortController().signal

test('a listener hears every change until it is removed', () => {
  const changes = new Changes()
  let heard = 0
  const unsubscribe = changes.onChange(() => (heard += 1))
  changes.announce()
  changes.announce()
  unsubscribe()
  changes.announce()
  expect(heard).toBe(2)
})

test('waitFor returns a value that is there already, also under an aborted signal', async () => {
  expect(await new Changes().waitFor(() => 0, AbortSignal.abort())).toBe(0)
})

test('waitFor returns the value of the first change that has one', async () => {
  const changes = new Changes()
  let value: string | null = null
  const found = changes.waitFor(() => value, never)
  changes.announce()
  value = 'first'
  changes.announce()
  value = 'second'
  expect(await found).toBe('first')
})

test('waitFor rejects with the reason of its signal', async () => {
  const controller = new AbortController()
  const found = new Changes().waitFor(() => null, controller.signal)
  controller.abort(new Error('stopping'))
  await expect(found).rejects.toThrow('stopping')
  await expect(new Changes().waitFor(() => null, controller.signal)).rejects.toThrow('stopping')
})
