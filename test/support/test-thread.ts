import { setTimeout } from 'node:timers/promises'
import { DocsearchError } from '../../src/core/errors.ts'
import { answerCalls } from '../../src/core/thread.ts'

/** The calls of a thread for the test of core/thread.ts. */
export interface TestCalls {
  echo: { request: unknown; answer: unknown }
  /** Returns the texts of `note` and `echo` so far. */
  heard: { request: null; answer: unknown[] }
  note: { request: string; answer: void }
  sleep: { request: number; answer: string }
  block: { request: number; answer: string }
  refuse: { request: null; answer: never }
  fail: { request: null; answer: never }
  announce: { request: string; answer: null }
  die: { request: null; answer: never }
}

const heard: unknown[] = []

const send = answerCalls<TestCalls>({
  echo: (value) => (heard.push(value), value),
  heard: () => heard,
  note: (text) => void heard.push(text),
  sleep: (ms) => setTimeout(ms, 'slept'),
  block(ms) {
    for (const end = performance.now() + ms; performance.now() < end;);
    return 'blocked'
  },
  refuse() {
    const cause = new Error('no space', { cause: new Error('quota') })
    throw new DocsearchError('disk_full', 'The disk is full.', { cause, details: { free: 1 }, retryAfter: 30 })
  },
  fail: () => {
    throw Object.assign(new RangeError('locked'), { code: 'ERR_SQLITE_ERROR', errcode: 5 })
  },
  announce(text) {
    send(text)
    return null
  },
  die: () => process.exit(3),
})
