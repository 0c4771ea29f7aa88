import { expect, test } from 'vitest'
import { createLogger } from '../../../src/serve/logging.ts'

function lines(isTTY: boolean): { text: () => string; output: { write(line: string): void; isTTY: boolean } } {
  let written = ''
  return { text: () => written, output: { write: (line) => void (written += line), isTTY } }
}

test('writes one JSON object a line and hides a credential that was logged by mistake', () => {
  const { text, output } = lines(false)
  createLogger('info', output).info(
    { token: 'dsk_secret', request: { authorization: 'Bearer dsk_secret' }, status: 200 },
    'request',
  )
  expect(JSON.parse(text())).toMatchObject({ level: 'info', msg: 'request', status: 200 })
  expect(text()).not.toContain('dsk_secret')
})

test('writes readable lines to a terminal, without escape sequences', () => {
  const { text, output } = lines(true)
  createLogger('info', output).warn({ name: 'evil\u001b[2J\u009b31m.pdf' }, 'failed')
  expect(text()).toMatch(/^\d\d:\d\d:\d\d warn failed name=evil/)
  // eslint-disable-next-line no-control-regex
  expect(text()).not.toMatch(/[\u001b\u009b]/)
})

test('writes nothing below its level', () => {
  const { text, output } = lines(false)
  createLogger('warn', output).info({}, 'quiet')
  expect(text()).toBe('')
})

test.each([
  ['a long message of an error', { err: new Error('x'.repeat(1_000_000)), request_id: 'req_1' }],
  ['a long cause', { err: new Error('short', { cause: new Error('x'.repeat(1_000_000)) }), request_id: 'req_1' }],
  ['a long list', { problems: Array<string>(100_000).fill('x'), request_id: 'req_1' }],
  [
    'many long fields',
    { ...Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`f${i}`, 'x'.repeat(1_000)])), request_id: 'req_1' },
  ],
])('a line is short and readable: %s', (_, fields) => {
  for (const isTTY of [false, true]) {
    const { text, output } = lines(isTTY)
    createLogger('info', output).error(fields, 'request failed')
    expect(text().length).toBeLessThan(20_000)
    expect(text()).toContain('request failed')
    expect(text()).toContain('req_1')
    expect(text().match(/\n/g)).toHaveLength(1)
    if (!isTTY) expect(JSON.parse(text())).toMatchObject({ level: 'error' })
  }
})
