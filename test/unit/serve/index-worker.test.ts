import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import { IndexWorker, type Running } from '../../../src/serve/index-worker.ts'
import { until } from '../../support/until.ts'

const HELD = { holder: 'one', isHeld: () => true, isStillHeld: async () => true, nextFence: async () => 1 }

/** A worker whose lease the test gives and takes. */
function startWorker({ write, check }: { write?: () => void; check?: () => Promise<void> } = {}) {
  const events: string[] = []
  let isFree = false
  let lose = () => {}
  let answer: 'restart' | undefined
  const running = (what: string): Running => {
    events.push(what)
    return {
      async notice() {
        const now = what === 'write' ? answer : undefined
        answer = undefined
        return now
      },
      async stop() {
        events.push(`${what} ends`)
      },
    }
  }
  const worker = new IndexWorker({
    coordination: {
      writer: {
        async tryTake(onLost) {
          if (!isFree) return null
          lose = onLost
          return HELD
        },
        isTaken: async () => !isFree,
        async release() {
          events.push('released')
        },
      },
    },
    read: () => running('read'),
    ...(check && { check }),
    async write() {
      write?.()
      return running('write')
    },
    log: silentLogger,
  })
  onTestFinished(() => worker.stop(0))
  return {
    worker,
    events,
    free: (now: boolean) => (isFree = now),
    lose: () => lose(),
    restart: () => (answer = 'restart'),
  }
}

test('reads until the lease is free, and reads again after it has lost the lease', async () => {
  const { worker, events, free, lose } = startWorker()
  await worker.start()
  expect([worker.state, events]).toEqual(['reading', ['read']])
  free(true)
  await until('it writes', () => worker.state === 'writing')
  expect(events).toEqual(['read', 'read ends', 'write'])
  free(false)
  lose()
  await until('it reads again', () => events.at(-1) === 'read')
  expect([worker.state, events.slice(3)]).toEqual(['reading', ['write ends', 'read']])
  await worker.stop(0)
  expect(events.slice(5)).toEqual(['read ends', 'released'])
})

test('gives the lease back when it cannot begin to write again, and reads meanwhile', async () => {
  let fails = false
  const { worker, events, free, restart } = startWorker({
    write() {
      if (fails) throw new Error('the store does not answer')
    },
  })
  free(true)
  await worker.start()
  await until('it writes', () => worker.state === 'writing')
  fails = true
  restart()
  await until('it reads', () => events.length >= 6)
  expect([worker.state, events.slice(0, 6)]).toEqual([
    'reading',
    ['read', 'read ends', 'write', 'write ends', 'released', 'read'],
  ])
})

test('gives the lease back when it cannot write, and reads meanwhile', async () => {
  const { worker, events, free } = startWorker({
    write() {
      throw new Error('the store does not answer')
    },
  })
  free(true)
  await worker.start()
  expect([worker.state, events]).toEqual(['reading', ['read', 'read ends', 'released']])
  await until('it reads', () => events.filter((event) => event === 'read').length === 2)
})

test('goes on reading while it must not write', async () => {
  const check = () => Promise.reject(new Error('a newer version has made the index'))
  const { worker, events, free } = startWorker({ check })
  free(true)
  await worker.start()
  expect([worker.state, events]).toEqual(['reading', ['read', 'released']])
})

test('starts writing again when the work asks for it', async () => {
  const { worker, events, free, restart } = startWorker()
  free(true)
  await worker.start()
  restart()
  await until('it has begun again', () => events.filter((event) => event === 'write').length === 2)
  expect([worker.state, events.slice(2)]).toEqual(['writing', ['write', 'write ends', 'write']])
})
